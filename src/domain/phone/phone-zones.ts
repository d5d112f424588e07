import { getCountry, getTimezone } from 'countries-and-timezones';

/** Timezones as the data of number ranges has them, and the country of a number: few, and each looked up once. */
const known = new Map<string, readonly string[]>();

/**
 * Timezones of a number: those of its area that its country uses. The data also names zones of other countries, for
 * countries that share a calling code or merely a time; without a zone of its own country a number has that country's
 * only one, and none where it has several.
 */
export function zonesOfNumber(zones: string, country: string): readonly string[] {
  const key = `${country} ${zones}`;
  let found = known.get(key);
  if (!found) {
    found = readZones(zones.split('&'), country);
    known.set(key, found);
  }
  return found;
}

function readZones(zones: readonly string[], country: string): readonly string[] {
  const own = getCountry(country)?.timezones;
  // A calling code of no country, or a country that the list of zones does not know.
  if (!own) return zones;
  const used = zones.filter((zone) => getTimezone(zone)?.countries.some((code) => code === country));
  // Guernsey has the time of London and a name of its own: the nearer name stays.
  const followed = new Set<string | null | undefined>(used.map((zone) => getTimezone(zone)!.aliasOf));
  if (used.length > 0) return used.filter((zone) => !followed.has(zone));
  return own.length === 1 ? own : [];
}
