import type { Unknown } from './rest-form.ts';

/* Descriptions of the schema in the words of REST: its keys, its words of enums, its unknown values. */

const NAME = /\b[A-Za-z][A-Za-z0-9_]+\b/g;
// An answer of REST has one error, which its operation describes.
const ERRORS = /\s*\bErrors: .*?\.(?=\s|$)/g;
const NULL_SENTENCE = /\s*\bNull .*?\.(?=\s|$)/g;

/** The description of a field. `names` has what REST calls fields and words of enums. */
export function restDescription(
  description: string,
  unknown: Unknown,
  names: ReadonlyMap<string, string> = new Map(),
): string {
  const named = description.replace(ERRORS, '').replace(NAME, (name) => names.get(name) ?? name);
  if (unknown === 'null') return named;
  if (unknown === 'never') return named.replace(NULL_SENTENCE, '');
  return named.replace(/\bnull\b/g, unknown).replace(/\bNull\b/g, unknown === 'empty' ? 'Empty' : 'Absent');
}

const NUMBER = '-?\\d+(?:\\.\\d+)?';
const RANGE = new RegExp(`(${NUMBER})(?: \\([a-z]+\\))? to (\\d{1,3}(?:,\\d{3})+|${NUMBER})`);
const COUNT = /^Number of /;
const LOWER = new RegExp(`(${NUMBER}) or more`);

/** The limits of a number that its description states: "0 to 1", "-1 (trust) to 1 (risk)", "0 or more" or "Number of". */
export function limitsOf(description: string): { minimum?: number; maximum?: number } {
  const [, minimum, maximum] = RANGE.exec(description) ?? LOWER.exec(description) ?? [];
  if (COUNT.test(description) && minimum === undefined) return { minimum: 0 };
  return {
    ...(minimum === undefined ? {} : { minimum: Number(minimum) }),
    ...(maximum === undefined ? {} : { maximum: Number(maximum.replaceAll(',', '')) }),
  };
}
