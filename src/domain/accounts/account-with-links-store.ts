import { type Coalescer, createCoalescer } from '@vouchgraph/platform/coalesce';
import { LRUCache } from 'lru-cache';
import type { ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import type { LinkRow } from '../linking/link-store.ts';
import { type AccountRow, DETAIL_COLUMNS, MAIN_COLUMNS, MEMBERSHIP_JSON } from '../model/account-row.ts';
import { prefixedSession, prefixedSessionColumns, type StoredSession } from '../sessions/session-store.ts';

/** Data that is read together with an account. */
export type AccountSelection = {
  /** Maximum number of links. */
  links: number;
  /** Latest session; `summary` is the session without its encrypted result. */
  session: 'none' | 'summary' | 'whole';
  /** Columns of accounts: the main ones, with details, or all with `aggregates`. Lists are always included. */
  columns: 'main' | 'details' | 'all';
};

export type AccountWithLinks = {
  account: AccountRow;
  links: LinkRow[];
  /** Null without a session, or when it was not selected. */
  session: StoredSession | null;
};

/**
 * Returns for each account its own row first, without a score, then its links in page order. One statement instead of four
 * (account, session, links, lists), for several accounts, because the overhead of a statement exceeds the cost of its rows. The
 * ids are in a subquery, so that the planner does not make a new plan for each number of ids.
 */
function statementFor({ session, columns }: AccountSelection): Statement {
  const hasSession = session !== 'none';
  const ofAccounts = columns === 'main' ? MAIN_COLUMNS : [...MAIN_COLUMNS, ...DETAIL_COLUMNS];
  return {
    name: `account.find_with_links:${session}:${columns}`,
    text: `with me as materialized (
        select a.id, a.last_session from accounts a
        where a.project_id = $1 and a.account_id = any((select $2::text[])::text[])
      ), l (owner, id, score, kinds, first_seen, last_seen, last_session) as materialized (
        select m.id, m.id, null::float8, null::int, null::timestamptz, null::timestamptz, m.last_session from me m
        union all
        select m.id, k.*, null::uuid from me m cross join lateral (
          select k.linked_account_id, k.score, k.kinds, k.first_seen, k.last_seen from links k
          where k.project_id = $1 and k.account_id = m.id
          order by k.score desc, k.linked_account_id desc limit $3
        ) k
      ), t as materialized (
        select m.account_id, json_agg(${MEMBERSHIP_JSON} order by l.name) as lists
        from list_members m join lists l on l.project_id = $1 and l.list_id = m.list_id
        where m.project_id = $1 and m.account_id = any(array(select l.id from l))
          and (m.expires_at is null or m.expires_at > now())
        group by m.account_id
      )
      select l.owner, l.score, l.kinds, l.first_seen as link_first_seen, l.last_seen as link_last_seen,
             ${ofAccounts.map((column) => `n.${column}`).join(', ')}, t.lists${columns === 'all' ? ', n.aggregates::text as aggregates' : ''}
             ${hasSession ? `, ${prefixedSessionColumns(session === 'whole')}` : ''}
      from l
      join accounts n on n.project_id = $1 and n.id = l.id
      left join t on t.account_id = l.id
      ${hasSession ? 'left join sessions s on s.project_id = $1 and s.session_id = l.last_session' : ''}
      order by l.owner, l.score desc nulls first, l.id desc`,
  };
}

type Find = Coalescer<string, AccountWithLinks | null>;
const coalescers = new WeakMap<ProjectDatabase, LRUCache<string, Find>>();
/** Maximum number of query shapes cached per project. */
const MAX_SHAPES = 64;
/** Two calls keep the database busy while this process handles the rows of one. */
const MAX_RUNNING = 2;
const MAX_ACCOUNTS = 8;
/** Expected number of links per statement, so that accounts with many links do not share one. */
const EXPECTED_LINKS = 400;
/**
 * Decay of the estimated links per account: an account with many links temporarily reduces the size of the following
 * statements.
 */
const DECAY = 0.9;

/** The account with the client's id, or null. Concurrent requests of a project share statements. */
export function findAccountWithLinks(
  database: ProjectDatabase,
  accountId: string,
  wanted: AccountSelection,
): Promise<AccountWithLinks | null> {
  let ofProject = coalescers.get(database);
  if (!ofProject) {
    ofProject = new LRUCache({ max: MAX_SHAPES });
    coalescers.set(database, ofProject);
  }
  const shape = `${wanted.links}:${wanted.session}:${wanted.columns}`;
  let coalescer = ofProject.get(shape);
  if (!coalescer) {
    coalescer = coalescerFor(database, wanted);
    ofProject.set(shape, coalescer);
  }
  return coalescer.find(accountId);
}

function coalescerFor(database: ProjectDatabase, wanted: AccountSelection): Find {
  const statement = statementFor(wanted);
  let linksOfAccount = 1;
  return createCoalescer({
    async load(accountIds) {
      const values = [database.projectId, [...new Set(accountIds)], wanted.links];
      const found = byAccountId(await database.query<Row>(statement, values), wanted);
      linksOfAccount *= DECAY;
      for (const { links } of found.values()) linksOfAccount = Math.max(linksOfAccount, links.length);
      return accountIds.map((id) => found.get(id) ?? null);
    },
    maxKeys: () => Math.max(1, Math.min(MAX_ACCOUNTS, Math.floor(EXPECTED_LINKS / linksOfAccount))),
    maxRunning: MAX_RUNNING,
    isExpensive: (values) =>
      values.reduce((sum, found) => sum + (found?.links.length ?? 0), 0) > EXPECTED_LINKS,
  });
}

function byAccountId(rows: readonly Row[], wanted: AccountSelection): Map<string, AccountWithLinks> {
  const found = new Map<string, AccountWithLinks>();
  let current: AccountWithLinks | undefined;
  for (const row of rows) {
    row.lists ??= [];
    if (row.kinds === null) {
      current = { account: row, links: [], session: sessionOf(row, wanted) };
      found.set(row.account_id, current);
    } else current!.links.push(linkOf(row, current!.account.id));
  }
  return found;
}

function linkOf(row: Row, parentId: string): LinkRow {
  return {
    parent_id: parentId,
    linked_account_id: row.id,
    score: row.score,
    kinds: row.kinds,
    link_first_seen: row.link_first_seen,
    link_last_seen: row.link_last_seen,
    account: row,
  };
}

function sessionOf(row: Row, { session }: AccountSelection): StoredSession | null {
  return session === 'none' || row.s_session_id === null ? null : prefixedSession(row);
}
