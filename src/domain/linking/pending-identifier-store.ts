import {
  COMPARED_BIT,
  COMPARING_KINDS,
  holdersOf,
  IDENTIFIER_KINDS,
  identifierKey,
  type Pair,
} from '@vouchgraph/linking';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { Call, ProjectDatabase, Statement, Transaction } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { isSharedMailbox } from './mailbox-names-sql.ts';

/*
 * Identifiers whose accounts need a recalculation of their links: the queue `link_recalculations`, the locks of an identifier,
 * and pages of the pairs of accounts that it concerns.
 */

const ENQUEUE_IDENTIFIERS: Statement = {
  name: 'link.enqueue_identifiers',
  text: `insert into link_recalculations (project_id, recalculation_id, kind, value_hash, account_group)
         select $1, gen_random_uuid(), m.kind, m.value_hash, $4 from unnest($2::smallint[], $3::bytea[]) as m (kind, value_hash)`,
};

/** The statement that enqueues recalculations of shared identifiers. */
export function enqueueIdentifiers(
  projectId: string,
  identifiers: readonly { kind: number; hash: Buffer }[],
  group: string,
): readonly [Statement, readonly unknown[]] {
  const kinds = identifiers.map(({ kind }) => kind);
  const hashes = identifiers.map(({ hash }) => hash);
  return [ENQUEUE_IDENTIFIERS, [projectId, kinds, hashes, group]];
}

/** Locks the $2 oldest pending rows, and all further rows of their identifiers. Rows locked by other transactions are skipped. */
const CLAIM_PENDING: Statement = {
  name: 'link.claim_pending',
  text: `with first as materialized (
      select recalculation_id, kind, value_hash, account_group, created_at from link_recalculations
      where project_id = $1 order by created_at, recalculation_id for update skip locked limit $2
    ), claimed as materialized (
      select kind, value_hash, account_group, min(created_at) as created_at, min(recalculation_id::text) as recalculation_id from first group by 1, 2, 3
    )
    select m.recalculation_id, m.kind::int as kind, m.value_hash, m.account_group from link_recalculations m, claimed f
    where m.project_id = $1 and m.kind = f.kind and m.value_hash = f.value_hash and m.account_group = f.account_group
    order by f.created_at, f.recalculation_id for update of m skip locked`,
};

/** Waits for the lock of one identifier: the lock that every change of an account with the identifier acquires. */
const LOCK_IDENTIFIER: Statement = {
  name: 'link.lock_identifier',
  text: 'select pg_advisory_xact_lock($1::bigint)',
};

/** Locks further identifiers without waiting: a transaction that waits for one lock would block changes by its other locks. */
const TRY_IDENTIFIERS: Statement = {
  name: 'link.try_identifiers',
  text: 'select pg_try_advisory_xact_lock(k.key) as is_locked from unnest($1::bigint[]) with ordinality as k (key, place) order by k.place',
};

const READ_HOLDERS: Statement = {
  name: 'link.read_holders',
  text: `select i.account_id from ${holdersOf({ kind: '$2::smallint', hash: '$3', group: '$4' })} i limit $5`,
};

/**
 * Links among the accounts of an identifier that include its kind, or that make an identity. Starts at the links of each
 * account: in the order of all links of the project, the first page would read most of them.
 */
const READ_DEPENDENT = namedStatement(
  'link.read_dependent',
  `with holders as materialized (
      select i.account_id as id from ${holdersOf({ kind: ':kind::smallint', hash: ':hash', group: ':group', project: ':projectId' })} i
    )
    select h.id as a, l.b from holders h cross join lateral (
      select k.linked_account_id as b from links k
      where k.project_id = :projectId and k.account_id = h.id and k.linked_account_id > h.id
        and ((k.kinds & :bit::int) <> 0 or (k.bridges and :isFullMatch::boolean))
      offset 0
    ) l
    where h.id >= :afterA::uuid and (h.id, l.b) > (:afterA::uuid, :afterB::uuid) and l.b in (select id from holders)
    order by h.id, l.b limit :limit`,
  ['kind', 'hash', 'group'],
);

const DELETE_PENDING: Statement = {
  name: 'link.delete_pending',
  text: 'delete from link_recalculations where project_id = $1 and recalculation_id = any($2::uuid[])',
};

const HAS_PENDING: Statement = {
  name: 'link.has_pending',
  text: 'select exists (select 1 from link_recalculations where project_id = $1) as waits',
};

/** A shared identifier with pending recalculations. `pendingIds`: ids of its claimed rows; later rows stay pending. */
export type PendingIdentifier = { kind: number; hash: Buffer; group: string; pendingIds: string[] };

/**
 * Claims the identifiers of the `limit` oldest pending rows, all of the same account group, and locks their rows. `busy`: other
 * transactions have locked all pending rows. `none`: nothing is pending.
 */
export async function claimPendingIdentifiers(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  limit: number,
): Promise<[PendingIdentifier, ...PendingIdentifier[]] | 'busy' | 'none'> {
  const [rows = [], waiting = []] = await transaction.run(
    [CLAIM_PENDING, [projectId, limit]],
    [HAS_PENDING, [projectId]],
  );
  const byKey = new Map<string, PendingIdentifier>();
  for (const { recalculation_id, kind, value_hash: hash, account_group: group } of rows) {
    const key = `${identifierKey(kind, hash)} ${group}`;
    const known = byKey.get(key);
    if (known) known.pendingIds.push(recalculation_id);
    else byKey.set(key, { kind, hash, group, pendingIds: [recalculation_id] });
  }
  const [first, ...others] = byKey.values();
  if (!first) return waiting[0]?.waits ? 'busy' : 'none';
  return [first, ...others.filter(({ group }) => group === first.group)];
}

/**
 * Locks the first identifier, tries to lock the others, and reads the accounts of each, at most `limitOf`. Null for an
 * identifier whose lock another transaction has.
 */
export async function lockAndReadHolders(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  identifiers: readonly PendingIdentifier[],
  limitOf: (identifier: PendingIdentifier) => number,
): Promise<(string[] | null)[]> {
  const [first, ...others] = identifiers.map(({ hash }) => hash.readBigInt64BE(0).toString());
  const [, tried, ...holders] = await transaction.run(
    [LOCK_IDENTIFIER, [first]],
    [TRY_IDENTIFIERS, [others]],
    ...identifiers.map((identifier): Call => {
      const { kind, hash, group } = identifier;
      return [READ_HOLDERS, [projectId, kind, hash, group, limitOf(identifier)]];
    }),
  );
  const isLocked = (place: number) => place === 0 || tried![place - 1]!.is_locked;
  return holders.map((rows, place) => (isLocked(place) ? rows.map(({ account_id }) => account_id) : null));
}

/** A comparison found through one of these kinds sets COMPARED_BIT in `links.kinds`, not the bit of the kind. */
const COMPARING: ReadonlySet<number> = new Set(COMPARING_KINDS.map((kind) => IDENTIFIER_KINDS[kind]));

export const INITIAL_PAIR: Pair = [NIL_UUID, NIL_UUID];

/** A page of the pairs whose links can still include an identifier that is over its sharing limit. */
export function dependentPairsCall(
  projectId: string,
  { kind, hash, group }: PendingIdentifier,
  page: { isFullMatch: boolean; after: Pair; limit: number },
): Call {
  const bit = page.isFullMatch ? 0 : (1 << kind) | (COMPARING.has(kind) ? COMPARED_BIT : 0);
  const { isFullMatch, limit } = page;
  const [afterA, afterB] = page.after;
  return READ_DEPENDENT.call({ projectId, kind, hash, group, bit, isFullMatch, afterA, afterB, limit });
}

/**
 * Pairs of accounts of an email or a phone, shared by more than BRIDGE_CAP, whose links are outdated. For a shared mailbox:
 * pairs whose link includes it or makes an identity. Otherwise: pairs whose link makes an identity or does not include it,
 * such as pairs of a phone that was a family's before. Missing links are not searched in a ring so large that not all of its
 * links are stored.
 */
const READ_CONTACT_PAIRS = namedStatement(
  'link.read_contact_pairs',
  `with holders as materialized (
      select account_id as id from identifiers
      where project_id = :projectId and kind = :kind and value_hash = :hash and account_group = :group
        limit ${LIMITS.linksPerAccount + 2}
    ), mailbox as materialized (
      select ${isSharedMailbox(':kind::smallint', ':hash::bytea', ':group::text')} as is_shared,
        (select count(*) from holders) <= ${LIMITS.linksPerAccount + 1} as is_whole
    )
    select a.id as a, p.id as b from (select id from holders where id >= :afterA::uuid order by id offset 0) a
    cross join lateral (
      select b.id from holders b left join links l
        on l.project_id = :projectId and l.account_id = a.id and l.linked_account_id = b.id
      where b.id > a.id and (a.id, b.id) > (:afterA::uuid, :afterB::uuid) and case
        when (select is_shared from mailbox) then l.bridges or (l.kinds & :bit::int) <> 0
        else coalesce(l.bridges, false) or ((select is_whole from mailbox) and coalesce(l.kinds & :bit::int, 0) = 0)
      end
      order by b.id limit :limit
    ) p
    order by a.id, p.id limit :limit`,
);

/** A page of the pairs whose links an email or phone of many accounts can change. */
export function contactPairsCall(
  projectId: string,
  { kind, hash, group }: PendingIdentifier,
  { after: [afterA, afterB], limit }: { after: Pair; limit: number },
): Call {
  return READ_CONTACT_PAIRS.call({ projectId, kind, hash, group, afterA, afterB, limit, bit: 1 << kind });
}

const DEFER_PENDING: Statement = {
  name: 'link.defer_pending',
  text: 'update link_recalculations set created_at = clock_timestamp() where project_id = $1 and recalculation_id = any($2::uuid[])',
};

/** Moves a busy identifier to the end of the queue. */
export function deferPendingIdentifier(
  projectId: string,
  { pendingIds }: PendingIdentifier,
): readonly [Statement, readonly unknown[]] {
  return [DEFER_PENDING, [projectId, pendingIds]];
}

export function deletePendingIdentifiers(
  projectId: string,
  pendingIds: readonly string[],
): readonly [Statement, readonly unknown[]] {
  return [DELETE_PENDING, [projectId, pendingIds]];
}
