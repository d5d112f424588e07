import type { ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import type { LinkRow } from '../linking/link-store.ts';
import type { AccountRow } from '../model/account-row.ts';
import { accountColumns } from '../model/account-row.ts';
import { PREFIXED_SESSION_COLUMNS, prefixedSession, type StoredSession } from '../sessions/session-store.ts';

/** What is read together with an account: its first so many links, and its latest session. */
export type WantedNeighbours = { links: number; session: boolean };

export type AccountWithNeighbours = {
  account: AccountRow;
  links: LinkRow[];
  /** Null when it has none, or was not wanted. */
  session: StoredSession | null;
};

/**
 * The account itself comes first, without a score, then its links in the order of their pages. One statement for what
 * would be three, since each costs more by itself than by what it reads.
 */
function statementFor(session: boolean): Statement {
  const sessionColumns = session ? `, ${PREFIXED_SESSION_COLUMNS}` : '';
  const sessionJoin = session
    ? 'left join sessions s on s.project_id = $1 and s.session_id = case when l.kinds is null then n.last_session end'
    : '';
  return {
    name: `account.find_with_neighbours${session ? ':session' : ''}`,
    text: `with me as materialized (
        select a.id from accounts a where a.project_id = $1 and a.account_id = $2
      )
      select l.score, l.kinds, l.link_first_seen, l.link_last_seen, ${accountColumns('n')}${sessionColumns}
      from (
        select m.id, null::float8, null::int, null::timestamptz, null::timestamptz from me m
        union all (
          select k.linked_account_id, k.score, k.kinds, k.first_seen, k.last_seen from links k
          where k.project_id = $1 and k.account_id = (select m.id from me m)
          order by k.score desc, k.linked_account_id desc limit $3
        )
      ) as l (id, score, kinds, link_first_seen, link_last_seen)
      join accounts n on n.project_id = $1 and n.id = l.id
      ${sessionJoin}
      order by l.score desc nulls first, l.id desc`,
  };
}

const WITH_SESSION = statementFor(true);
const WITHOUT_SESSION = statementFor(false);

export async function findAccountWithNeighbours(
  database: ProjectDatabase,
  accountId: string,
  wanted: WantedNeighbours,
): Promise<AccountWithNeighbours | null> {
  const statement = wanted.session ? WITH_SESSION : WITHOUT_SESSION;
  const rows = await database.query<Row>(statement, [database.projectId, accountId, wanted.links]);
  const [own, ...linked] = rows;
  if (!own) return null;
  return {
    account: own,
    links: linked.map((row) => ({ ...row, parent_id: own.id, linked_account_id: row.id, account: row })),
    session: wanted.session && own.s_session_id !== null ? prefixedSession(own) : null,
  };
}
