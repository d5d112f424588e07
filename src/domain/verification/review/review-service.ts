import type { Clock } from '@vouchgraph/platform/clock';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import {
  alreadyReviewed,
  encryptReviewReason,
  type ReviewDecision,
  reviewReasonOf,
  type StoredReview,
  verificationError,
} from '@vouchgraph/verification';
import { auditEntry, verificationSubject } from '../../audit/audit-entry.ts';
import { auditCall } from '../../audit/audit-store.ts';
import { insertEventsCall } from '../../events/insert-events-store.ts';
import type { Viewer } from '../../projects/access-service.ts';
import { assertMay } from '../../projects/assert-may.ts';
import type { VerificationKey } from '../verification-read-store.ts';
import { accountOf, resultErrorOf } from '../verification-record.ts';
import { reviewedEvent } from './review-event.ts';
import {
  countReviews,
  findReview,
  findReviews,
  insertReview,
  lockForReview,
  type ReviewedVerification,
} from './review-store.ts';

export type ReviewInput = {
  /** Null: the id is not that of a verification. */
  readonly sessionId: string | null;
  readonly decision: ReviewDecision;
  /** '' for none. */
  readonly reason: string;
  /** Whether the review is added if another one applies. */
  readonly replaces: boolean;
};

/** Appends a review to a completed verification. The same decision with the same reason as the last one changes nothing. */
export function review(
  { clock }: { readonly clock: Clock },
  viewer: Viewer,
  requestId: string,
  { sessionId, decision, reason, replaces }: ReviewInput,
): Promise<VerificationKey> {
  assertMay(viewer, 'verification.review');
  if (sessionId === null) throw verificationError('session_not_found');
  const { project, actor } = viewer;
  const { cipher, database, projectId } = project;
  return database.transaction(async (transaction) => {
    const locked = await lockForReview(transaction, projectId, sessionId);
    const now = timeAfter(locked?.reviews[0] ?? null, clock.now());
    const found = readable(locked, now);
    const { accountId, kind, referringSessionId, reviews } = found;
    const verification = { projectId, sessionId, accountId };
    const last = reviews[0] ?? null;
    if (isRepeat(cipher, last, { decision, reason })) {
      await transaction.commit();
      return verification;
    }
    if (last && last.decision !== 'cleared' && !replaces) throw alreadyReviewed(last);
    const position = (last?.position ?? 0) + 1;
    await insertReview(transaction, {
      ...{ projectId, sessionId, position, decision, actor },
      encryptedReason: encryptReviewReason(cipher, sessionId, reason),
      createdAt: now,
    });
    const account = accountOf(found);
    const checked = { sessionId, kind, referringSessionId, account };
    const event = reviewedEvent(cipher, { ...checked, position, decision, reason, actor, now });
    await transaction.commit(
      insertEventsCall(projectId, [event], { requestId, now }),
      auditCall(
        projectId,
        auditEntry(viewer, requestId, now, {
          action: 'verification.review',
          target: `verification:${sessionId}`,
          before: last && { decision: last.decision },
          after: { decision },
          reason: { text: reason, subjects: [verificationSubject(sessionId)] },
        }),
      ),
    );
    return verification;
  });
}

/** A time later than the last review, also of a gateway whose clock is ahead: times and audit log have the order of the reviews. */
function timeAfter(last: Pick<StoredReview, 'createdAt'> | null, now: Date): Date {
  return last && last.createdAt >= now ? new Date(last.createdAt.getTime() + 1) : now;
}

function readable(found: ReviewedVerification | null, now: Date): ReviewedVerification {
  const error = found ? resultErrorOf(found, now) : 'session_not_found';
  if (error) throw verificationError(error);
  return found!;
}

/** Without a review there is nothing to withdraw. */
function isRepeat(
  cipher: ProjectCipher,
  last: StoredReview | null,
  { decision, reason }: Pick<ReviewInput, 'decision' | 'reason'>,
): boolean {
  if (decision === 'cleared') return last === null || last.decision === 'cleared';
  return last !== null && last.decision === decision && (reviewReasonOf(cipher, last) ?? '') === reason;
}

/** The same page of the reviews of several verifications, the latest first, in the order of their sessions. */
export function listReviews(
  viewer: Viewer,
  sessionIds: readonly string[],
  page: KeysetPage,
): Promise<StoredReview[][]> {
  assertMay(viewer, 'verification.read_reviews');
  return findReviews(viewer.project.database, sessionIds, page);
}

/** Numbers of reviews, counted up to a limit, in the order of the sessions. */
export async function countReviewsOf(
  viewer: Viewer,
  sessionIds: readonly string[],
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'verification.read_reviews');
  return countReviews(viewer.project.database, sessionIds, limit);
}

/** A review by its verification and position; null for an unknown one. */
export function readReview(
  viewer: Viewer,
  sessionId: string,
  position: number,
): Promise<StoredReview | null> {
  assertMay(viewer, 'verification.read_reviews');
  return findReview(viewer.project.database, sessionId, position);
}
