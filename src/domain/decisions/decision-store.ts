import { type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';

/** A stored decision; its inputs are encrypted. */
export type DecisionRow = {
  decision_id: string;
  /** Internal id of the account, and the client's. */
  account: string;
  account_id: string;
  session_id: string;
  request_id: string;
  at: Date;
  first_session: boolean;
  decision: string;
  account_score: number;
  versions: DecisionVersions;
  inputs: Buffer;
};

/** Versions that a decision used: weights (signals, links, account, email), thresholds and rules. */
export type DecisionVersions = {
  readonly signals: string;
  readonly links: string;
  readonly account: string;
  readonly email: string;
  readonly thresholds: number;
  /** Absent from decisions of versions without rules. */
  readonly rules?: number;
};

/** Columns of a decision `d` of an account `a`. */
export const DECISION_COLUMNS = `d.decision_id, d.account_id as account, a.account_id, d.session_id, d.request_id, d.at, d.first_session,
    d.decision, d.account_score, d.versions, d.inputs`;
const FROM = 'decisions d join accounts a on a.project_id = d.project_id and a.id = d.account_id';

const FIND: Statement = {
  name: 'decision.find',
  text: `select ${DECISION_COLUMNS} from ${FROM} where d.project_id = $1 and d.decision_id = any($2::uuid[])`,
};

export function findDecisions(
  database: ProjectDatabase,
  decisionIds: readonly string[],
): Promise<DecisionRow[]> {
  return database.query(FIND, [database.projectId, decisionIds]);
}

/** Through the accounts that the session is bound to, since decisions are indexed by account. */
const FIND_OF_SESSION: Statement = {
  name: 'decision.find_of_session',
  text: `select ${DECISION_COLUMNS} from account_sessions b cross join lateral (
           select * from decisions o
           where o.project_id = $1 and o.account_id = b.account_id and o.session_id = b.session_id
           order by o.decision_id desc limit 1
         ) d join accounts a on a.project_id = $1 and a.id = d.account_id
         where b.project_id = $1 and b.session_id = $2
         order by d.decision_id desc limit 1`,
};

/** The latest decision on a session. */
export async function findDecisionOfSession(
  database: ProjectDatabase,
  sessionId: string,
): Promise<DecisionRow | null> {
  const [row] = await database.query<DecisionRow>(FIND_OF_SESSION, [database.projectId, sessionId]);
  return row ?? null;
}

/** A page of the decisions on each account, by their internal ids, the newest first, in the order in which it is read. */
export function findDecisionsOfAccounts(
  database: ProjectDatabase,
  accounts: readonly string[],
  page: KeysetPage,
): Promise<DecisionRow[]> {
  const values: unknown[] = [database.projectId, accounts];
  const byId = [{ sql: 'o.decision_id', type: 'uuid' }];
  const keyset = keysetOf(byId, 'DESC', page, (value) => `$${values.push(value)}`);
  const { shape, reads, conditions, order } = keyset;
  return database.query(
    {
      name: `decision.find_pages:${shape}`,
      text: `select ${DECISION_COLUMNS} from unnest($2::uuid[]) as w (id) cross join lateral (
           select * from decisions o
           where ${['o.project_id = $1', 'o.account_id = w.id', ...conditions].join(' and ')} ${order}
         ) d join accounts a on a.project_id = $1 and a.id = d.account_id
         order by d.decision_id ${reads}`,
    },
    values,
  );
}

const COUNT: Statement = {
  name: 'decision.count',
  text: `select w.id, c.total from unnest($2::uuid[]) as w (id) cross join lateral (
           select count(*)::int as total from (
             select from decisions o where o.project_id = $1 and o.account_id = w.id limit $3
           ) found
         ) c`,
};

/** Number of decisions on each account, counted up to a limit. */
export function countDecisions(
  database: ProjectDatabase,
  accounts: readonly string[],
  limit: number,
): Promise<{ id: string; total: number }[]> {
  return database.query(COUNT, [database.projectId, accounts, limit]);
}
