import type { PersonLikeness } from './compare-persons.ts';

/*
 * What the comparison of two persons adds to what their accounts share. All weights are expert priors that were held
 * against sets of records with a known truth (docs/links.md).
 */

/** Equal dates of birth; of near ones, and of near ones beside two unrelated emails. */
const EQUAL_BIRTHS = 0.3;
const NEAR_BIRTHS = 0.29;
const NEAR_BIRTHS_BESIDE_OTHER_EMAILS = 0.2;

/**
 * A near email by itself; one that a slip of the hand explains, beside a name that agrees; and a distinctive local part at a
 * mistyped domain, beside names that do not contradict.
 */
const NEAR_EMAILS = 0.35;
const SLIPPED_EMAILS = 0.6;
const MISTYPED_EMAILS = 0.75;

/** First and last name; one of them alone, and beside two unrelated emails or a date that many accounts share. */
const FULL_NAMES = 0.3;
const HALF_NAMES = 0.29;
const WEAK_HALF_NAMES = 0.25;

/** At most so many accounts may have a date of birth that links beside one part of a name: other people have both. */
export const MAX_SHARING_BIRTH_DATE = 7;

/** So many accounts at most may have a name that counts in full beside a near email or date of birth. */
const MAX_SHARING_NAME = 15;

/** What is left of evidence by names and emails where dates of birth contradict. */
export const CONTRADICTED = 0.7;

/** Weight of two dates of birth, 0 to 0.3. */
export function birthWeight({ births, emails }: PersonLikeness): number {
  if (births === 'equal') return EQUAL_BIRTHS;
  if (births !== 'near') return 0;
  return emails === 'other' ? NEAR_BIRTHS_BESIDE_OTHER_EMAILS : NEAR_BIRTHS;
}

/**
 * Weight of two emails that are near and not equal, 0 to 0.75. Where names contradict it is 0, but beside equal dates of birth
 * or a shared device: who makes up names may forget these.
 */
export function nearEmailWeight(likeness: PersonLikeness, hasDevice: boolean): number {
  const { emails, births } = likeness;
  if (emails !== 'mistyped' && emails !== 'slip' && emails !== 'near') return 0;
  const { names } = likeness;
  const isContradicted = names === 'part' || names === 'contradict';
  if (emails === 'mistyped' && !isContradicted) return MISTYPED_EMAILS;
  if (names === 'full' || names === 'half') return emails === 'near' ? NEAR_EMAILS : SLIPPED_EMAILS;
  return names === 'unknown' || births === 'equal' || hasDevice ? NEAR_EMAILS : 0;
}

/**
 * Weight of two names beside near emails or dates of birth, 0 to 0.3. `sharing`: number of accounts that have the equal
 * name; null for names that are alike. `sharingBirthDate`: number of accounts that have the equal date of birth.
 */
export function likeNameWeight(
  { names, emails, births }: PersonLikeness,
  sharing: number | null,
  sharingBirthDate: number,
): number {
  if (sharing !== null && sharing > MAX_SHARING_NAME) return 0;
  if (names === 'full') return FULL_NAMES;
  if (names !== 'half') return 0;
  const isCommonDate = births === 'equal' && sharingBirthDate > MAX_SHARING_BIRTH_DATE;
  return emails === 'other' || isCommonDate ? WEAK_HALF_NAMES : HALF_NAMES;
}
