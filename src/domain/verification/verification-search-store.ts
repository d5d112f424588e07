import { type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase } from '../../storage/database.ts';
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

/** Conditions of a filter. Each combination is a separate statement. */
function selectionOf(filter: VerificationFilter, parameter: (value: unknown) => string) {
  const conditions = ['v.project_id = $1'];
  const shape: string[] = [];
  const add = (name: string, condition: string) => {
    shape.push(name);
    conditions.push(condition);
  };
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
  return { conditions, shape };
}

/** Page of verification sessions, newest first. */
export function searchVerifications(
  database: ProjectDatabase,
  filter: VerificationFilter,
  page: KeysetPage,
): Promise<VerificationRow[]> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { conditions, shape } = selectionOf(filter, parameter);
  const keyset = keysetOf(ORDER, 'DESC', page, parameter);
  return database.query<VerificationRow>(
    {
      name: `verification.search:${keyset.shape}:${shape.join(',')}`,
      text: `select ${COLUMNS} from verification_sessions v
             where ${[...conditions, ...keyset.conditions].join(' and ')} ${keyset.order}`,
    },
    values,
  );
}

/** Number of verification sessions, counted up to a limit. */
export async function countVerifications(
  database: ProjectDatabase,
  filter: VerificationFilter,
  limit: number,
): Promise<number> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { conditions, shape } = selectionOf(filter, parameter);
  const rows = await database.query<{ total: number }>(
    {
      name: `verification.count:${shape.join(',')}`,
      text: `select count(*)::int as total from (
               select from verification_sessions v where ${conditions.join(' and ')} limit ${parameter(limit)}) found`,
    },
    values,
  );
  return rows[0]!.total;
}
