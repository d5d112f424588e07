import { NIL_UUID } from '../../platform/ids.ts';
import { LIMITS } from '../../platform/limits.ts';
import type { Call, ProjectDatabase, Row, Statement, Transaction } from '../../storage/database.ts';
import {
  type EventOfAccount,
  eventArrays,
  insertEvents,
  UNNESTED,
  unnestEvents,
} from '../events/insert-events-store.ts';
import { identifierKey } from '../identifiers/identifier-key.ts';
import { COMPARED_BIT, IDENTIFIER_KINDS } from '../identifiers/identifier-kinds.ts';
import { flagStandings } from '../model/standing-flag-sql.ts';
import { COMPARING_NUMBERS, personTimes } from './known-person.ts';
import { BRIDGE_CAP, COMPARING_KINDS, LINK_WEIGHTS, LINKING_KINDS } from './link-weights.ts';
import { isSharedMailbox } from './mailbox-names-sql.ts';
import type { PersonRow } from './read-persons.ts';
import type { CountedIdentifier, Pair, PairOfAccounts, Rescored } from './rescore-pairs.ts';

/*
 * Reads and writes the links between other accounts than the one that a request is about. Whoever does so holds the
 * locks of both accounts of every pair, and takes them without waiting: who holds one may wait for what we hold.
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

/** What the client calls the accounts: their locks go by that. */
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
  text: 'select coalesce(bool_and(pg_try_advisory_xact_lock(k.key)), true) as held from unnest($1::bigint[]) as k (key)',
};

/** Identifiers that two or more of the accounts hold, with how many of the group $3 do, and whether they contradict. */
const READ_SHARED: Statement = {
  name: 'link.read_shared',
  text: `with held as materialized (
      select account_id, kind, value_hash, first_seen, last_seen, uses from identifiers
      where project_id = $1 and account_id = any($2::uuid[]) and account_group = $3 and kind in (${ALL_LINKING})
    ), shared as materialized (
      select s.kind, s.value_hash, c.accounts, ${isSharedMailbox('s.kind', 's.value_hash', '$3')} as is_shared_mailbox
      from (
        select kind, value_hash from held group by kind, value_hash having count(*) > 1
      ) s cross join lateral (
        select count(*)::int as accounts from (
          select 1 from identifiers i
          where i.project_id = $1 and i.kind = s.kind and i.value_hash = s.value_hash and i.account_group = $3
          limit ${MAX_COUNTED + 2}
        ) counted
      ) c
    )
    select h.account_id, h.kind::int as kind, h.value_hash, h.first_seen, h.last_seen, h.uses, s.accounts,
      s.is_shared_mailbox
    from held h join shared s on s.kind = h.kind and s.value_hash = h.value_hash`,
};

const READ_LINKS: Statement = {
  name: 'link.read_among',
  text: `select account_id as a, linked_account_id as b, score, kinds, first_seen, last_seen, bridges from links
         where project_id = $1 and account_id = any($2::uuid[]) and linked_account_id = any($2::uuid[])
           and account_id < linked_account_id`,
};

/** The encrypted fields of those accounts that may be compared with others. */
export const READ_PERSONS: Statement = {
  name: 'link.read_persons',
  text: `select a.id, a.personal, t.first_seen, t.last_seen from accounts a
         cross join lateral ${personTimes('a.id')} t
         where a.project_id = $1 and a.id = any($2::uuid[]) and exists (
           select 1 from identifiers i where i.project_id = $1 and i.account_id = a.id and i.kind in (${COMPARING_NUMBERS})
         )`,
};

/** All that the links among some accounts depend on; null when somebody else holds one of the locks. */
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
  if (!locked[0]?.held) return null;
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

const WRITE_PAIRS: Statement = {
  name: 'link.write_pairs',
  text: `with gone as (
      delete from links l using unnest($2::uuid[], $3::uuid[]) as g (a, b)
      where l.project_id = $1 and l.account_id = g.a and l.linked_account_id = g.b
    ), kept as (
      insert into links (project_id, account_id, linked_account_id, score, kinds, first_seen, last_seen, bridges)
      select $1, k.a, k.b, k.score, k.kinds, k.first_seen, k.last_seen, k.bridges
      from unnest($4::uuid[], $5::uuid[], $6::float8[], $7::int[], $8::timestamptz[], $9::timestamptz[], $10::boolean[])
        as k (a, b, score, kinds, first_seen, last_seen, bridges)
      on conflict (project_id, account_id, linked_account_id) do update set
        score = excluded.score, kinds = excluded.kinds, first_seen = excluded.first_seen,
        last_seen = excluded.last_seen, bridges = excluded.bridges
    ), identity as (
      insert into identity_marks (project_id, mark_id, account_id)
      select $1, gen_random_uuid(), m.id from unnest($11::uuid[]) as m (id)
    ), flagged as (
      ${flagStandings('select account_id from unnest($13::uuid[]) as r (account_id)')}
    )
    ${insertEvents({ ...UNNESTED, createdAt: '$12' }, `from ${unnestEvents(14)}`)}`,
};

/** The statement that writes what was rescored, both directions of each link, with the events that tell it. */
export function writePairs(
  projectId: string,
  { changed, removed, movesIdentity, rescored }: Rescored,
  events: readonly EventOfAccount[],
  now: Date,
): readonly [Statement, readonly unknown[]] {
  const gone = removed.flatMap(({ a, b }): Pair[] => [
    [a, b],
    [b, a],
  ]);
  const kept = changed.flatMap((link) => [link, { ...link, a: link.b, b: link.a }]);
  kept.sort((x, y) => (x.a === y.a ? (x.b < y.b ? -1 : 1) : x.a < y.a ? -1 : 1));
  return [
    WRITE_PAIRS,
    [
      projectId,
      gone.map(([a]) => a),
      gone.map(([, b]) => b),
      kept.map(({ a }) => a),
      kept.map(({ b }) => b),
      kept.map(({ score }) => score),
      kept.map(({ kinds }) => kinds),
      kept.map(({ firstSeen }) => firstSeen),
      kept.map(({ lastSeen }) => lastSeen),
      kept.map(({ bridges }) => bridges),
      movesIdentity,
      now,
      rescored,
      ...eventArrays(events),
    ],
  ];
}

const MARK_CROWDS: Statement = {
  name: 'link.mark_crowds',
  text: `insert into link_rescores (project_id, mark_id, kind, value_hash, account_group)
         select $1, gen_random_uuid(), m.kind, m.value_hash, $4 from unnest($2::smallint[], $3::bytea[]) as m (kind, value_hash)`,
};

/** The statement that leaves crowds to be looked at afterwards. */
export function markCrowds(
  projectId: string,
  crowds: readonly { kind: number; hash: Buffer }[],
  group: string,
): readonly [Statement, readonly unknown[]] {
  return [MARK_CROWDS, [projectId, crowds.map(({ kind }) => kind), crowds.map(({ hash }) => hash), group]];
}

/** The $2 marks that have waited longest, and all others of their identifiers, except for those that another transaction has locked. */
const NEXT_CROWDS: Statement = {
  name: 'link.next_crowds',
  text: `with first as materialized (
      select mark_id, kind, value_hash, account_group, created_at from link_rescores
      where project_id = $1 order by created_at, mark_id for update skip locked limit $2
    ), crowds as materialized (
      select kind, value_hash, account_group, min(created_at) as created_at, min(mark_id::text) as mark_id from first group by 1, 2, 3
    )
    select m.mark_id, m.kind::int as kind, m.value_hash, m.account_group from link_rescores m, crowds f
    where m.project_id = $1 and m.kind = f.kind and m.value_hash = f.value_hash and m.account_group = f.account_group
    order by f.created_at, f.mark_id for update of m skip locked`,
};

/** Waits for the lock of one identifier, as every change of an account that has it does. */
const LOCK_IDENTIFIER: Statement = {
  name: 'link.lock_identifier',
  text: 'select pg_advisory_xact_lock($1::bigint)',
};

/** Takes the locks of further identifiers that nobody has: who waits for one while it has others makes changes wait for both. */
const TRY_IDENTIFIERS: Statement = {
  name: 'link.try_identifiers',
  text: 'select pg_try_advisory_xact_lock(k.key) as is_locked from unnest($1::bigint[]) with ordinality as k (key, place) order by k.place',
};

const READ_HOLDERS: Statement = {
  name: 'link.read_holders',
  text: `select account_id from identifiers
         where project_id = $1 and kind = $2 and value_hash = $3 and account_group = $4 limit $5`,
};

/**
 * Links among the holders of an identifier that rest on it, or by which they are one identity. By the links of each holder:
 * in the order of all links of the project, the first page would read most of them.
 */
const READ_RESTING: Statement = {
  name: 'link.read_resting',
  text: `with holders as materialized (
      select account_id as id from identifiers
      where project_id = $1 and kind = $2 and value_hash = $3 and account_group = $4
    )
    select h.id as a, l.b from holders h cross join lateral (
      select k.linked_account_id as b from links k
      where k.project_id = $1 and k.account_id = h.id and k.linked_account_id > h.id
        and ((k.kinds & $5::int) <> 0 or (k.bridges and $6::boolean))
      offset 0
    ) l
    where h.id >= $7::uuid and (h.id, l.b) > ($7::uuid, $8::uuid) and l.b in (select id from holders)
    order by h.id, l.b limit $9`,
};

const FORGET_MARKS: Statement = {
  name: 'link.forget_marks',
  text: 'delete from link_rescores where project_id = $1 and mark_id = any($2::uuid[])',
};

const HAS_MARKS: Statement = {
  name: 'link.has_marks',
  text: 'select exists (select 1 from link_rescores where project_id = $1) as waits',
};

/** `markIds`: the marks that asked for it. One that comes later asks again. */
export type Crowd = { kind: number; hash: Buffer; group: string; markIds: string[] };

/**
 * Identifiers of the `limit` marks that have waited longest, of one group, whose marks this transaction locks; `busy` if other
 * transactions have locked all marks.
 */
export async function takeCrowds(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  limit: number,
): Promise<[Crowd, ...Crowd[]] | 'busy' | 'none'> {
  const [rows = [], marks = []] = await transaction.run(
    [NEXT_CROWDS, [projectId, limit]],
    [HAS_MARKS, [projectId]],
  );
  const crowds = new Map<string, Crowd>();
  for (const { mark_id, kind, value_hash: hash, account_group: group } of rows) {
    const key = `${identifierKey(kind, hash)} ${group}`;
    const crowd = crowds.get(key);
    if (crowd) crowd.markIds.push(mark_id);
    else crowds.set(key, { kind, hash, group, markIds: [mark_id] });
  }
  const [first, ...others] = crowds.values();
  if (!first) return marks[0]?.waits ? 'busy' : 'none';
  return [first, ...others.filter(({ group }) => group === first.group)];
}

/**
 * Takes the lock of the first identifier, those of the others where no change has them, and reads who holds each, `limitOf` it
 * at most. Null for an identifier whose lock another transaction has.
 */
export async function lockCrowds(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  crowds: readonly Crowd[],
  limitOf: (crowd: Crowd) => number,
): Promise<(string[] | null)[]> {
  const [first, ...others] = crowds.map(({ hash }) => hash.readBigInt64BE(0).toString());
  const [, tried, ...holders] = await transaction.run(
    [LOCK_IDENTIFIER, [first]],
    [TRY_IDENTIFIERS, [others]],
    ...crowds.map((crowd): Call => {
      const { kind, hash, group } = crowd;
      return [READ_HOLDERS, [projectId, kind, hash, group, limitOf(crowd)]];
    }),
  );
  const isLocked = (place: number) => place === 0 || tried![place - 1]!.is_locked;
  return holders.map((rows, place) => (isLocked(place) ? rows.map(({ account_id }) => account_id) : null));
}

/** What these find accounts to compare by does not show in the link itself. */
const COMPARING: ReadonlySet<number> = new Set(COMPARING_KINDS.map((kind) => IDENTIFIER_KINDS[kind]));

export const FIRST_PAIR: Pair = [NIL_UUID, NIL_UUID];

/** Finds pairs of a crowd over its sharing limit whose links may still rest on it, `limit` of them behind one. */
export function restingPairsCall(
  projectId: string,
  { kind, hash, group }: Crowd,
  page: { isFullMatch: boolean; after: Pair; limit: number },
): Call {
  const bit = page.isFullMatch ? 0 : (1 << kind) | (COMPARING.has(kind) ? COMPARED_BIT : 0);
  const { isFullMatch, after, limit } = page;
  return [READ_RESTING, [projectId, kind, hash, group, bit, isFullMatch, ...after, limit]];
}

/**
 * Pairs of the holders of an email or a phone, more than BRIDGE_CAP, whose links do not say what it says now: of a shared
 * mailbox those that rest on it or are one identity, otherwise those that are one identity or have no link that rests
 * on it, such as those of a family that was smaller when they were compared last. Of a ring so large that not all links
 * are stored, missing ones are not looked for.
 */
const READ_CONTACT_PAIRS: Statement = {
  name: 'link.read_contact_pairs',
  text: `with holders as materialized (
      select account_id as id from identifiers
      where project_id = $1 and kind = $2 and value_hash = $3 and account_group = $4 limit ${LIMITS.linksPerAccount + 2}
    ), mailbox as materialized (
      select ${isSharedMailbox('$2::smallint', '$3::bytea', '$4::text')} as is_shared,
        (select count(*) from holders) <= ${LIMITS.linksPerAccount + 1} as is_whole
    )
    select a.id as a, p.id as b from (select id from holders where id >= $5::uuid order by id offset 0) a
    cross join lateral (
      select b.id from holders b left join links l
        on l.project_id = $1 and l.account_id = a.id and l.linked_account_id = b.id
      where b.id > a.id and (a.id, b.id) > ($5::uuid, $6::uuid) and case
        when (select is_shared from mailbox) then l.bridges or (l.kinds & $8::int) <> 0
        else coalesce(l.bridges, false) or ((select is_whole from mailbox) and coalesce(l.kinds & $8::int, 0) = 0)
      end
      order by b.id limit $7
    ) p
    order by a.id, p.id limit $7`,
};

/** Finds pairs behind one whose links an email or phone of many accounts may change, at most `limit`. */
export function contactPairsCall(
  projectId: string,
  { kind, hash, group }: Crowd,
  { after, limit }: { after: Pair; limit: number },
): Call {
  return [READ_CONTACT_PAIRS, [projectId, kind, hash, group, ...after, limit, 1 << kind]];
}

const DEFER_MARKS: Statement = {
  name: 'link.defer_marks',
  text: 'update link_rescores set created_at = clock_timestamp() where project_id = $1 and mark_id = any($2::uuid[])',
};

/** Lets other crowds go first. */
export function deferMarks(projectId: string, { markIds }: Crowd): readonly [Statement, readonly unknown[]] {
  return [DEFER_MARKS, [projectId, markIds]];
}

export function forgetMarks(
  projectId: string,
  markIds: readonly string[],
): readonly [Statement, readonly unknown[]] {
  return [FORGET_MARKS, [projectId, markIds]];
}
