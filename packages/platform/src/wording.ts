import { z } from 'zod';

/*
 * Error texts of invalid values, one per kind of error. A text follows the field name and states accepted values:
 * "first: must be between 1 and 100".
 */

/** Text for a number outside of its range. */
export function betweenText(min: number, max: number): string {
  return `must be between ${min} and ${max}`;
}

/** Text for a value that must be an integer within a range. */
export function wholeText(min: number, max = Number.POSITIVE_INFINITY): string {
  return max === Number.POSITIVE_INFINITY
    ? `must be a whole number of at least ${min}`
    : `must be a whole number between ${min} and ${max}`;
}

/** Text for a list with too many entries. */
export function tooManyText(max: number): string {
  return `must have at most ${entries(max)}`;
}

/** Text for a list with too few entries. */
export function tooFewText(min: number): string {
  return `must have at least ${entries(min)}`;
}

/** Text for a value that must be one of a set. */
export function oneOfText(values: readonly unknown[]): string {
  return values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.join(', ')}`;
}

/** Text for a timestamp that must be in the future. */
export const PAST_TEXT = 'must be later than now';

/** Text for an id or name that URL libraries remove from paths. */
export const DOT_SEGMENT_TEXT = 'must not be . or ..';

/** A number within a range. */
export function numberBetween(min: number, max: number) {
  const text = betweenText(min, max);
  return z.number().min(min, text).max(max, text);
}

/** An integer within a range. */
export function wholeBetween(min: number, max: number) {
  const text = wholeText(min, max);
  return z.number().int(text).min(min, text).max(max, text);
}

const TYPE_TEXTS: Readonly<Record<string, string>> = {
  string: 'must be text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
  date: 'must be a timestamp',
};

const FORMAT_TEXTS: Readonly<Record<string, string>> = {
  url: 'must be a URL such as https://id.example.com',
  datetime: 'must be an ISO 8601 timestamp',
  uuid: 'must be a UUID',
};

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

/** Text of an issue found by a schema; undefined for issues with their own text. */
function textOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'required' : TYPE_TEXTS[issue.expected];
    case 'invalid_value':
      return oneOfText(issue.values);
    case 'invalid_format':
      return FORMAT_TEXTS[issue.format];
    case 'too_big':
      return textOfSize(issue.origin, 'most', Number(issue.maximum));
    case 'too_small':
      return textOfSize(issue.origin, 'least', Number(issue.minimum));
    case 'unrecognized_keys':
      return `unknown field ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
    default:
      return undefined;
  }
}

function textOfSize(origin: string, bound: 'most' | 'least', limit: number): string {
  if (origin === 'array') return bound === 'most' ? tooManyText(limit) : tooFewText(limit);
  if (origin !== 'string') return `must be at ${bound} ${limit}`;
  return bound === 'least' && limit === 1 ? 'must not be empty' : `must be at ${bound} ${limit} characters`;
}

// All schemas of this process use these texts unless they have their own.
z.config({ customError: textOf });
