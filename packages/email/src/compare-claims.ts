import { readPhone } from '@vouchgraph/persons';
import { compareNames } from './compare-names.ts';
import type { ClaimMatch } from './email-assessment.ts';
import type { EmailClaims } from './email-evidence.ts';

/** Known facts of the owner of an address, for the comparison with claims. */
export type KnownOwner = {
  /** Full names, each with its parts in any order. */
  readonly names: readonly string[];
  /** Phones in any spelling; digits may be masked, as in +1•••••••71. */
  readonly phones: readonly string[];
  /** ISO 3166-1 alpha-2. */
  readonly countries: readonly string[];
  /** Local part of the address. */
  readonly localPart: string;
  readonly at: Date;
};

export type ComparedClaims = {
  readonly name: ClaimMatch;
  readonly phone: ClaimMatch;
  readonly country: ClaimMatch;
  /** −1 (all claims agree) to 1 (none does), 4 decimals; null when nothing could be compared. */
  readonly riskScore: number | null;
};

/** Number of equal last digits from which two numbers are probably equal if the country of one is unknown. */
const MIN_COMMON_DIGITS = 7;
/** Fewer visible digits of a masked number agree by chance too often. */
const MIN_VISIBLE_DIGITS = 2;
const MASK = /[*•·●∙_?#]|x{2,}/i;

/**
 * Weights of the claims, as expert priors with a sum of 1. A different name is the strongest sign of a borrowed address.
 * People move and travel, so the country weighs least.
 */
const WEIGHTS = { name: 0.5, phone: 0.3, country: 0.2 } as const;
const RISK: Record<ClaimMatch, number> = { match: -1, partial_match: -0.5, no_match: 1, skipped: 0 };

/**
 * Compares claims about the owner of an address with known facts. The risk score is the sum of the weights of differing
 * claims minus the weights of matching claims. A partly matching claim counts half, a skipped one zero.
 */
export function compareClaims(claims: EmailClaims | null, known: KnownOwner): ComparedClaims {
  if (claims === null) return { name: 'skipped', phone: 'skipped', country: 'skipped', riskScore: null };
  const name = compareNames(claims, known.names, known.localPart);
  const phone = comparePhones(claims, known.phones);
  const country = compareCountries(claims.country, known.countries);
  return { name, phone, country, riskScore: riskOf({ name, phone, country }) };
}

function riskOf(matches: Record<keyof typeof WEIGHTS, ClaimMatch>): number | null {
  const compared = (['name', 'phone', 'country'] as const).filter((claim) => matches[claim] !== 'skipped');
  if (compared.length === 0) return null;
  const risk = compared.reduce((sum, claim) => sum + WEIGHTS[claim] * RISK[matches[claim]], 0);
  return Math.round(risk * 10_000) / 10_000;
}

function comparePhones(claims: EmailClaims, phones: readonly string[]): ClaimMatch {
  const country = claims.country.trim().toUpperCase();
  const countries = country === '' ? [] : [country];
  const claimed = readPhone(claims.phone, countries).matchKey;
  if (claimed === '') return 'skipped';
  const matches = phones.map((phone) => comparePhone(claimed, phone, countries));
  return (
    (['match', 'partial_match', 'no_match'] as const).find((each) => matches.includes(each)) ?? 'skipped'
  );
}

function comparePhone(claimed: string, phone: string, countries: readonly string[]): ClaimMatch {
  if (MASK.test(phone)) return compareMasked(claimed.replace(/\D/g, ''), phone.normalize('NFKC'));
  if (phone === claimed) return 'match';
  const known = readPhone(phone, countries).matchKey;
  if (known === '') return 'skipped';
  if (known === claimed) return 'match';
  return isSameSubscriber(claimed, known) ? 'partial_match' : 'no_match';
}

/** Whether two numbers are equal except for a missing country code in one of them. */
function isSameSubscriber(one: string, other: string): boolean {
  if (one.startsWith('+') && other.startsWith('+')) return false;
  const [short, long] = [one, other]
    .map((key) => key.replace(/^\+?0*/, ''))
    .sort((a, b) => a.length - b.length);
  return short!.length >= MIN_COMMON_DIGITS && long!.endsWith(short!);
}

function compareMasked(claimed: string, masked: string): ClaimMatch {
  const end = /[\d\s().-]*$/.exec(masked)![0].replace(/\D/g, '');
  const start = /^[\d\s().+-]*/.exec(masked)![0].replace(/\D/g, '');
  if (end.length + start.length < MIN_VISIBLE_DIGITS) return 'skipped';
  // A claim without a country code does not contain the country code of a masked number.
  const agrees = claimed.endsWith(end) && (end.length >= MIN_VISIBLE_DIGITS || claimed.startsWith(start));
  const contradicts = start !== '' && !claimed.startsWith(start) && !claimed.startsWith('0');
  return agrees && !contradicts ? 'partial_match' : 'no_match';
}

function compareCountries(claimed: string, countries: readonly string[]): ClaimMatch {
  const country = claimed.trim().toUpperCase();
  if (country === '' || countries.length === 0) return 'skipped';
  return countries.some((known) => known.toUpperCase() === country) ? 'match' : 'no_match';
}
