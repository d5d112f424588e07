import type { IdentifierKey } from './identifier-key.ts';
import { BLOCKING_NUMBERS, isBlockingKind } from './identifier-kinds.ts';

/*
 * Blocking keys (record linkage): values that near-equal emails or dates of birth have in common. They only find accounts to
 * compare, so they have no times, and half of a keyed hash is enough: two different values with the same key cause one comparison
 * more. Each is one row of `blocking_keys` with one index; all keys of an account are also one value of its row.
 */

/** Numbers of the kinds of blocking keys, as an SQL list. */
export const BLOCKING_LIST = BLOCKING_NUMBERS.join(', ');

/** Length of the keyed hash of a blocking key. */
export const BLOCKING_KEY_BYTES = 8;

/** Length of a key in the account's row: the number of its kind, and its keyed hash. */
const PACKED_BYTES = 1 + BLOCKING_KEY_BYTES;

/** The blocking keys among identifiers of an account, as one value: in ascending order, so that equal sets are equal bytes. */
export function packBlockingKeys(identifiers: readonly IdentifierKey[]): Buffer {
  const keys = identifiers.filter(({ kind }) => isBlockingKind(kind)).map(packed);
  return Buffer.concat(keys.sort(Buffer.compare));
}

function packed({ kind, hash }: IdentifierKey): Buffer {
  if (hash.length !== BLOCKING_KEY_BYTES) throw new Error(`a blocking key of ${hash.length} bytes`);
  return Buffer.concat([Buffer.of(kind), hash]);
}

/** The keys of a packed value. */
export function readBlockingKeys(value: Buffer): IdentifierKey[] {
  const keys: IdentifierKey[] = [];
  for (let at = 0; at < value.length; at += PACKED_BYTES)
    keys.push({ kind: value[at]!, hash: value.subarray(at + 1, at + PACKED_BYTES) });
  return keys;
}

/** Query for the keys (`kind`, `value_hash`) of a packed value. */
export const unpackBlockingKeys = (value: string) => `
  select get_byte(p.keys, ${PACKED_BYTES} * n)::smallint as kind,
    substr(p.keys, ${PACKED_BYTES} * n + 2, ${BLOCKING_KEY_BYTES}) as value_hash
  from (select ${value} as keys) p cross join generate_series(0, octet_length(p.keys) / ${PACKED_BYTES} - 1) n`;

/** Columns that a blocking key has instead of the times and uses of an identifier: a key has no weight, so they have no effect. */
export const WITHOUT_TIMES = `timestamptz 'epoch' as first_seen, timestamptz 'epoch' as last_seen, 1 as uses`;

/**
 * Query for the accounts of a group with an identifier or a blocking key, with their period and uses. One part reads a range of
 * an index, and the other part nothing. Not for a limit on an order: all accounts would be read and sorted.
 */
export const holdersOf = ({
  kind,
  hash,
  group,
  project = '$1',
}: Record<'kind' | 'hash' | 'group', string> & { project?: string }) => `(
    select i.account_id, i.first_seen, i.last_seen, i.uses from identifiers i
    where i.project_id = ${project} and i.kind = ${kind} and i.value_hash = ${hash} and i.account_group = ${group}
      and ${kind} not in (${BLOCKING_LIST})
    union all
    select b.account_id, ${WITHOUT_TIMES} from blocking_keys b
    where b.project_id = ${project} and b.kind = ${kind} and b.value_hash = ${hash} and b.account_group = ${group}
      and ${kind} in (${BLOCKING_LIST})
  )`;
