import type { KeysetPage } from '../../../platform/keyset.ts';
import type { ProjectDatabase, ProjectTransaction, Statement } from '../../../storage/database.ts';
import type { Prisma } from '../../../storage/generated/prisma/client.ts';
import { idList, prismaPage } from '../../../storage/prisma-page.ts';
import { ACCOUNT_COLUMNS, LAST_REVIEW, STANDING_COLUMNS } from '../verification-read-store.ts';
import type { StoredReview } from './review.ts';

const LOCK: Statement = {
  name: 'verification.lock_for_review',
  text: 'select 1 from verification_sessions where project_id = $1 and session_id = $2 for no key update',
};

const REVIEWED_COLUMNS = {
  ...STANDING_COLUMNS,
  ...LAST_REVIEW,
  ...ACCOUNT_COLUMNS,
  referringSessionId: true,
} as const satisfies Prisma.VerificationSessionSelect;

/** A verification with its last review and its accounts. */
export type ReviewedVerification = Prisma.VerificationSessionGetPayload<{ select: typeof REVIEWED_COLUMNS }>;

/**
 * The verification with its last review. No other review of it is written until the end of the transaction. The lock is a
 * separate statement: the read begins after the lock was acquired, and sees the review of its former holder.
 */
export async function lockForReview(
  transaction: ProjectTransaction,
  projectId: string,
  sessionId: string,
): Promise<ReviewedVerification | null> {
  await transaction.run([LOCK, [projectId, sessionId]]);
  return transaction.prisma.verificationSession.findUnique({
    where: { projectId_sessionId: { projectId, sessionId } },
    select: REVIEWED_COLUMNS,
  });
}

/** Stores a review. */
export function insertReview(
  { prisma }: ProjectTransaction,
  review: Prisma.VerificationReviewUncheckedCreateInput,
): Promise<StoredReview> {
  return prisma.verificationReview.create({ data: review });
}

/** The same page of the reviews of several verifications, the latest first, in the order of their sessions. */
export async function findReviews(
  { projectId, prisma }: ProjectDatabase,
  sessionIds: readonly string[],
  page: KeysetPage,
): Promise<StoredReview[][]> {
  const verifications = await prisma.verificationSession.findMany({
    where: { projectId, sessionId: { in: idList(sessionIds) } },
    select: { sessionId: true, reviews: prismaPage('position', 'desc', page) },
  });
  const bySession = new Map(verifications.map(({ sessionId, reviews }) => [sessionId, reviews]));
  return sessionIds.map((id) => bySession.get(id) ?? []);
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

/** A review by its verification and position; null for an unknown one. */
export function findReview(
  { projectId, prisma }: ProjectDatabase,
  sessionId: string,
  position: number,
): Promise<StoredReview | null> {
  const where = { projectId_sessionId_position: { projectId, sessionId, position } };
  return prisma.verificationReview.findUnique({ where });
}
