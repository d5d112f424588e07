import {
  distinctWords,
  foldedWord,
  foldedWords,
  formsOfGivenName,
  isLikeName,
  isSameGivenName,
} from '@vouchgraph/persons';
import type { ClaimMatch } from './email-assessment.ts';
import type { EmailClaims } from './email-evidence.ts';
import { containsName } from './local-part-name.ts';

/** Maximum number of known names to compare. No person has as many. */
const MAX_NAMES = 100;
/** Words that may be written as one, as in De La Cruz and Delacruz. */
const MAX_JOINED = 3;
/** Single names of this length occur in local parts by chance. */
const MIN_LETTERS_IN_LOCAL_PART = 3;

/** Match of a word of a name: complete, by its initial, or none. */
type Found = 'word' | 'initial' | null;
/** A part of a known name: some of its words, written as one, with their indexes. */
type Part = { readonly text: string; readonly indexes: readonly number[] };
/** All words of a claimed name, and those of its one or two parts. */
type ClaimedName = { readonly words: readonly string[]; readonly parts: readonly (readonly string[])[] };

/**
 * Compares a claimed name with known ones. `match`: first and last name agree, in any order and spelling, also by a
 * short form. `partial_match`: one of them agrees, or one of them by its initial, or the local part of the address
 * contains the name. `no_match`: names are known and none of them agrees.
 */
export function compareNames(
  claims: Pick<EmailClaims, 'firstName' | 'lastName'>,
  names: readonly string[],
  localPart: string,
): ClaimMatch {
  const claimed = claimedName(claims.firstName, claims.lastName);
  if (claimed.words.length === 0) return 'skipped';
  const known = names
    .slice(0, MAX_NAMES)
    .map(foldedWords)
    .filter((words) => words.length > 0);
  const matches = known.map((words) => compareName(claimed, words));
  if (matches.includes('match')) return 'match';
  if (matches.includes('partial_match') || isInLocalPart(claimed, localPart)) return 'partial_match';
  return known.length > 0 ? 'no_match' : 'skipped';
}

function claimedName(first: string, last: string): ClaimedName {
  const words = foldedWords(`${first} ${last}`);
  const both = [first, last].map(wordsOf).filter((part) => part.length > 0);
  if (both.length === 2) return { words, parts: both };
  // A name in one field is split before its last word.
  const all = distinctWords(`${first} ${last}`);
  return { words, parts: all.length > 1 ? [all.slice(0, -1), all.slice(-1)] : [all] };
}

/** Distinctive words of a part of a name, and all its words as one. */
function wordsOf(name: string): readonly string[] {
  const words = foldedWords(name);
  return words.length > 1 ? [...distinctWords(name), foldedWord(words.join(''))] : words;
}

function compareName(claimed: ClaimedName, words: readonly string[]): ClaimMatch {
  if (isSameName(claimed.words, words)) return 'match';
  const known = partsOf(words);
  const [first = [], second] = claimed.parts;
  if (second !== undefined) return compareBoth(first, second, known);
  return known.some((part) => foundAs(first, part) === 'word') ? 'partial_match' : 'no_match';
}

/** Whether two names have the same words, or are equal as one word, as scripts without spaces are transliterated. */
function isSameName(one: readonly string[], other: readonly string[]): boolean {
  if ([...one].sort().join(' ') === [...other].sort().join(' ')) return true;
  const asOneWord = rotations(other);
  return rotations(one).some((word) => asOneWord.includes(word));
}

function rotations(words: readonly string[]): string[] {
  return words.map((_, at) => foldedWord([...words.slice(at), ...words.slice(0, at)].join('')));
}

function compareBoth(
  first: readonly string[],
  second: readonly string[],
  known: readonly Part[],
): ClaimMatch {
  let best: ClaimMatch = 'no_match';
  for (const one of known) {
    const asFirst = foundAs(first, one);
    if (asFirst === 'word' || foundAs(second, one) === 'word') best = 'partial_match';
    if (asFirst === null) continue;
    for (const other of known) {
      const asSecond = isApart(one, other) ? foundAs(second, other) : null;
      if (asFirst === 'word' && asSecond === 'word') return 'match';
      if (asSecond !== null) best = 'partial_match';
    }
  }
  return best;
}

function isApart(one: Part, other: Part): boolean {
  return !one.indexes.some((index) => other.indexes.includes(index));
}

/** Whether one of a claimed name's words is a part of a known name. */
function foundAs(claimed: readonly string[], { text }: Part): Found {
  if (claimed.some((word) => word.length > 1 && text.length > 1 && isSameWord(word, text))) return 'word';
  const isInitial = claimed.some((word) => Math.min(word.length, text.length) === 1 && word[0] === text[0]);
  return isInitial ? 'initial' : null;
}

function isSameWord(one: string, other: string): boolean {
  return isLikeName(one, other) || isSameGivenName(one, other);
}

/** Words that follow each other; the first one follows the last, since the parts of a name have any order. */
function partsOf(words: readonly string[]): Part[] {
  const parts: Part[] = [];
  for (let length = 1; length <= Math.min(MAX_JOINED, words.length); length++) {
    for (let from = 0; from < words.length; from++) {
      const indexes = Array.from({ length }, (_, place) => (from + place) % words.length);
      const text = indexes.map((index) => words[index]!).join('');
      parts.push({ text: length > 1 ? foldedWord(text) : text, indexes });
    }
  }
  return parts;
}

/** Whether the local part contains a claimed name, or a short form of the first name. */
function isInLocalPart(claimed: ClaimedName, localPart: string): boolean {
  const [first = [], second] = claimed.parts;
  if (second === undefined)
    return foldedWords(localPart).some((word) => isLongEnough(word) && first.includes(word));
  const forms = first.flatMap(formsOfGivenName);
  const orders = [[forms, second] as const, [first, second.flatMap(formsOfGivenName)] as const];
  return orders.some(([one, other]) =>
    one.some((given) => other.some((family) => containsName(localPart, given, family))),
  );
}

function isLongEnough(word: string): boolean {
  return word.length >= MIN_LETTERS_IN_LOCAL_PART;
}
