import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { StoredReview } from '@vouchgraph/verification';
import type { ProjectDatabase, ProjectTransaction } from '../../../storage/database.ts';
import type { Prisma } from '../../../storage/generated/prisma/client.ts';
import { lockRow } from '../../../storage/locks.ts';
import { idList, prismaPage } from '../../../storage/prisma-page.ts';
import { countEach, countOfEach } from '../../../storage/selection.ts';
import { ACCOUNT_COLUMNS, LAST_REVIEW, STANDING_COLUMNS } from '../verification-read-store.ts';

const LOCK = lockRow('verification.lock_for_review', {
  table: 'verification_sessions',
  key: 'session_id',
  isForReferences: false,
});

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

/** Stores a review, which applies from now on unless it is a withdrawal. */
export async function insertReview(
  { prisma }: ProjectTransaction,
  review: Prisma.VerificationReviewUncheckedCreateInput,
): Promise<void> {
  const { projectId, sessionId, decision } = review;
  await prisma.verificationReview.create({ data: review });
  await prisma.verificationSession.update({
    where: { projectId_sessionId: { projectId, sessionId } },
    data: { review: decision === 'cleared' ? '' : decision },
    select: { sessionId: true },
  });
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

const COUNT = countOfEach(
  'verification_review.count',
  'verification_reviews r where r.project_id = $1 and r.session_id = p.id',
);

/** Numbers of reviews of verifications, counted up to a limit. */
export function countReviews(
  database: ProjectDatabase,
  sessionIds: readonly string[],
  limit: number,
): Promise<number[]> {
  return countEach(database, COUNT, sessionIds, limit);
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
