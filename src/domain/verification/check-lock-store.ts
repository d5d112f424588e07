import type { ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import type { VerificationRow } from './verification-store.ts';

/** Sets the lock timeout for the locks that precede an account's lock. */
export const LIMIT_LOCK_WAITS: Statement = {
  name: 'verification.limit_lock_waits',
  text: `select set_config('lock_timeout', coalesce(nullif(current_setting('app.lock_timeout', true), ''), '0'), true)`,
};

const LOCK_CHECK: Statement = {
  name: 'verification.lock',
  text: 'select 1 from verification_sessions v where v.project_id = $1 and v.session_id = $2 for update of v',
};

/** Runs as a separate statement after the lock, so that it sees what the former holder committed. */
const READ_CHECK: Statement = {
  name: 'verification.read_locked',
  text: `select v.state, v.account_id, v.result, v.bound_account_id, v.document_retakes, v.completed_at,
           a.account_id as bound_to
         from verification_sessions v
         left join accounts a on a.project_id = $1 and a.id = v.bound_account_id
         where v.project_id = $1 and v.session_id = $2`,
};

/** Locked verification session. */
export type LockedCheck = Pick<
  VerificationRow,
  'state' | 'account_id' | 'result' | 'bound_account_id' | 'document_retakes' | 'completed_at'
> & {
  /** Client's id of the bound account; null for none. */
  bound_to: string | null;
};

/** Account of a check: the account it was created for, otherwise the account its session was bound to first. */
export function accountOfCheck({ account_id, bound_to }: LockedCheck): string | null {
  return account_id ?? bound_to;
}

/**
 * Locks a verification session until the commit. The order of locks is: faces of the project, session, accounts. Pass the
 * last result row to `toLockedCheck`.
 */
export const lockCheckCalls = (projectId: string, sessionId: string) =>
  [
    [LOCK_CHECK, [projectId, sessionId]],
    [READ_CHECK, [projectId, sessionId]],
  ] as const;

export function toLockedCheck(rows: readonly Row[] | undefined): LockedCheck | null {
  return rows?.[0] ?? null;
}

const FIND_ACCOUNT: Statement = {
  name: 'verification.bound_account',
  text: `select a.account_id from verification_sessions v
         join accounts a on a.project_id = $1 and a.id = v.bound_account_id
         where v.project_id = $1 and v.session_id = $2`,
};

/** Client's id of the account that a session's check is bound to; null for none. */
export async function findAccountOfCheck(
  database: ProjectDatabase,
  sessionId: string,
): Promise<string | null> {
  const [row] = await database.query(FIND_ACCOUNT, [database.projectId, sessionId]);
  return row?.account_id ?? null;
}
