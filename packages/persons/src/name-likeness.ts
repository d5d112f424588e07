/** Two words this near are one name in two spellings. */
const NEAR = 0.92;
/** Two words that sound alike may be this far apart. */
const NEAR_IN_SOUND = 0.84;
/** In shorter words one letter is too much of the name: Li is not Lin. */
const MIN_LETTERS = 3;
/** Letters at the beginning that count for more, by the definition of Jaro-Winkler. */
const MAX_PREFIX = 4;
const PREFIX_SHARE = 0.1;

/** Whether two words in ASCII lower case are one name in two spellings: Jon and John, Mohammed and Muhammad. */
export function isLikeName(one: string, other: string): boolean {
  if (one === other) return true;
  if (Math.min(one.length, other.length) < MIN_LETTERS || haveOtherEndings(one, other)) return false;
  const likeness = jaroWinkler(one, other);
  return likeness >= NEAR || (likeness >= NEAR_IN_SOUND && soundOf(one) === soundOf(other));
}

/** Family names that have an a for women: Ivanov and Ivanova, Kowalski and Kowalska are one family. */
const FAMILY_ENDING = /(?:[oe]v|sk)[a-z]{0,3}$/;

/** Whether the endings make two names of one stem: Mario and Maria, Daniel and Daniela, Andre and Andrea. */
function haveOtherEndings(one: string, other: string): boolean {
  const [a, b] = [endingOf(one), endingOf(other)];
  if (a === b || (FAMILY_ENDING.test(one) && FAMILY_ENDING.test(other))) return false;
  return a === 'a' || b === 'a' || (a !== '' && b !== '');
}

/** Initials and `Al` are cut off before an a; Jan and Jana are two names. */
const MIN_MASCULINE = 3;

/** Whether a word is another name with an added a: Robert and Roberta. Ivanov and Ivanova are one family. */
export function isFeminineForm(short: string, long: string): boolean {
  return short.length >= MIN_MASCULINE && long === `${short}a` && !FAMILY_ENDING.test(short);
}

/** The last letter where it is a, e or o; Sarah ends as Sara does. */
function endingOf(word: string): string {
  return /([aeo])h?$/.exec(word)?.[1] ?? '';
}

/** Jaro-Winkler similarity, 0..1. */
export function jaroWinkler(one: string, other: string): number {
  // The greedy search for common letters depends on which word is searched first.
  const [a, b] = one < other ? [one, other] : [other, one];
  const jaro = jaroSimilarity(a, b);
  let prefix = 0;
  while (prefix < MAX_PREFIX && prefix < a.length && a[prefix] === b[prefix]) prefix++;
  return jaro + prefix * PREFIX_SHARE * (1 - jaro);
}

/** By the letters of each word with a near match in the other, and the number of them in another order. */
function jaroSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const reach = Math.max(0, (Math.max(a.length, b.length) >> 1) - 1);
  const inOther = new Uint8Array(b.length);
  let common = '';
  for (let at = 0; at < a.length; at++) {
    const end = Math.min(b.length - 1, at + reach);
    for (let place = Math.max(0, at - reach); place <= end; place++) {
      if (inOther[place] === 1 || a.charCodeAt(at) !== b.charCodeAt(place)) continue;
      inOther[place] = 1;
      common += a[at];
      break;
    }
  }
  const { length } = common;
  if (length === 0) return 0;
  let moved = 0;
  let next = 0;
  for (let place = 0; place < b.length; place++) {
    if (inOther[place] === 1 && b.charCodeAt(place) !== common.charCodeAt(next++)) moved++;
  }
  return (length / a.length + length / b.length + (length - moved / 2) / length) / 3;
}

/** Rules of Metaphone in the order they apply. Consonants that they have not written yet are in lower case. */
const SOUND_RULES: readonly (readonly [RegExp, string])[] = [
  [/^[kgp]n/, 'n'],
  [/^wr/, 'r'],
  [/^x/, 's'],
  [/^wh/, 'w'],
  [/mb$/, 'm'],
  [/([abd-z])\1+/g, '$1'],
  [/sch/g, 'SK'],
  [/tch|ch|cia/g, 'X'],
  [/s?c(?=[iey])/g, 'S'],
  [/ck|c|q/g, 'K'],
  [/dg(?=[eiy])/g, 'J'],
  [/gh(?![aeiou])|g(?=n(?:ed)?$)/g, ''],
  [/g(?=[eiy])/g, 'J'],
  [/sh|s(?=i[oa])|t(?=i[oa])/g, 'X'],
  [/th/g, '0'],
  [/ph|v/g, 'F'],
  [/(?<=[aeiou])h(?![aeiou])/g, ''],
  [/x/g, 'KS'],
  [/z/g, 'S'],
  [/d/g, 'T'],
  [/w(?![aeiou])|y(?![aeiou])/g, ''],
  [/(?!^)[aeiou]/g, ''],
];

/** A simplified Metaphone: words that are spoken alike in English have one. */
export function soundOf(word: string): string {
  let sound = word;
  for (const [pattern, replacement] of SOUND_RULES) sound = sound.replace(pattern, replacement);
  return sound.toUpperCase().replace(/(.)\1+/g, '$1');
}
