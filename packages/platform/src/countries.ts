import { countries, type ICountry } from 'countries-list';
// This file has the codes only; the entry point of the package also loads names in 70 languages.
import { alpha3ToAlpha2, getAlpha2Codes } from 'i18n-iso-countries/index.js';

const ALPHA_2 = new Set(Object.keys(getAlpha2Codes()));

/** Commonly used codes that are reserved or unassigned in ISO 3166-1, with the assigned code. */
const MISTAKEN_CODES: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' };

/**
 * True for an ISO 3166-1 alpha-2 code in upper case, and for XK, a user-assigned code that location data, banks and the European
 * Union use for Kosovo.
 */
export function isCountryCode(code: string): boolean {
  return ALPHA_2.has(code);
}

/** Hint for an invalid code (`UK`, `USA`, `us`); null when no valid code is known for it. */
export function countryCodeHint(code: string): string | null {
  const upper = code.trim().toUpperCase();
  if (isCountryCode(code)) return null;
  if (isCountryCode(upper)) return `use ${upper}`;
  const meant = Object.hasOwn(MISTAKEN_CODES, upper) ? MISTAKEN_CODES[upper] : alpha3ToAlpha2(upper);
  return meant ? `use ${meant}` : null;
}

/**
 * Two-letter code of the continent (EU, NA …); '' when unknown. Also accepts the reserved codes AC and TA.
 */
export function continentOf(code: string): string {
  if (!Object.hasOwn(countries, code)) return '';
  return (countries as Record<string, ICountry>)[code]!.continent;
}
