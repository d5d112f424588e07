import type { ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import type { AccountRow } from '../model/account-row.ts';
import { accountColumns } from '../model/account-row.ts';

/** A link between two accounts, by their internal ids. */
export type GraphLink = {
  from: string;
  to: string;
  score: number;
  kinds: number;
  firstSeen: Date;
  lastSeen: Date;
};

/**
 * Strongest links of each account of a level, in the order of the accounts, up to `limit` in total. Rows after the limit are
 * not read, whatever the planner's estimates.
 */
const LEVEL = (columns: string, each: string, minScore: string, limit: string) => `select ${columns}
    from unnest(:from::uuid[]) with ordinality as f (id, place) cross join lateral (
      select k.linked_account_id, k.score from links k
      where k.project_id = $1 and k.account_id = f.id ${minScore}
      order by k.score desc, k.linked_account_id desc limit ${each}
    ) l
    limit ${limit}`;

const FIND_LEVEL = namedStatement(
  'graph.find_level',
  `with level as materialized (
      ${LEVEL('l.linked_account_id as id, l.score', ':maxLinksOfEach', 'and k.score >= :minScore::float8', ':maxLinks')}
    ), reached as (
      select id, max(score) as score from level where id <> all(:known::uuid[])
      group by id order by max(score) desc, id desc limit :maxFound
    )
    select (select count(*)::int from level) as links,
      array(select id from reached order by score desc, id desc)::text[] as ids`,
  ['projectId', 'from', 'maxLinksOfEach', 'minScore', 'maxLinks'],
);

/** Accounts linked to those of `from`, without `known` ones, the strongest links first. */
export async function findLevel(
  database: ProjectDatabase,
  level: {
    from: readonly string[];
    known: readonly string[];
    minScore: number;
    /** Maximum number of links read per account, and in total. */
    maxLinksOfEach: number;
    maxLinks: number;
    maxFound: number;
  },
): Promise<{ links: number; ids: string[] }> {
  const { from, known, minScore, maxLinksOfEach, maxLinks, maxFound } = level;
  const [row] = await database.query<{ links: number; ids: string[] }>(
    ...FIND_LEVEL.call({
      projectId: database.projectId,
      from,
      minScore,
      maxLinksOfEach,
      maxLinks,
      known,
      maxFound,
    }),
  );
  return row!;
}

const ID_WIDTH = 36;
const NUMBER_WIDTH = 5;
const SCORE_UNITS = 10_000;
export const STEP_WIDTH = ID_WIDTH + 2 * NUMBER_WIDTH;

/** Returns one text instead of up to 20,000 rows: parsing these would block the event loop for 0.1 s. */
const FIND_STEPS = namedStatement(
  'graph.find_steps',
  `with level as materialized (
      ${LEVEL('f.place, l.linked_account_id as id, l.score', ':maxLinksOfEach', '', ':maxLinks')}
    ), best as (
      select distinct on (id) id, place, score from level order by id, score desc, place
    )
    select (select count(*)::int from level) as links, coalesce(string_agg(
      id || lpad(place::text, ${NUMBER_WIDTH}, '0') || lpad(round(score * ${SCORE_UNITS})::text, ${NUMBER_WIDTH}, '0'),
      '' order by score desc, id desc), '') as steps
    from best`,
);

/** A link of a path: the account that it reaches, the index (from 0) of the account where it starts, and its score. */
export type Step = { id: string; place: number; score: number };

/** Accounts linked to those of `from`, each with its strongest link, as text for `readStep`. */
export async function findSteps(
  database: ProjectDatabase,
  from: readonly string[],
  limits: { maxLinksOfEach: number; maxLinks: number },
): Promise<{ links: number; steps: string }> {
  const [row] = await database.query<{ links: number; steps: string }>(
    ...FIND_STEPS.call({
      projectId: database.projectId,
      from,
      maxLinksOfEach: limits.maxLinksOfEach,
      maxLinks: limits.maxLinks,
    }),
  );
  return row!;
}

/** Parses the step at `offset`, a multiple of STEP_WIDTH. */
export function readStep(steps: string, offset: number): Step {
  const placeAt = offset + ID_WIDTH;
  const scoreAt = placeAt + NUMBER_WIDTH;
  return {
    id: steps.slice(offset, placeAt),
    place: Number(steps.slice(placeAt, scoreAt)) - 1,
    score: Number(steps.slice(scoreAt, scoreAt + NUMBER_WIDTH)) / SCORE_UNITS,
  };
}

/**
 * Reads by the primary key, so that the number of pairs bounds the cost. Returns one JSON text of numbers with the index of
 * each account: parsing 5,000 rows would block the event loop four times as long.
 */
const FIND_EDGES: Statement = {
  name: 'graph.find_edges',
  text: `select coalesce(json_agg(json_build_array(from_place, to_place, score, kinds, first_seen, last_seen)
        order by score desc, from_place, to_place), '[]')::text as edges
    from (
      select n.place - 1 as from_place, m.place - 1 as to_place, k.score, k.kinds,
        floor(extract(epoch from k.first_seen) * 1000) as first_seen, floor(extract(epoch from k.last_seen) * 1000) as last_seen
      from unnest($2::uuid[]) with ordinality as n (id, place)
      join links k on k.project_id = $1 and k.account_id = n.id and k.linked_account_id = any($2::uuid[])
      join unnest($2::uuid[]) with ordinality as m (id, place) on m.id = k.linked_account_id and n.place < m.place
      where k.score >= $3::float8
      order by k.score desc, n.place, m.place limit $4
    ) strongest`,
};

type EdgeNumbers = [
  from: number,
  to: number,
  score: number,
  kinds: number,
  firstSeen: number,
  lastSeen: number,
];

/** Links between accounts of `ids`, each once, the strongest first. `from` is the earlier of the two in `ids`. */
export async function findEdges(
  database: ProjectDatabase,
  ids: readonly string[],
  { minScore, maxEdges }: { minScore: number; maxEdges: number },
): Promise<GraphLink[]> {
  const [row] = await database.query<Row>(FIND_EDGES, [database.projectId, ids, minScore, maxEdges]);
  return (JSON.parse(row.edges) as EdgeNumbers[]).map(([from, to, score, kinds, firstSeen, lastSeen]) => ({
    from: ids[from]!,
    to: ids[to]!,
    score,
    kinds,
    firstSeen: new Date(firstSeen),
    lastSeen: new Date(lastSeen),
  }));
}

const FIND_PAIR: Statement = {
  name: 'graph.find_accounts',
  text: `select ${accountColumns('a')} from accounts a where a.project_id = $1 and a.account_id = any($2::text[])`,
};

/** Accounts by the client's ids, in the same order; null for unknown ids. */
export async function findByClientIds(
  database: ProjectDatabase,
  accountIds: readonly string[],
): Promise<(AccountRow | null)[]> {
  const rows = await database.query<AccountRow>(FIND_PAIR, [database.projectId, accountIds]);
  const byId = new Map(rows.map((row) => [row.account_id, row]));
  return accountIds.map((id) => byId.get(id) ?? null);
}
