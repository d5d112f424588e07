import { getCountry, getTimezone } from 'countries-and-timezones';

/** Timezones as the data of number ranges has them, and the country of a number: few, and each looked up once. */
const known = new Map<string, readonly string[]>();

/**
 * Timezones of a number: those of its area that its country uses. The data also contains zones of other countries that
 * share a calling code or a time. Without a zone of its country, a number has the country's only zone, and none if the
 * country has several.
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
  // Guernsey has the time of London and its own zone name: the nearer name is kept.
  const followed = new Set<string | null | undefined>(used.map((zone) => getTimezone(zone)!.aliasOf));
  if (used.length > 0) return used.filter((zone) => !followed.has(zone));
  return own.length === 1 ? own : [];
}
