import { createRequire } from 'node:module';
import { isCountryCode } from '@vouchgraph/platform/countries';
import { coordinatesOf } from './coordinates.ts';

type Borders = typeof import('@rapideditor/country-coder');

let borders: Borders | undefined;

/** Loads the borders, which takes 50 ms: the gateway does so at its start, and commands do not need them. */
export function loadBorders(): Borders {
  borders ??= createRequire(import.meta.url)('@rapideditor/country-coder') as Borders;
  return borders;
}

/** ISO 3166 knows only one Cyprus, while the borders set its north apart; this is its Wikidata item. */
const NORTHERN_CYPRUS = 'Q23681';

/**
 * The ISO 3166-1 alpha-2 code of the country or territory (GP, not FR) at a point, coastal waters included; '' on the high
 * seas and for an invalid point. Borders are those of country-coder, which show the governing country.
 */
export function countryOfPoint(latitude: number, longitude: number): string {
  if (!coordinatesOf({ latitude, longitude })) return '';
  const { isIn, iso1A2Code } = loadBorders();
  const code = iso1A2Code([longitude, latitude], { level: 'territory' });
  if (code !== null) return isCountryCode(code) ? code : '';
  return isIn([longitude, latitude], NORTHERN_CYPRUS) ? 'CY' : '';
}
