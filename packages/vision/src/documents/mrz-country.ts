import { alpha3ToAlpha2 } from 'i18n-iso-countries/index.js';

/** Codes of ICAO Doc 9303 that are not in ISO 3166-1, with their country; '' for none. */
const ICAO_CODES: Readonly<Record<string, string>> = {
  D: 'DE',
  GBD: 'GB',
  GBN: 'GB',
  GBO: 'GB',
  GBP: 'GB',
  GBS: 'GB',
  RKS: 'XK',
  EUE: '',
  UNO: '',
  UNA: '',
  UNK: '',
  UTO: '',
  XOM: '',
  XPO: '',
  XXA: '',
  XXB: '',
  XXC: '',
  XXX: '',
};

/** Three letters of a zone, fillers included, as ISO 3166-1 alpha-2; '' for no country, null for an unknown code. */
export function mrzCountry(code: string): string | null {
  const letters = code.replace(/<+$/, '');
  if (Object.hasOwn(ICAO_CODES, letters)) return ICAO_CODES[letters]!;
  // Only German passports use one letter; the three letters of ISO are not used in zones.
  return letters.length === 3 && letters !== 'DEU' ? (alpha3ToAlpha2(letters) ?? null) : null;
}
