import { isContainer, isRawNumber } from '@vouchgraph/platform/exact-json';
import type { Facts, FieldValue } from './expression.ts';

/*
 * Fields of metadata, with the root `account.metadata`: `account.metadata.plan`, `account.metadata.billing.plan`. A key that is
 * no plain name is quoted, as in `account.metadata."plan-type"`. The root is the fact that has the whole metadata; a field's own
 * name is the fact of a single value.
 */

/** Maximum depth of metadata. */
export const MAX_METADATA_LEVELS = 8;

const PLAIN = /^[A-Za-z0-9_]+$/;
const SEGMENT = /\.(?:([A-Za-z0-9_]+)|("(?:[^"\\]|\\.)*"))/y;

/** Keys that lead to the value, from the outermost; null for any other field and a malformed path. */
export function metadataPath(root: string, field: string): string[] | null {
  if (!field.startsWith(root) || field[root.length] !== '.') return null;
  const keys: string[] = [];
  SEGMENT.lastIndex = root.length;
  while (SEGMENT.lastIndex < field.length) {
    const found = SEGMENT.exec(field);
    if (!found) return null;
    const key = found[1] ?? JSON.parse(found[2]!);
    if (key === '') return null;
    keys.push(key);
  }
  return keys;
}

/** A key in the form in which fields contain it. */
export function writtenKey(key: string): string {
  return PLAIN.test(key) ? key : JSON.stringify(key);
}

/** Value of the metadata at a path. */
type Found = {
  /** Undefined: not known, because it was not stored; null: no value. */
  readonly value: unknown;
};

const NOT_STORED: Found = { value: undefined };
const NO_VALUE: Found = { value: null };

/** The value of a field of the metadata. */
export function readMetadata(root: string, facts: Facts, field: string, path: readonly string[]): Found {
  if (Object.hasOwn(facts, field)) return { value: facts[field] ?? null };
  const metadata = facts[root];
  return metadata === undefined ? NOT_STORED : walk(metadata, path);
}

function walk(metadata: unknown, path: readonly string[]): Found {
  let value = metadata;
  for (const key of path) {
    if (!isContainer(value) || Array.isArray(value) || !Object.hasOwn(value, key)) return NO_VALUE;
    value = (value as Record<string, unknown>)[key];
  }
  return { value: value ?? null };
}

/** Maximum size of metadata, as JSON, that is a fact as a whole. */
export const MAX_WHOLE_METADATA_BYTES = 2048;

/**
 * Facts of metadata: all of it where it is small, otherwise the values of the fields that are given. So a
 * decision stores at most what its rules read, or 2 KB.
 */
export function metadataFacts(
  root: string,
  metadata: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): Record<string, FieldValue> {
  if (Object.keys(metadata).length === 0) return { [root]: {} };
  if (Buffer.byteLength(JSON.stringify(metadata)) <= MAX_WHOLE_METADATA_BYTES) return { [root]: metadata };
  return Object.fromEntries(
    fields.map((field) => [field, storable(walk(metadata, metadataPath(root, field) ?? []).value)]),
  );
}

/** Placeholder for a list with values other than texts, whose values conditions do not read. */
const A_LIST = [0] as unknown as readonly string[];

/** Part of a value that conditions read: of an object, and of a list with values other than texts, only its kind. */
function storable(value: unknown): FieldValue {
  switch (kindOfMetadata(value)) {
    case 'an object':
      return {};
    case 'a list':
      return A_LIST;
    case 'no value':
      return null;
    default:
      return value as FieldValue;
  }
}

export type MetadataKind =
  | 'a string'
  | 'a number'
  | 'true or false'
  | 'a list of strings'
  | 'an object'
  | 'a list'
  | 'no value';

/** Kind of a value for traces. An empty text and an empty list are no value. */
export function kindOfMetadata(value: unknown): MetadataKind {
  if (value === null || value === undefined || value === '') return 'no value';
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'number' || isRawNumber(value)) return 'a number';
  if (typeof value === 'boolean') return 'true or false';
  if (!Array.isArray(value)) return 'an object';
  if (value.length === 0) return 'no value';
  return value.every((each) => typeof each === 'string') ? 'a list of strings' : 'a list';
}
