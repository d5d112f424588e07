import type { ProjectCipher } from '../../../platform/crypto.ts';
import type { Decision } from '../../decisions/decide.ts';

export const REVIEW_DECISIONS = ['approved', 'rejected', 'cleared'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/** A stored review; as JSON when it is read with its verification. */
export type ReviewRow = {
  /** From 1, in the order of the reviews of a verification. */
  readonly position: number;
  readonly decision: ReviewDecision;
  /** Bytes, or base64 in JSON. */
  readonly encryptedReason: Uint8Array | string | null;
  readonly actor: string;
  readonly at: Date | string;
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

export function encryptReviewReason(cipher: ProjectCipher, sessionId: string, reason: string): Buffer | null {
  return reason === '' ? null : cipher.encryptJson(TABLE, sessionId, reason);
}

/** The reason of a review; null without one. */
export function reasonOf(
  cipher: ProjectCipher,
  { sessionId, encryptedReason }: Pick<StoredReview, 'sessionId' | 'encryptedReason'>,
): string | null {
  return encryptedReason && cipher.decryptJson<string>(TABLE, sessionId, encryptedReason);
}

/** A review that is read with its verification. */
export function toReview(projectId: string, sessionId: string, row: ReviewRow): StoredReview {
  const { position, decision, encryptedReason, actor, at } = row;
  const bytes =
    typeof encryptedReason === 'string' ? Buffer.from(encryptedReason, 'base64') : encryptedReason;
  const review = { projectId, sessionId, position, decision, actor, createdAt: new Date(at) };
  return { ...review, encryptedReason: bytes && new Uint8Array(bytes) };
}

/** The decision of a verification after a review. */
export function decisionOfReview(review: Pick<StoredReview, 'decision'> | null): Decision | null {
  if (review === null || review.decision === 'cleared') return null;
  return review.decision === 'approved' ? 'Real' : 'Fake';
}
