import { countries, type ICountry } from 'countries-list';
// The package's entry point also loads its names in 70 languages; the codes alone are in this file.
import { alpha3ToAlpha2, getAlpha2Codes } from 'i18n-iso-countries/index.js';

const ALPHA_2 = new Set(Object.keys(getAlpha2Codes()));

/** Codes in common use that ISO 3166-1 reserves or never assigned, with the assigned one. */
const MISTAKEN_CODES: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' };

/**
 * True for an ISO 3166-1 alpha-2 code in upper case, and for XK: ISO leaves it to its users, and location data, banks
 * and the European Union all mean Kosovo by it.
 */
export function isCountryCode(code: string): boolean {
  return ALPHA_2.has(code);
}

/** What to send instead of a code that is not one (`UK`, `USA`, `us`); null when that cannot be told. */
export function countryCodeHint(code: string): string | null {
  const upper = code.trim().toUpperCase();
  if (isCountryCode(code)) return null;
  if (isCountryCode(upper)) return `use ${upper}`;
  const meant = Object.hasOwn(MISTAKEN_CODES, upper) ? MISTAKEN_CODES[upper] : alpha3ToAlpha2(upper);
  return meant ? `use ${meant}` : null;
}

/**
 * The continent's two letters (EU, NA …), or '' when unknown. Takes also the reserved codes AC and TA.
 */
export function continentOf(code: string): string {
  if (!Object.hasOwn(countries, code)) return '';
  return (countries as Record<string, ICountry>)[code]!.continent;
}
