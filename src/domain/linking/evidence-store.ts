import {
  type ComparedPair,
  comparedPair,
  holdersOf,
  IDENTIFIER_LIST,
  isCompared,
  isLinkingKind,
  type KnownPerson,
  kindOfNumber,
  type SharedIdentifier,
  unpackBlockingKeys,
  WITHOUT_TIMES,
} from '@vouchgraph/linking';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import { isSharedMailbox } from './mailbox-names-sql.ts';
import type { PersonRow } from './read-persons.ts';
import { READ_PERSONS } from './rescore-store.ts';

/** Two accounts by their internal ids. */
export type PairKey = { readonly a: string; readonly b: string };

/** An identifier that both accounts have. `mine` belongs to the first of them. */
export type PairEvidence = SharedIdentifier & { readonly hash: Buffer };

/** Shared identifiers of two accounts, and the comparison of their persons; null when they are not compared. */
export type PairComparison = {
  readonly shared: readonly PairEvidence[];
  readonly compared: ComparedPair | null;
};

/** Upper limit of `sharedBy`: larger counts have no effect. */
export const MAX_SHARED_BY = LIMITS.linksPerAccount + 1;

/**
 * Starts at the identifiers of the second account, because the first is more often a hub. `offset 0` prevents the planner
 * from reordering.
 */
const FIND_EVIDENCE: Statement = {
  name: 'link.find_evidence',
  text: `with shared as materialized (
      select p.a, p.b, i.kind, i.value_hash, i.account_group, i.first_seen, i.last_seen,
        o.first_seen as other_first_seen, o.last_seen as other_last_seen, i.uses, o.uses as other_uses
      from unnest($2::uuid[], $3::uuid[]) as p (a, b)
      cross join lateral (
        select * from identifiers x
        where x.project_id = $1 and x.account_id = p.b and x.kind in (${IDENTIFIER_LIST}) offset 0
      ) o
      join identifiers i on i.project_id = $1 and i.account_id = p.a and i.kind = o.kind
        and i.value_hash = o.value_hash and i.account_group = o.account_group
      union all
      select p.a, p.b, k.kind, k.value_hash, x.account_group, k.first_seen, k.last_seen, k.first_seen, k.last_seen, k.uses,
        k.uses
      from unnest($2::uuid[], $3::uuid[]) as p (a, b)
      cross join lateral (
        select account_group, blocking_keys from accounts where project_id = $1 and id = p.a offset 0
      ) x
      cross join lateral (
        select account_group, blocking_keys from accounts where project_id = $1 and id = p.b offset 0
      ) y
      cross join lateral (
        select one.*, ${WITHOUT_TIMES} from (
          ${unpackBlockingKeys('x.blocking_keys')} intersect ${unpackBlockingKeys('y.blocking_keys')}
        ) one
      ) k
      where y.account_group = x.account_group
    ), counted as materialized (
      select d.*, c.accounts, ${isSharedMailbox('d.kind', 'd.value_hash', 'd.account_group')} as is_shared_mailbox
      from (select distinct kind, value_hash, account_group from shared) d
      cross join lateral (
        select count(*)::int as accounts from (
          select 1 from ${holdersOf({ kind: 'd.kind', hash: 'd.value_hash', group: 'd.account_group' })} i
          limit ${MAX_SHARED_BY}
        ) found
      ) c
    )
    select s.a, s.b, s.kind::int as kind, s.value_hash, s.first_seen, s.last_seen, s.other_first_seen,
      s.other_last_seen, s.uses, s.other_uses, c.accounts,
      c.is_shared_mailbox
    from shared s join counted c
      on c.kind = s.kind and c.value_hash = s.value_hash and c.account_group = s.account_group
    order by s.kind, s.value_hash`,
};

/** Evidence of each pair, by `a b`. A pair that shares nothing is absent. */
export async function findPairEvidence(
  database: ProjectDatabase,
  pairs: readonly PairKey[],
  readPersons: (rows: readonly PersonRow[]) => ReadonlyMap<string, KnownPerson>,
): Promise<Map<string, PairComparison>> {
  const shared = await findShared(database, pairs);
  const wanted = pairs.filter(({ a, b }) => isCompared(shared.get(`${a} ${b}`) ?? []));
  const ids = [...new Set(wanted.flatMap(({ a, b }) => [a, b]))];
  const rows = ids.length === 0 ? [] : await database.query<Row>(READ_PERSONS, [database.projectId, ids]);
  const persons = readPersons(rows as PersonRow[]);
  return new Map(
    pairs.flatMap(({ a, b }): [string, PairComparison][] => {
      const own = shared.get(`${a} ${b}`);
      return own
        ? [[`${a} ${b}`, { shared: own, compared: comparedPair(own, persons.get(a), persons.get(b)) }]]
        : [];
    }),
  );
}

async function findShared(
  database: ProjectDatabase,
  pairs: readonly PairKey[],
): Promise<Map<string, PairEvidence[]>> {
  const rows = await database.query<Row>(FIND_EVIDENCE, [
    database.projectId,
    pairs.map(({ a }) => a),
    pairs.map(({ b }) => b),
  ]);
  const found = new Map<string, PairEvidence[]>();
  for (const row of rows) {
    const kind = kindOfNumber(row.kind);
    if (!isLinkingKind(kind)) continue;
    const key = `${row.a} ${row.b}`;
    const list = found.get(key) ?? [];
    list.push({
      kind,
      hash: row.value_hash,
      accounts: row.accounts,
      isSharedMailbox: row.is_shared_mailbox,
      mine: { firstSeen: row.first_seen, lastSeen: row.last_seen, uses: row.uses },
      theirs: { firstSeen: row.other_first_seen, lastSeen: row.other_last_seen, uses: row.other_uses },
    });
    found.set(key, list);
  }
  return found;
}
