import nicknames from '../data/nicknames.json' with { type: 'json' };
import { foldedWord } from './name-words.ts';

/**
 * Given names by language, each with its short and pet forms, in ASCII and lower case. Names that merely translate each other
 * (John, Juan) are no entry: they are different names of one origin. Forms that belong to several names are listed under each of
 * them.
 */
const FORMS_BY_LANGUAGE: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = nicknames;

/** A given name with one of its short forms. */
export type NicknamePair = { readonly name: string; readonly short: string };

/** Every given name of the table with each of its short forms. */
export const NICKNAME_PAIRS: readonly NicknamePair[] = Object.values(FORMS_BY_LANGUAGE).flatMap((names) =>
  Object.entries(names).flatMap(([name, shorts]) => shorts.map((short) => ({ name, short }))),
);

const shortForms = new Map<string, string[]>();
/** Long names of a word; a long name includes itself. */
const longNames = new Map<string, string[]>();
for (const pair of NICKNAME_PAIRS) {
  const [name, short] = [foldedWord(pair.name), foldedWord(pair.short)];
  addTo(shortForms, name, short);
  addTo(longNames, name, name);
  addTo(longNames, short, name);
}

/**
 * Whether two given names, as `foldedWord` writes them, are one name in a long and a short form, or two short forms of
 * one name: Robert and Bob, Rob and Bob.
 */
export function isSameGivenName(one: string, other: string): boolean {
  if (one === other) return true;
  const names = longNames.get(one);
  const others = names && longNames.get(other);
  return others !== undefined && names!.some((name) => others.includes(name));
}

/** A folded given name with all its equivalent forms, itself first. */
export function formsOfGivenName(word: string): readonly string[] {
  const names = longNames.get(word) ?? [];
  return [...new Set([word, ...names.flatMap((name) => [name, ...shortForms.get(name)!])])];
}

function addTo(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (!list) lists.set(key, [value]);
  else if (!list.includes(value)) list.push(value);
}
