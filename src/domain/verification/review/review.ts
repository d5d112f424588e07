import type { ProjectCipher } from '../../../platform/crypto.ts';
import type { Decision } from '../../decisions/decide.ts';

export const REVIEW_DECISIONS = ['approved', 'rejected', 'cleared'] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/** A review as it is stored; as JSON where it comes with its verification. */
export type ReviewRow = {
  /** From 1, in the order of the reviews of a verification. */
  readonly position: number;
  readonly decision: ReviewDecision;
  /** Bytes, or base64 in JSON. */
  readonly sealedReason: Uint8Array | string | null;
  readonly actor: string;
  readonly at: Date | string;
};

/** A decision of a reviewer on a completed verification, or its withdrawal. */
export type Review = {
  readonly sessionId: string;
  readonly position: number;
  readonly decision: ReviewDecision;
  /** Null without one. */
  readonly reason: string | null;
  /** Visible prefix of the key. */
  readonly actor: string;
  readonly at: Date;
};

const TABLE = 'verification_reviews';

export function encryptReviewReason(cipher: ProjectCipher, sessionId: string, reason: string): Buffer | null {
  return reason === '' ? null : cipher.encryptJson(TABLE, sessionId, reason);
}

export function toReview(cipher: ProjectCipher, sessionId: string, row: ReviewRow): Review {
  const { position, decision, sealedReason, actor, at } = row;
  const bytes = typeof sealedReason === 'string' ? Buffer.from(sealedReason, 'base64') : sealedReason;
  const reason = bytes && cipher.decryptJson<string>(TABLE, sessionId, bytes);
  return { sessionId, position, decision, reason, actor, at: new Date(at) };
}

/** The decision that a review makes of that of the machine. */
export function decisionOfReview(review: Pick<Review, 'decision'> | null): Decision | null {
  if (review === null || review.decision === 'cleared') return null;
  return review.decision === 'approved' ? 'Real' : 'Fake';
}
