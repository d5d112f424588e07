import { countryCodeHint, isCountryCode } from '@vouchgraph/platform/countries';
import { countries } from 'countries-list';
import { foldName } from './column-names.ts';

let codes: Map<string, string> | undefined;

/** English and own names of countries, folded. */
function codesByName(): Map<string, string> {
  codes ??= new Map(
    Object.entries(countries).flatMap(([code, { name, native }]) => [
      [foldName(name), code],
      [foldName(native), code],
    ]),
  );
  return codes;
}

/** The ISO 3166-1 alpha-2 code of a country by its code of two or three letters, or its English or own name; '' when unknown. */
export function countryOfCell(cell: string): string {
  const text = cell.trim();
  if (text === '') return '';
  const upper = text.toUpperCase();
  if (isCountryCode(upper)) return upper;
  const hinted = text.length <= 3 ? (countryCodeHint(upper)?.slice(-2) ?? '') : '';
  return hinted !== '' ? hinted : (codesByName().get(foldName(text)) ?? '');
}
