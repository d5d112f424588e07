import {
  BRIDGE_CAP,
  COMPARING_NUMBERS,
  type CountedIdentifier,
  holdersOf,
  IDENTIFIER_LIST,
  LINK_WEIGHTS,
  LINKING_KINDS,
  type Pair,
  type PairOfAccounts,
  personTimes,
  type Rescored,
  unpackBlockingKeys,
  WITHOUT_TIMES,
} from '@vouchgraph/linking';
import type { ProjectDatabase, Row, Statement, Transaction } from '../../storage/database.ts';
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
      where project_id = $1 and account_id = any($2::uuid[]) and account_group = $3 and kind in (${IDENTIFIER_LIST})
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
