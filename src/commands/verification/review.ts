import { globalIdOf } from '../../graphql/node-id.ts';
import { AppError } from '../../platform/errors.ts';
import type { Api } from '../support/api.ts';
import { print, printJson } from '../support/print.ts';
import { decisionOf, wordOf } from '../support/words.ts';
import { APPROVE_VERIFICATION, CLEAR_REVIEW, REJECT_VERIFICATION, VERIFICATION_REVIEW } from './documents.ts';
import { type Review, shownReview, verificationIdOf } from './verification.ts';

type ReviewOptions = { reason: string; replace?: boolean; json?: boolean };
type Reviewed = {
  verification: {
    sessionId: string;
    decision: string | null;
    rawDecision: string | null;
    review: Review | null;
    reviews: { edges: { node: Review }[] };
  };
};

/** Approves a completed check. */
export function approveVerification(api: Api, options: ReviewOptions, id: string): Promise<void> {
  return review(api, options, { id, document: APPROVE_VERIFICATION, decision: 'APPROVED' });
}

/** Rejects a completed check. */
export function rejectVerification(api: Api, options: ReviewOptions, id: string): Promise<void> {
  return review(api, options, { id, document: REJECT_VERIFICATION, decision: 'REJECTED' });
}

/** Withdraws the review of a completed check. */
export async function clearReview(
  api: Api,
  { reason, json }: { reason?: string; json?: boolean },
  id: string,
): Promise<void> {
  const sessionId = verificationIdOf(id);
  const known = await readReviews(api, sessionId);
  await change(api, { sessionId, document: CLEAR_REVIEW, reason, latest: known.latest }, json);
}

/** The review that applies, and the latest one, which can be a withdrawal. */
async function readReviews(api: Api, id: string) {
  const { verification } = await api.run<{
    verification: { review: Review | null; reviews: { edges: { node: Review }[] } } | null;
  }>(VERIFICATION_REVIEW, { id });
  return { review: verification?.review, latest: verification?.reviews.edges[0]?.node };
}

/** The last review applies, so that a second reviewer must ask for replacing the review of the first one. */
async function review(
  api: Api,
  { reason, replace, json }: ReviewOptions,
  { id, document, decision }: { id: string; document: string; decision: string },
): Promise<void> {
  const sessionId = verificationIdOf(id);
  const known = await readReviews(api, sessionId);
  if (!replace && known.review) {
    const { reviewDecision, reason: knownReason } = known.review;
    if (reviewDecision !== decision || knownReason !== reason) throw alreadyReviewed(known.review);
  }
  await change(api, { sessionId, document, reason, latest: known.latest }, json);
}

function alreadyReviewed({ reviewDecision, actor, at }: Review): AppError {
  return new AppError(
    'verification.already_reviewed',
    'conflict',
    `The verification was already ${wordOf(reviewDecision)} by ${actor} at ${at}. Pass --replace to add another review`,
    { path: ['verification'] },
  );
}

type Change = {
  readonly sessionId: string;
  readonly document: string;
  readonly reason: string | undefined;
  /** The latest review before the change. */
  readonly latest: Review | undefined;
};

async function change(
  api: Api,
  { sessionId, document, reason, latest }: Change,
  json: boolean | undefined,
): Promise<void> {
  const input = { id: globalIdOf('Verification', sessionId), reason };
  const { reviewed } = await api.run<{ reviewed: Reviewed }>(document, { input });
  const { decision, rawDecision, review, reviews } = reviewed.verification;
  const [now, previous] = reviews.edges.map(({ node }) => node);
  const isUnchanged = now?.at === latest?.at && now?.actor === latest?.actor;
  const shown = {
    session_id: sessionId,
    decision: decision && decisionOf(decision),
    raw_decision: rawDecision && decisionOf(rawDecision),
    review: review && shownReview(review),
    // Of a reviewer at the same moment, too.
    previous_review:
      !isUnchanged && previous && previous.reviewDecision !== 'CLEARED' ? shownReview(previous) : null,
  };
  if (json) return printJson(shown);
  if (isUnchanged) {
    const state = shown.review ? `is already ${shown.review.decision} with this reason` : 'has no review';
    return print(`${sessionId} ${state}: nothing was changed. It is decided ${shown.decision}.`);
  }
  print(
    shown.review
      ? `${sessionId} is ${shown.review.decision}, and decided ${shown.decision}.`
      : `${sessionId} has no review, and is decided ${shown.decision}.`,
  );
  const { previous_review: before } = shown;
  if (before) print(`The previous review: ${before.decision} by ${before.actor} at ${before.at}.`);
}
