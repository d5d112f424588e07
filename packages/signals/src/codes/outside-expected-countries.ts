import { type HistoryCode, type SessionTrace, weigh } from '../evidence/evidence.ts';
import { distanceBetweenCountriesKm, distanceToCountryKm } from '../geo/borders.ts';
import { coordinatesOf } from '../geo/coordinates.ts';

/** `0.15 + 0.5 · (1 − e^(−km to the border / 2500))`. */
const EXPECTED_COUNTRY_WEIGHTS = { base: 0.15, most: 0.5, scaleKm: 2500 } as const;

export const outsideExpectedCountries = {
  code: 'outside_expected_countries',
  family: 'network',
  describes:
    'Session outside the expected countries of the account. The weight grows with the distance in km to ' +
    'the nearest border.',
  needs: '`expected_countries` of the account; location of the session; borders of countries',
  limits: 'Forgery by itself: customers travel.',
  weights: { locationSpoofing: EXPECTED_COUNTRY_WEIGHTS.base + EXPECTED_COUNTRY_WEIGHTS.most },
  evaluate({ session, expectedCountries }) {
    const nearest = nearestCountry(session, expectedCountries);
    if (!nearest) return null;
    const { base, most, scaleKm } = EXPECTED_COUNTRY_WEIGHTS;
    const weight = base + most * (1 - Math.exp(-nearest.km / scaleKm));
    const where = session.countryCode === '' ? '' : `in ${session.countryCode}, `;
    return {
      code: 'outside_expected_countries',
      family: 'network',
      group: 'expected_countries',
      ...weigh({ locationSpoofing: weight }, 1),
      confidence: 1,
      source: 'expected_countries',
      sourceAsOf: null,
      observed: `${where}${Math.round(nearest.km)} km from ${nearest.countryCode}`,
    };
  },
} satisfies HistoryCode;

type Nearest = { countryCode: string; km: number };

/** null inside one of them, and when no distance is known. */
function nearestCountry(session: SessionTrace, expected: readonly string[]): Nearest | null {
  if (expected.includes(session.countryCode)) return null;
  const place = coordinatesOf(session);
  const distances = expected.flatMap((countryCode) => {
    const km = place
      ? distanceToCountryKm(place.latitude, place.longitude, countryCode)
      : distanceBetweenCountriesKm(session.countryCode, countryCode);
    return km === null ? [] : { countryCode, km };
  });
  const [first] = distances.sort((a, b) => a.km - b.km);
  // A place on the border of a country is in it; countries that share a border are not.
  return !first || (place && first.km === 0) ? null : first;
}
