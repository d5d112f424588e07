import { isUuid } from '@vouchgraph/platform/ids';
import { parseTimestamp, TIMESTAMP_TEXT, timestampProblem } from '@vouchgraph/platform/timestamp';
import { InvalidArgumentError } from 'commander';

/* Options that several commands have, and readers of their values. */

/** The option for JSON output. */
export const JSON_OPTION = ['--json', 'print JSON instead of text'] as const;

/** Reads one of the values. */
export function oneOf<T extends string>(values: readonly T[]) {
  return (value: string): T => {
    if (values.includes(value as T)) return value as T;
    throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`);
  };
}

/** Reads a number within bounds. */
export function numberBetween(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value);
    if (value.trim() !== '' && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be between ${min} and ${max}.`);
  };
}

/** Parses an integer within bounds. */
export function wholeBetween(min: number, max: number) {
  const within = numberBetween(min, max);
  return (value: string): number => {
    const number = within(value);
    if (Number.isInteger(number)) return number;
    throw new InvalidArgumentError(`It must be a whole number between ${min} and ${max}.`);
  };
}

/** Reads a country code of two letters in any case. */
export function countryCode(value: string): string {
  if (/^[a-z]{2}$/i.test(value)) return value.toUpperCase();
  throw new InvalidArgumentError('It must be an ISO 3166-1 alpha-2 code, such as DE.');
}

/** Reads a timestamp with a time zone, or a date, which means its first moment in UTC. */
export function timestamp(value: string): Date {
  const text = /^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value;
  const date = parseTimestamp(text);
  if (date !== null) return date;
  throw new InvalidArgumentError(
    timestampProblem(text) === TIMESTAMP_TEXT
      ? 'It must be an ISO 8601 timestamp such as 2027-01-31T00:00:00Z.'
      : 'It must be between 0001-01-01 and 9999-12-31 in UTC. For no end, leave the option out.',
  );
}

/** Reads the id of an object that the service assigned. */
export function uuid(value: string): string {
  if (isUuid(value)) return value.toLowerCase();
  throw new InvalidArgumentError('It must be a UUID.');
}
