import type { PersonLikeness } from './compare-persons.ts';

/*
 * Evidence of the comparison of two persons, in addition to shared identifiers. All weights are expert priors, checked against
 * sets of labeled records (docs/links.md).
 */

/** Weights of equal dates of birth, of near ones, and of near ones beside two unrelated emails. */
const EQUAL_BIRTHS = 0.3;
const NEAR_BIRTHS = 0.29;
const NEAR_BIRTHS_BESIDE_OTHER_EMAILS = 0.2;

/**
 * Weights of near emails: alone; with a typing error beside a name that agrees; and with a distinctive local part at a
 * mistyped large provider beside names that do not contradict.
 */
const NEAR_EMAILS = 0.35;
const SLIPPED_EMAILS = 0.6;
const MISTYPED_EMAILS = 0.75;

/** Weights of names: first and last name; one of them; and one of them beside unrelated emails or a date of many accounts. */
const FULL_NAMES = 0.3;
const HALF_NAMES = 0.29;
const WEAK_HALF_NAMES = 0.25;

/** Maximum number of accounts of a date of birth that links beside one part of a name: unrelated people share both. */
export const MAX_SHARING_BIRTH_DATE = 7;

/** Maximum number of accounts of a name that counts in full beside a near email or date of birth. */
const MAX_SHARING_NAME = 15;

/** Factor of the evidence by names and emails when dates of birth contradict. */
export const CONTRADICTED = 0.7;

/** Maximum score of accounts whose dates of birth or suffixes contradict and that share no exact identifier: below a link. */
export const MAX_CONTRADICTED_SCORE = 0.49;

/**
 * Weight of two dates of birth, 0 to 0.3. Near dates of different first names are those of two people: siblings, or a
 * couple.
 */
export function birthWeight({ births, emails, haveOtherFirstNames }: PersonLikeness): number {
  if (births === 'equal') return EQUAL_BIRTHS;
  if (births !== 'near' || haveOtherFirstNames) return 0;
  return emails === 'other' ? NEAR_BIRTHS_BESIDE_OTHER_EMAILS : NEAR_BIRTHS;
}

/**
 * Weight of two near, unequal emails, 0 to 0.75, by the share of their letters that agree. It is 0 when names contradict, except
 * beside equal dates of birth or a shared device: a user who invents names may keep these.
 */
export function nearEmailWeight(likeness: PersonLikeness, hasDevice: boolean): number {
  return nearEmailBase(likeness, hasDevice) * likeness.emailShare;
}

function nearEmailBase(likeness: PersonLikeness, hasDevice: boolean): number {
  const { emails, births } = likeness;
  if (emails !== 'mistyped' && emails !== 'slip' && emails !== 'near') return 0;
  const { names } = likeness;
  const isContradicted = names === 'part' || names === 'contradict';
  if (emails === 'mistyped' && !isContradicted) return MISTYPED_EMAILS;
  if (names === 'full' || names === 'half') return emails === 'near' ? NEAR_EMAILS : SLIPPED_EMAILS;
  return names === 'unknown' || births === 'equal' || hasDevice ? NEAR_EMAILS : 0;
}

/**
 * Weight of two names beside near emails or dates of birth, 0 to 0.3. `sharing`: number of accounts with the equal name; null
 * for similar names. `sharingBirthDate`: number of accounts with the equal date of birth.
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
