import type { NetworkFacts } from '@vouchgraph/signals';
import type { AddressBook } from './addresses.ts';
import { HOME_OPERATORS } from './operators.ts';
import type { Random } from './random.ts';

/** Location of a person. */
export type Place = { countryCode: string; timezone: string; latitude: number; longitude: number };

/** A person at home: location, language and address. */
export type Person = { home: Place; languages: readonly string[]; network: NetworkFacts };

/** Approximate share of the world's users, and the browser language of the country. */
const COUNTRIES: readonly (readonly [code: string, weight: number, language: string])[] = [
  ['US', 22, 'en-US'],
  ['GB', 8, 'en-GB'],
  ['DE', 8, 'de-DE'],
  ['FR', 7, 'fr-FR'],
  ['ES', 4, 'es-ES'],
  ['IT', 5, 'it-IT'],
  ['NL', 3, 'nl-NL'],
  ['PL', 3, 'pl-PL'],
  ['SE', 2, 'sv-SE'],
  ['BR', 8, 'pt-BR'],
  ['MX', 4, 'es-MX'],
  ['AR', 2, 'es-AR'],
  ['CA', 4, 'en-CA'],
  ['JP', 5, 'ja-JP'],
  ['KR', 2, 'ko-KR'],
  ['AU', 3, 'en-AU'],
  ['IN', 6, 'en-IN'],
  ['TR', 2, 'tr-TR'],
  ['ZA', 2, 'en-ZA'],
  ['ID', 2, 'id-ID'],
];

/**
 * A person at home in a country, with the browser language of the country; one in eight uses English or American settings, one
 * in fourteen the language of another country.
 */
export function drawPerson(book: AddressBook, random: Random, within?: readonly string[]): Person {
  const countries = within ? COUNTRIES.filter(([code]) => within.includes(code)) : COUNTRIES;
  for (;;) {
    const countryCode = random.weighted(countries.map(([code, weight]) => [code, weight] as const));
    const network = book.draw(
      random,
      HOME_OPERATORS[countryCode]!,
      ({ location }) => location.countryCode === countryCode,
    );
    if (network) return { home: placeOf(network), languages: languagesIn(countryCode, random), network };
  }
}

/** Another country than the given one. */
export function otherCountry(countryCode: string, random: Random): string {
  return random.pick(COUNTRIES.map(([code]) => code).filter((code) => code !== countryCode));
}

/** Location of an address in the databases. */
export function placeOf({ location }: NetworkFacts): Place {
  const { countryCode, timezone, latitude, longitude } = location;
  return { countryCode, timezone, latitude: latitude!, longitude: longitude! };
}

function languagesIn(countryCode: string, random: Random): string[] {
  const own = COUNTRIES.find(([code]) => code === countryCode)![2];
  const [, , other] = random.pick(COUNTRIES);
  const first = random.weighted([
    [own, 80],
    ['en-US', 13],
    [other, 7],
  ]);
  const base = first.split('-')[0]!;
  return [...new Set([first, base, ...(random.chance(0.6) ? ['en-US', 'en'] : [])])];
}

const EARTH_RADIUS_KM = 6371;

/** Along the great circle, by the haversine formula. */
export function kmBetween(a: Place, b: Place): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2;
  const h =
    half(a.latitude, b.latitude) +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * half(a.longitude, b.longitude);
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** Minutes that clocks at the location are ahead of UTC, by the runtime's own time zones. */
export function minutesAhead(timezone: string, at: Date): number {
  const name = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')!.value;
  const match = /([+-])(\d\d):(\d\d)/.exec(name);
  return match ? Number(`${match[1]}1`) * (Number(match[2]) * 60 + Number(match[3])) : 0;
}
