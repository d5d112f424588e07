import type { Decision } from '@vouchgraph/decisions';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';

export const REVIEW_DECISIONS = ['approved', 'rejected', 'cleared'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/** Reviews by which verifications are found: the one that applies, or none. */
export const REVIEW_CONDITIONS = ['none', 'approved', 'rejected'] as const;
export type ReviewCondition = (typeof REVIEW_CONDITIONS)[number];

/** A review in the JSON of its verification. */
export type ReviewRow = {
  /** From 1, in the order of the reviews of a verification. */
  readonly position: number;
  readonly decision: ReviewDecision;
  /** Base64. */
  readonly encryptedReason: string | null;
  readonly actor: string;
  readonly at: string;
};

/** A decision of a reviewer on a completed verification, or its withdrawal; the reason is encrypted. */
export type StoredReview = {
  readonly projectId: string;
  readonly sessionId: string;
  readonly position: number;
  readonly decision: string;
  readonly encryptedReason: Uint8Array<ArrayBuffer> | null;
  readonly actor: string;
  readonly createdAt: Date;
};

const TABLE = 'verification_reviews';

export function encryptReviewReason(
  cipher: ProjectCipher,
  sessionId: string,
  reason: string,
): Uint8Array<ArrayBuffer> | null {
  return reason === '' ? null : new Uint8Array(cipher.encryptJson(TABLE, sessionId, reason));
}

/** The reason of a review; null without one. */
export function reviewReasonOf(
  cipher: ProjectCipher,
  { sessionId, encryptedReason }: Pick<StoredReview, 'sessionId' | 'encryptedReason'>,
): string | null {
  return encryptedReason && cipher.decryptJson<string>(TABLE, sessionId, encryptedReason);
}

/** A review that is read with its verification. */
export function toReview(projectId: string, sessionId: string, row: ReviewRow): StoredReview {
  const { position, decision, encryptedReason, actor, at } = row;
  const review = { projectId, sessionId, position, decision, actor, createdAt: new Date(at) };
  return {
    ...review,
    encryptedReason: encryptedReason === null ? null : new Uint8Array(Buffer.from(encryptedReason, 'base64')),
  };
}

/** The decision of a verification after a review. */
export function decisionOfReview(review: Pick<StoredReview, 'decision'> | null): Decision | null {
  if (review === null || review.decision === 'cleared') return null;
  return review.decision === 'approved' ? 'Real' : 'Fake';
}
