import { type KeysetPage, keysetOf } from '../../../platform/keyset.ts';
import type { Call, ProjectDatabase, Statement, Transaction } from '../../../storage/database.ts';
import { accountOfCheckCall, type CheckAccount, toCheckAccount } from '../check-lock-store.ts';
import { FIND_VERIFICATION, type VerificationRow } from '../verification-store.ts';
import type { ReviewDecision, ReviewRow } from './review.ts';

const LOCK: Statement = {
  name: 'verification.lock_for_review',
  text: 'select 1 from verification_sessions where project_id = $1 and session_id = $2 for no key update',
};

/** A verification with its last review, and its account; null for an account that does not exist. */
export type LockedForReview = {
  readonly row: VerificationRow | null;
  readonly account: CheckAccount | null;
};

/**
 * The verification with its last review; no other review of it is written until the end of the transaction. The lock is a
 * statement of its own: the read begins after it was granted, and sees the review of its former holder.
 */
export async function lockForReview(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  sessionId: string,
): Promise<LockedForReview> {
  const values = [projectId, sessionId];
  const [, rows = [], accounts = []] = await transaction.run(
    [LOCK, values],
    [FIND_VERIFICATION, values],
    accountOfCheckCall(projectId, sessionId),
  );
  return { row: rows[0] ?? null, account: toCheckAccount(accounts) };
}

const INSERT: Statement = {
  name: 'verification_review.insert',
  text: `insert into verification_reviews (project_id, session_id, position, decision, sealed_reason, actor, created_at)
         values ($1, $2, $3, $4, $5, $6, $7)`,
};

export type NewReview = {
  sessionId: string;
  position: number;
  decision: ReviewDecision;
  sealedReason: Buffer | null;
  actor: string;
  at: Date;
};

export function insertReviewCall(projectId: string, review: NewReview): Call {
  const { sessionId, position, decision, sealedReason, actor, at } = review;
  return [INSERT, [projectId, sessionId, position, decision, sealedReason, actor, at]];
}

const REVIEW_COLUMNS = `r.session_id as "sessionId", r.position, r.decision, r.sealed_reason as "sealedReason", r.actor,
  r.created_at as at`;
const ORDER = [{ sql: 'r.position', type: 'int' }] as const;

export type ReviewOfSession = ReviewRow & { readonly sessionId: string };

/** The same page of the reviews of several verifications, the latest first. */
export function findReviews(
  database: ProjectDatabase,
  sessionIds: readonly string[],
  page: KeysetPage,
): Promise<ReviewOfSession[]> {
  const values: unknown[] = [database.projectId, sessionIds];
  const keyset = keysetOf(ORDER, 'DESC', page, (value) => `$${values.push(value)}`);
  const where = ['r.project_id = $1', 'r.session_id = w.session_id', ...keyset.conditions].join(' and ');
  return database.query(
    {
      name: `verification_review.find_page:${keyset.shape}`,
      text: `select ${REVIEW_COLUMNS} from unnest($2::uuid[]) as w (session_id) cross join lateral (
               select r.* from verification_reviews r where ${where} ${keyset.order}
             ) r ${keyset.by}`,
    },
    values,
  );
}

const COUNT: Statement = {
  name: 'verification_review.count',
  text: `select w.session_id as "sessionId", (
           select count(*)::int from (
             select from verification_reviews r where r.project_id = $1 and r.session_id = w.session_id limit $3
           ) found
         ) as total
         from unnest($2::uuid[]) as w (session_id)`,
};

/** Numbers of reviews of verifications, counted up to a limit. */
export function countReviews(
  database: ProjectDatabase,
  sessionIds: readonly string[],
  limit: number,
): Promise<{ sessionId: string; total: number }[]> {
  return database.query(COUNT, [database.projectId, sessionIds, limit]);
}

const FIND_BY_KEYS: Statement = {
  name: 'verification_review.find_by_keys',
  text: `select ${REVIEW_COLUMNS} from unnest($2::uuid[], $3::int[]) as w (session_id, position)
         join verification_reviews r on r.project_id = $1 and r.session_id = w.session_id and r.position = w.position`,
};

/** Reviews by verification and position, in any order. */
export function findReviewsByKeys(
  database: ProjectDatabase,
  keys: readonly { sessionId: string; position: number }[],
): Promise<ReviewOfSession[]> {
  const sessions = keys.map(({ sessionId }) => sessionId);
  return database.query(FIND_BY_KEYS, [database.projectId, sessions, keys.map(({ position }) => position)]);
}
