import { getAllTimezones } from 'countries-and-timezones';
import { LRUCache } from 'lru-cache';

/** Making a formatter takes far longer than using it. Bounded, since a client chooses the names it sends. */
const FORMATTERS = new LRUCache<string, Intl.DateTimeFormat>({ max: 512 });

function formatterOf(zone: string): Intl.DateTimeFormat | null {
  const cached = FORMATTERS.get(zone);
  if (cached) return cached;
  // `+05:30` is an offset and no zone, though Intl takes it for one.
  if (!/^[A-Za-z]/.test(zone)) return null;
  try {
    const formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    FORMATTERS.set(zone, formatter);
    return formatter;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** True for the name of a zone in the IANA time zone database, aliases and any case included. */
export function isTimezone(name: string): boolean {
  return formatterOf(name) !== null;
}

/**
 * How many minutes the zone's clocks are ahead of UTC at an instant, from −840 to 840 today, with summer time as it
 * holds then. null for a name that is no zone and a date that is none.
 */
export function timezoneOffsetMinutes(zone: string, instant: Date): number | null {
  const formatter = formatterOf(zone);
  if (!formatter || Number.isNaN(instant.getTime())) return null;
  const match = /GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(formatter.format(instant));
  if (!match) return null;
  const minutes = Number(match[2] ?? 0) * 60 + Number(match[3] ?? 0);
  return match[1] === '-' ? -minutes : minutes;
}

/** Countries of each zone by its name in lower case, aliases too; the country that the zone is named for comes first. */
const COUNTRIES_OF_ZONE: ReadonlyMap<string, readonly string[]> = new Map(
  Object.values(getAllTimezones({ deprecated: true })).map(({ name, countries }) => [
    name.toLowerCase(),
    // Kosovo uses the time of Belgrade; the tz database has no zone for it.
    name === 'Europe/Belgrade' ? [...countries, 'XK'] : countries,
  ]),
);

/**
 * The countries that use a zone, the one that it is named for first. Empty for a name that is no zone, and for a zone
 * without a place (`UTC`, `EST`, `Etc/GMT+5`).
 */
export function countriesOfTimezone(zone: string): readonly string[] {
  return zone.includes('/') ? (COUNTRIES_OF_ZONE.get(zone.toLowerCase()) ?? []) : [];
}

/** True for the names of universal time, which identify no place. */
export function isUniversalTime(zone: string): boolean {
  return /^(etc\/)?(utc|uct|gmt|gmt0|gmt[+-]0|universal|zulu|greenwich|unknown)$/i.test(zone);
}

/** An offset as people write it: `UTC+5:30`, `UTC-5`, `UTC`. */
export function formatOffset(minutes: number): string {
  if (minutes === 0) return 'UTC';
  const size = Math.abs(minutes);
  const rest = size % 60 === 0 ? '' : `:${String(size % 60).padStart(2, '0')}`;
  return `UTC${minutes < 0 ? '-' : '+'}${Math.floor(size / 60)}${rest}`;
}
