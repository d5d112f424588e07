import type { FieldSynonyms } from './catalogue.ts';

/** Words that do not distinguish fields. */
const FILLERS: ReadonlySet<string> = new Set(['is', 'has', 'num', 'number', 'count', 'total', 'of', 'the']);

/** Likenesses: of a suggested field, of a likely one, and of an equally likely one as a share of the highest. */
const MIN_LIKENESS = 0.2;
const CLOSE = 0.4;
const EQUALLY = 0.9;
const MAX_FIELDS = 3;

/**
 * The fields that have the most words in common with a name in snake case, the most similar first: of the group that the name
 * begins with, or else of any. Rare words count more than frequent ones. `groups`: other words for the first part of names.
 * `isClose`: most words of the name are words of the field.
 */
export function fieldsWithWords(
  name: string,
  fields: readonly string[],
  groups: FieldSynonyms['groups'],
): { fields: readonly string[]; isClose: boolean } {
  const known = fields.map((field) => ({ field, words: wordsOf(field, groups) }));
  const weightOf = (word: string) =>
    Math.log((1 + known.length) / (1 + known.filter(({ words }) => words.has(word)).length));
  const wanted = wordsOf(name, groups);
  const ranked = known
    .map(({ field, words }) => ({ field, likeness: likenessOf(wanted, words, weightOf) }))
    .filter(({ field, likeness }) => likeness >= MIN_LIKENESS && hasMoreThanGroup(wanted, field, groups))
    .sort((a, b) => b.likeness - a.likeness);
  const group = name.slice(0, name.indexOf('.') + 1);
  const own = group === '' ? [] : ranked.filter(({ field }) => field.startsWith(group));
  const among = own.length > 0 ? own : ranked;
  const highest = among[0]?.likeness ?? 0;
  const best = among.filter(({ likeness }) => likeness >= highest * EQUALLY).slice(0, MAX_FIELDS);
  return { fields: best.map(({ field }) => field), isClose: highest >= CLOSE };
}

/** Whether a common word is not the group of the field, as `account`. */
function hasMoreThanGroup(
  wanted: ReadonlySet<string>,
  field: string,
  groups: FieldSynonyms['groups'],
): boolean {
  return [...wordsOf(field.slice(field.indexOf('.') + 1), groups)].some((word) => wanted.has(word));
}

/** Weight of the common words as a share of the weight of all words. */
function likenessOf(
  wanted: ReadonlySet<string>,
  words: ReadonlySet<string>,
  weightOf: (word: string) => number,
): number {
  const sum = (each: Iterable<string>) => [...each].reduce((total, word) => total + weightOf(word), 0);
  return sum([...wanted].filter((word) => words.has(word))) / sum(new Set([...wanted, ...words]));
}

/** Words without plurals and fillers. */
function wordsOf(name: string, groups: FieldSynonyms['groups']): ReadonlySet<string> {
  const words = name.split(/[._]/).map((word) => groups[word] ?? singular(word));
  return new Set(words.filter((word) => word !== '' && !FILLERS.has(word)));
}

function singular(word: string): string {
  return word.length > 3 ? word.replace(/(?<!s)s$/, '') : word;
}
