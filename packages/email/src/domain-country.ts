import { domainToASCII } from 'node:url';
import { isCountryCode } from '@vouchgraph/platform/countries';
import suffixes from '../data/country-suffixes.json' with { type: 'json' };

/** Country-code domains that are mostly used as a word or an abbreviation, or were free of charge: no country. */
export const GENERIC_COUNTRY_SUFFIXES: ReadonlySet<string> = new Set(suffixes.generic);

/** Countries of .uk and of top-level domains in other scripts. */
const OTHER_SUFFIXES: Readonly<Record<string, string>> = { uk: 'GB', ...inAscii(suffixes.countries) };

/**
 * Country of a domain's country-code top-level domain, ISO 3166-1 alpha-2; null for other top-level domains and those in
 * generic use.
 */
export function countryOfDomain(domain: string): string | null {
  const suffix = domain.slice(domain.lastIndexOf('.') + 1);
  const other = Object.hasOwn(OTHER_SUFFIXES, suffix) ? OTHER_SUFFIXES[suffix]! : null;
  if (other !== null || suffix.length !== 2 || GENERIC_COUNTRY_SUFFIXES.has(suffix)) return other;
  const code = suffix.toUpperCase();
  return isCountryCode(code) ? code : null;
}

function inAscii(suffixesOf: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  const pairs = Object.entries(suffixesOf).flatMap(([country, written]) =>
    written.map((suffix) => [domainToASCII(suffix), country] as const),
  );
  return Object.fromEntries(pairs);
}
