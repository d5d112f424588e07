import {
  BRIDGE_CAP,
  COMPARED_BIT,
  COMPARING_KINDS,
  COMPARING_NUMBERS,
  type CountedIdentifier,
  holdersOf,
  IDENTIFIER_KINDS,
  identifierKey,
  LINK_WEIGHTS,
  LINKING_KINDS,
  type Pair,
  type PairOfAccounts,
  personTimes,
  type Rescored,
  unpackBlockingKeys,
  WITHOUT_TIMES,
} from '@vouchgraph/linking';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { Call, ProjectDatabase, Row, Statement, Transaction } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import {
  EVENT_PARAMETERS,
  type EventOfAccount,
  eventValues,
  insertEvents,
  UNNEST_EVENTS,
  UNNESTED,
} from '../events/insert-events-store.ts';
import { flagStandings } from '../model/standing-flag-sql.ts';
import { isSharedMailbox } from './mailbox-names-sql.ts';
import type { PersonRow } from './read-persons.ts';

/*
 * Statements for the links between other accounts than the account of a request. The transaction holds the advisory locks of
 * both accounts of every pair. It acquires them without waiting: a transaction that holds one of them can wait for a lock of
 * this transaction, which would be a deadlock.
 */

const ALL_LINKING = LINKING_KINDS.map((kind) => IDENTIFIER_KINDS[kind]).join(', ');
const MAX_COUNTED = Math.max(
  BRIDGE_CAP,
  ...LINKING_KINDS.map((kind) => LINK_WEIGHTS[kind].cap).filter(Number.isFinite),
);

export const FIND_CLIENT_IDS: Statement = {
  name: 'link.find_client_ids',
  text: 'select id, account_id from accounts where project_id = $1 and id = any($2::uuid[])',
};

/** The client's ids of accounts, from which their locks are derived. */
export async function findClientIds(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  ids: readonly string[],
): Promise<{ id: string; account_id: string }[]> {
  const [rows = []] = await transaction.run([FIND_CLIENT_IDS, [projectId, ids]]);
  return rows;
}

const TRY_LOCKS: Statement = {
  name: 'link.try_locks',
  text: 'select coalesce(bool_and(pg_try_advisory_xact_lock(k.key)), true) as is_locked from unnest($1::bigint[]) as k (key)',
};

/** Identifiers that at least two of the accounts share, with the number of accounts in the group $3. */
const READ_SHARED: Statement = {
  name: 'link.read_shared',
  text: `with own as materialized (
      select account_id, kind, value_hash, first_seen, last_seen, uses from identifiers
      where project_id = $1 and account_id = any($2::uuid[]) and account_group = $3 and kind in (${ALL_LINKING})
      union all
      select a.id, k.kind, k.value_hash, ${WITHOUT_TIMES}
      from accounts a cross join lateral (${unpackBlockingKeys('a.blocking_keys')}) k
      where a.project_id = $1 and a.id = any($2::uuid[]) and a.account_group = $3
    ), shared as materialized (
      select s.kind, s.value_hash, c.accounts, ${isSharedMailbox('s.kind', 's.value_hash', '$3')} as is_shared_mailbox
      from (
        select kind, value_hash from own group by kind, value_hash having count(*) > 1
      ) s cross join lateral (
        select count(*)::int as accounts from (
          select 1 from ${holdersOf({ kind: 's.kind', hash: 's.value_hash', group: '$3' })} i
          limit ${MAX_COUNTED + 2}
        ) counted
      ) c
    )
    select o.account_id, o.kind::int as kind, o.value_hash, o.first_seen, o.last_seen, o.uses, s.accounts,
      s.is_shared_mailbox
    from own o join shared s on s.kind = o.kind and s.value_hash = o.value_hash`,
};

const READ_LINKS: Statement = {
  name: 'link.read_among',
  text: `select account_id as a, linked_account_id as b, score, kinds, first_seen, last_seen, bridges from links
         where project_id = $1 and account_id = any($2::uuid[]) and linked_account_id = any($2::uuid[])
           and account_id < linked_account_id`,
};

/** Encrypted fields of the accounts that have a comparing identifier. */
export const READ_PERSONS: Statement = {
  name: 'link.read_persons',
  text: `select a.id, a.personal, t.first_seen, t.last_seen from accounts a
         cross join lateral ${personTimes('a.id')} t
         where a.project_id = $1 and a.id = any($2::uuid[]) and (a.blocking_keys <> '' or exists (
           select 1 from identifiers i where i.project_id = $1 and i.account_id = a.id and i.kind in (${COMPARING_NUMBERS})
         ))`,
};

/** Locks accounts and reads the inputs of their links; null when another transaction has one of the locks. */
export async function lockAndReadPairs(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  accounts: { ids: readonly string[]; locks: readonly bigint[]; group: string },
): Promise<{ identifiers: CountedIdentifier[]; links: PairOfAccounts[]; persons: PersonRow[] } | null> {
  const [locked = [], identifiers = [], links = [], persons = []] = await transaction.run(
    [TRY_LOCKS, [accounts.locks.map(String)]],
    [READ_SHARED, [projectId, accounts.ids, accounts.group]],
    [READ_LINKS, [projectId, accounts.ids]],
    [READ_PERSONS, [projectId, accounts.ids]],
  );
  if (!locked[0]?.is_locked) return null;
  return {
    identifiers: identifiers.map(toCounted),
    links: links.map(toPair),
    persons: persons as PersonRow[],
  };
}

function toCounted(row: Row): CountedIdentifier {
  return {
    accountId: row.account_id,
    kind: row.kind,
    hash: row.value_hash,
    firstSeen: row.first_seen,
    lastSeen: row.last_seen,
    uses: row.uses,
    accounts: row.accounts,
    isSharedMailbox: row.is_shared_mailbox,
  };
}

function toPair(row: Row): PairOfAccounts {
  const { a, b, score, kinds, first_seen: firstSeen, last_seen: lastSeen, bridges } = row;
  return { a, b, score, kinds, firstSeen, lastSeen, bridges };
}

const WRITE_PAIRS = namedStatement(
  'link.write_pairs',
  `with removed as (
      delete from links l using unnest(:removedA::uuid[], :removedB::uuid[]) as r (a, b)
      where l.project_id = :projectId and l.account_id = r.a and l.linked_account_id = r.b
    ), kept as (
      insert into links (project_id, account_id, linked_account_id, score, kinds, first_seen, last_seen, bridges)
      select :projectId, k.a, k.b, k.score, k.kinds, k.first_seen, k.last_seen, k.bridges
      from unnest(:keptA::uuid[], :keptB::uuid[], :scores::float8[], :kinds::int[], :firstSeen::timestamptz[],
        :lastSeen::timestamptz[], :bridges::boolean[])
        as k (a, b, score, kinds, first_seen, last_seen, bridges)
      on conflict (project_id, account_id, linked_account_id) do update set
        score = excluded.score, kinds = excluded.kinds, first_seen = excluded.first_seen,
        last_seen = excluded.last_seen, bridges = excluded.bridges
    ), identity as (
      insert into identity_recalculations (project_id, recalculation_id, account_id)
      select :projectId, gen_random_uuid(), m.id from unnest(:movesIdentity::uuid[]) as m (id)
    ), flagged as (
      ${flagStandings('select account_id from unnest(:rescored::uuid[]) as r (account_id)')}
    ), ${insertEvents({ ...UNNESTED, createdAt: ':now' }, `from ${UNNEST_EVENTS}`)}`,
  ['rescored', 'now', ...EVENT_PARAMETERS],
);

/** The statement that writes rescored links in both directions, with their events. */
export function writePairs(
  projectId: string,
  { changed, removed, movesIdentity, rescored }: Rescored,
  events: readonly EventOfAccount[],
  now: Date,
): readonly [Statement, readonly unknown[]] {
  const deleted = removed.flatMap(({ a, b }): Pair[] => [
    [a, b],
    [b, a],
  ]);
  const kept = changed.flatMap((link) => [link, { ...link, a: link.b, b: link.a }]);
  kept.sort((x, y) => (x.a === y.a ? (x.b < y.b ? -1 : 1) : x.a < y.a ? -1 : 1));
  return WRITE_PAIRS.call({
    projectId,
    removedA: deleted.map(([a]) => a),
    removedB: deleted.map(([, b]) => b),
    keptA: kept.map(({ a }) => a),
    keptB: kept.map(({ b }) => b),
    scores: kept.map(({ score }) => score),
    kinds: kept.map(({ kinds }) => kinds),
    firstSeen: kept.map(({ firstSeen }) => firstSeen),
    lastSeen: kept.map(({ lastSeen }) => lastSeen),
    bridges: kept.map(({ bridges }) => bridges),
    movesIdentity,
    now,
    rescored,
    ...eventValues(events),
  });
}

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
