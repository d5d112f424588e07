import { type AuthenticateAccount, authenticateAccountShape } from '@vouchgraph/decisions';
import { AppError } from '@vouchgraph/platform/errors';
import { parseUnchecked } from '@vouchgraph/platform/json';
import { LIMITS } from '@vouchgraph/platform/limits';
import { findUnstorable } from '@vouchgraph/platform/unstorable';
import type { z } from 'zod';
import type { ImportFormat } from './read-records.ts';

/** The keys of a record, named as on REST, and the fields that they give. */
const FIELD_OF_KEY = {
  id: 'id',
  email: 'email',
  phone: 'phone',
  first_name: 'firstName',
  last_name: 'lastName',
  username: 'username',
  expected_countries: 'expectedCountries',
  group: 'group',
  metadata: 'metadata',
  lists: 'lists',
  date_of_birth: 'dateOfBirth',
  identifiers: 'identifiers',
} as const satisfies Record<string, keyof AuthenticateAccount>;

type Key = keyof typeof FIELD_OF_KEY;
const KEYS = Object.keys(FIELD_OF_KEY) as Key[];

export type AccountOfRecord = { input: AuthenticateAccount } | { problem: string };

/**
 * The account of a record, by the rules of authenticate: null and absent keys keep the stored value, '' clears a text,
 * other keys are ignored. An empty cell of CSV is absent: a table has no other way to omit a value. A problem names the
 * key, never its value.
 */
export function accountOfRecord(record: unknown, format: ImportFormat): AccountOfRecord {
  const values = new Map<Key, unknown>();
  for (const key of KEYS) {
    const value = valueFor(record as Record<string, unknown>, key, format);
    if (value === MALFORMED) return { problem: `${key}: ${ACCEPTED_JSON[key] ?? 'must be JSON'}` };
    if (value instanceof AppError) return { problem: `${key}: ${value.message}` };
    const unstorable = findUnstorable(value);
    if (unstorable !== null)
      return { problem: `${unstorable.path.replace('$', key)}: ${unstorable.problem}` };
    if (value !== undefined && value !== null) values.set(key, value);
  }
  const account = Object.fromEntries([...values].map(([key, value]) => [FIELD_OF_KEY[key], value]));
  const parsed = authenticateAccountShape.safeParse(account);
  return parsed.success ? { input: parsed.data } : { problem: problemOf(parsed.error.issues[0]!, account) };
}

const MALFORMED = Symbol('malformed');
const ACCEPTED_JSON: Partial<Record<Key, string>> = {
  identifiers: 'must be a JSON list, or type:country:value separated by |',
};

function valueFor(record: Record<string, unknown>, key: Key, format: ImportFormat): unknown {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return format === 'csv' && typeof value === 'string' ? valueOfCell(value, key) : value;
}

function valueOfCell(cell: string, key: Key): unknown {
  if (cell === '') return undefined;
  if (key === 'expected_countries') return cell.split(/[|\s]+/).filter((code) => code !== '');
  if (key === 'lists') return namesOf(cell);
  if (key === 'identifiers') return cell.trimStart().startsWith('[') ? parseCell(cell) : idNumbersOf(cell);
  return key === 'metadata' ? parseCell(cell) : cell;
}

function namesOf(cell: string): string[] {
  return cell
    .split('|')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** `type:country:value`, several separated by `|`; malformed when a number has fewer than two colons. */
function idNumbersOf(cell: string): { type?: string; country?: string; value: string }[] | typeof MALFORMED {
  const numbers = namesOf(cell).map((text) => {
    const [type = '', country = '', ...value] = text.split(':');
    return { type: type.trim(), country: country.trim(), value: value.join(':').trim() };
  });
  return namesOf(cell).every((text) => text.split(':').length > 2) ? numbers : MALFORMED;
}

function parseCell(cell: string): unknown {
  try {
    return parseUnchecked(cell, LIMITS.requestBodyDepth) ?? MALFORMED;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function problemOf(issue: z.core.$ZodIssue, account: Record<string, unknown>): string {
  const [field, ...rest] = issue.path;
  const key = KEYS.find((name) => FIELD_OF_KEY[name] === field);
  const isMissing = rest.length === 0 && !Object.hasOwn(account, String(field));
  return `${[key, ...rest].join('.')}: ${isMissing ? 'required' : issue.message}`;
}
