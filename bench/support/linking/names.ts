import type { Random } from '../signals/random.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import type { Country } from './countries.ts';

/** A name as in official documents, and another way in which it is written. */
type Word = { full: string; other: string };
export type Name = { first: Word; last: Word };

/** A name as entered in a form. */
export type WrittenName = { firstName: string; lastName: string };

export function drawName(country: Country, random: Random): Name {
  const isFrequent = random.chance(ASSUMPTIONS.frequentLastName);
  const first = random.chance(ASSUMPTIONS.frequentFirstName)
    ? wordOf(frequent(country.firstNames, random))
    : rareFirstName(country, random);
  return {
    first,
    last: isFrequent ? wordOf(frequent(country.lastNames, random)) : rareLastName(country, random),
  };
}

export function writeName({ first, last }: Name): WrittenName {
  return { firstName: first.full, lastName: last.full };
}

/** Another spelling by the same person. */
export function rewriteName({ first, last }: Name, random: Random): WrittenName {
  const way = random.weighted([
    ['short', 35],
    ['plain', 25],
    ['swapped', 12],
    ['middle', 15],
    ['capitals', 13],
  ] as const);
  const isForeign = last.other !== last.full;
  const plain = isForeign
    ? { firstName: first.other, lastName: last.other }
    : { firstName: asciiOf(first.full), lastName: asciiOf(last.full) };
  if (way === 'short') return isForeign ? plain : { firstName: first.other, lastName: last.full };
  if (way === 'swapped') return { firstName: last.full, lastName: first.full };
  if (way === 'middle')
    return { firstName: `${first.full} ${random.pick(['A', 'J', 'M'])}.`, lastName: last.full };
  if (way === 'capitals') return { firstName: first.full.toUpperCase(), lastName: last.full.toUpperCase() };
  return plain;
}

/** In Latin letters without diacritics, as in mailboxes. */
export function latinOf({ first, last }: Name): { first: string; last: string } {
  const of = ({ full, other }: Word) =>
    asciiOf(/\p{Script=Cyrillic}/u.test(full) ? other : full)
      .toLowerCase()
      .replace(/[^a-z]/g, '');
  return { first: of(first), last: of(last) };
}

const LETTERS_WITHOUT_MARKS: Readonly<Record<string, string>> = { ł: 'l', Ł: 'L', ı: 'i', ß: 'ss', ø: 'o' };

function asciiOf(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[łŁıßø]/g, (letter) => LETTERS_WITHOUT_MARKS[letter]!);
}

/** One letter doubled, omitted, swapped with the next, or replaced by an adjacent key. */
export function mistype(text: string, random: Random): string {
  if (text.length < 3) return text;
  const at = random.whole(1, text.length - 2);
  const [before, letter, after] = [text.slice(0, at), text[at]!, text.slice(at + 1)];
  return random.pick([
    before + letter + letter + after,
    before + after,
    before + after[0] + letter + after.slice(1),
    before + random.pick([...'aeinorst']) + after,
  ]);
}

/** The second is half as frequent as the first, the third a third (Zipf), as names are within their top. */
function frequent(values: readonly string[], random: Random): string {
  return random.weighted(values.map((value, rank) => [value, 1 / (rank + 3)] as const));
}

/** Of two of the frequent ones, so that there are some hundreds. */
function rareFirstName(country: Country, random: Random): Word {
  const one = wordOf(random.pick(country.firstNames));
  const two = wordOf(random.pick(country.firstNames));
  return { full: `${one.full}-${two.full}`, other: one.other };
}

function rareLastName(country: Country, random: Random): Word {
  const [stem, ending] = [wordOf(random.pick(country.stems)), wordOf(random.pick(country.endings))];
  return { full: stem.full + ending.full, other: stem.other + ending.other };
}

function wordOf(text: string): Word {
  const [full = '', other = full] = text.split('/');
  return { full, other };
}
