import { firstIdAt } from '@vouchgraph/platform/ids';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase } from '../../storage/database.ts';
import { countFound, findPage, selectionIn } from '../../storage/selection.ts';
import type { StoredDecision } from './decision-store.ts';

/** Columns of a decision `d` of an account `a`, under the names of `StoredDecision`. */
const COLUMNS = `d.project_id as "projectId", d.decision_id as "decisionId", d.account_id as "accountId",
    d.session_id as "sessionId", d.request_id as "requestId", d.at, d.first_session as "firstSession", d.decision,
    d.account_score as "accountScore", d.versions, d.inputs, json_build_object('accountId', a.account_id) as account`;

/** Conditions of decisions; a decision meets all of them. */
export type DecisionFilter = {
  readonly decision?: string | null | undefined;
  /** Id of the account, assigned by the client. */
  readonly accountId?: string | null | undefined;
  readonly minScore?: number | null | undefined;
  /** Decisions of [since, until). */
  readonly since?: Date | null | undefined;
  readonly until?: Date | null | undefined;
};

const DECISIONS = ['Real', 'Suspicious', 'Fake'];

/** The tenth of a score, as in the index `decisions_outcome`. */
const TENTH = `case
    when o.account_score >= 0.9 then 9 when o.account_score >= 0.8 then 8 when o.account_score >= 0.7 then 7
    when o.account_score >= 0.6 then 6 when o.account_score >= 0.5 then 5 when o.account_score >= 0.4 then 4
    when o.account_score >= 0.3 then 3 when o.account_score >= 0.2 then 2 when o.account_score >= 0.1 then 1 else 0 end`;
const TENTHS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
/** Minimum score of each tenth, by the comparisons of TENTH. */
const MIN_SCORES = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/**
 * The parts of the index `decisions_outcome` in which a filter has its decisions: pairs of a decision and a tenth. Each is
 * in the order of the pages.
 */
function partsOf({ decision, minScore }: DecisionFilter): { decision: string; tenth: number }[] {
  const first = minScore == null ? 0 : MIN_SCORES.findLastIndex((score) => score <= minScore);
  const tenths = TENTHS.slice(Math.max(first, 0));
  const decisions = decision ? [decision] : DECISIONS;
  return decisions.flatMap((each) => tenths.map((tenth) => ({ decision: each, tenth })));
}

/** Source and conditions of the decisions `o` of a filter. */
function selectionOf(database: ProjectDatabase, filter: DecisionFilter) {
  const selection = selectionIn(database, ['o.project_id = $1']);
  const { parameter, add } = selection;
  const { decision, accountId, minScore, since, until } = filter;
  if (since) add('since', `o.decision_id >= ${parameter(firstIdAt(since))}::uuid`);
  if (until) add('until', `o.decision_id < ${parameter(firstIdAt(until))}::uuid`);
  if (minScore != null) add('score', `o.account_score >= ${parameter(minScore)}::float8`);
  if (accountId != null) {
    const id = `(select a.id from accounts a where a.project_id = $1 and a.account_id = ${parameter(accountId)})`;
    add('account', `o.account_id = ${id}`);
    if (decision) add('decision', `o.decision = ${parameter(decision)}`);
    return { parts: null, selection };
  }
  if (!decision && minScore == null) return { parts: null, selection };
  const parts = partsOf(filter);
  const decisions = parameter(parts.map((part) => part.decision));
  const tenths = parameter(parts.map(({ tenth }) => tenth));
  add('parts', `o.decision = part.decision and ${TENTH} = part.tenth`);
  return { parts: `unnest(${decisions}::text[], ${tenths}::int[]) as part (decision, tenth)`, selection };
}

/** A page of the decisions of the project, the newest first, in the order in which it is read. */
export function searchDecisions(
  database: ProjectDatabase,
  filter: DecisionFilter,
  page: KeysetPage,
): Promise<StoredDecision[]> {
  const { parts, selection } = selectionOf(database, filter);
  const columns = [{ sql: 'o.decision_id', type: 'uuid' }];
  return findPage(
    selection,
    'decision.search',
    { columns, direction: 'DESC', page },
    ({ where, order, reads }) => {
      const found = `select o.decision_id from decisions o where ${where} ${order}`;
      const chosen =
        parts === null
          ? found
          : `select o.decision_id from ${parts} cross join lateral (${found}) o ${order}`;
      return `select ${COLUMNS} from (${chosen}) chosen
              join decisions d on d.project_id = $1 and d.decision_id = chosen.decision_id
              join accounts a on a.project_id = $1 and a.id = d.account_id
              order by d.decision_id ${reads}`;
    },
  );
}

/** Number of decisions that a filter finds, counted up to a limit. */
export function countFoundDecisions(
  database: ProjectDatabase,
  filter: DecisionFilter,
  limit: number,
): Promise<number> {
  const { parts, selection } = selectionOf(database, filter);
  return countFound(selection, 'decision.count_found', limit, (where, most) => {
    const found = `select from decisions o where ${where} order by o.decision_id desc limit ${most}`;
    return parts === null ? found : `select from ${parts} cross join lateral (${found}) o limit ${most}`;
  });
}
