import type { KeysetPage } from '../../platform/keyset.ts';
import type { ProjectDatabase } from '../../storage/database.ts';
import { countFound, findPage, selectionIn } from '../../storage/selection.ts';
import type { VerificationKind } from '../model/verification-kind.ts';
import { captureStartedAfter, type StoredState } from './state-table.ts';
import { COLUMNS, type VerificationRow } from './verification-store.ts';

export type VerificationFilter = {
  readonly kind: VerificationKind | null;
  readonly states: readonly StoredState[] | null;
  /** Whether the time limit of the start or of the capture has passed; null for either. */
  readonly isExpired: boolean | null;
  readonly decision: string | null;
  readonly minRiskScore: number | null;
  readonly accountId: string | null;
  readonly createdAfter: Date | null;
  readonly createdBefore: Date | null;
  readonly now: Date;
};

const ORDER = [
  { sql: 'v.created_at', type: 'timestamptz' },
  { sql: 'v.session_id', type: 'uuid' },
] as const;

/** Selection of a filter. */
function selectionOf(database: ProjectDatabase, filter: VerificationFilter) {
  const selection = selectionIn(database, ['v.project_id = $1']);
  const { parameter, add } = selection;
  if (filter.kind !== null) add('kind', `v.kind = ${parameter(filter.kind)}`);
  if (filter.states !== null) add('states', `v.state = any(${parameter(filter.states)}::text[])`);
  if (filter.decision !== null)
    add('decision', `v.decision = ${parameter(filter.decision)} and v.state = 'completed'`);
  if (filter.minRiskScore !== null)
    add('score', `v.risk_score >= ${parameter(filter.minRiskScore)}::float8 and v.state = 'completed'`);
  if (filter.accountId !== null) {
    const accountId = parameter(filter.accountId);
    const bound = `(select a.id from accounts a where a.project_id = $1 and a.account_id = ${accountId})`;
    add('account', `(v.account_id = ${accountId} or v.bound_account_id = ${bound})`);
  }
  if (filter.isExpired !== null) {
    const isLate = `coalesce(v.started_at <= ${parameter(captureStartedAfter(filter.now))}::timestamptz, false)`;
    const isOver = `v.expires_at <= ${parameter(filter.now)}::timestamptz`;
    const expected = filter.isExpired ? '' : 'not ';
    add(
      filter.isExpired ? 'expired' : 'not_expired',
      `${expected}case v.state when 'capturing' then ${isLate} else ${isOver} end`,
    );
  }
  if (filter.createdAfter !== null)
    add('created_after', `v.created_at >= ${parameter(filter.createdAfter)}::timestamptz`);
  if (filter.createdBefore !== null)
    add('created_before', `v.created_at < ${parameter(filter.createdBefore)}::timestamptz`);
  return selection;
}

/** Page of verification sessions, newest first. */
export function searchVerifications(
  database: ProjectDatabase,
  filter: VerificationFilter,
  page: KeysetPage,
): Promise<VerificationRow[]> {
  return findPage(
    selectionOf(database, filter),
    'verification.search',
    { columns: ORDER, direction: 'DESC', page },
    ({ where, order }) => `select ${COLUMNS} from verification_sessions v where ${where} ${order}`,
  );
}

/** Number of verification sessions, counted up to a limit. */
export function countVerifications(
  database: ProjectDatabase,
  filter: VerificationFilter,
  limit: number,
): Promise<number> {
  return countFound(
    selectionOf(database, filter),
    'verification.count',
    limit,
    (where, most) => `select from verification_sessions v where ${where} limit ${most}`,
  );
}
