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
  await change(api, CLEAR_REVIEW, verificationIdOf(id), { reason, json });
}

/** The last review applies, so that a second reviewer must ask for replacing the review of the first one. */
async function review(
  api: Api,
  { reason, replace, json }: ReviewOptions,
  { id, document, decision }: { id: string; document: string; decision: string },
): Promise<void> {
  const sessionId = verificationIdOf(id);
  if (!replace) {
    const { verification } = await api.run<{ verification: { review: Review | null } | null }>(
      VERIFICATION_REVIEW,
      { id: sessionId },
    );
    const known = verification?.review;
    if (known && !(known.reviewDecision === decision && known.reason === reason))
      throw alreadyReviewed(known);
  }
  await change(api, document, sessionId, { reason, json });
}

function alreadyReviewed({ reviewDecision, actor, at }: Review): AppError {
  return new AppError(
    'verification.already_reviewed',
    'conflict',
    `The verification was already ${wordOf(reviewDecision)} by ${actor} at ${at}. Pass --replace to add another review`,
    { path: ['verification'] },
  );
}

async function change(
  api: Api,
  document: string,
  sessionId: string,
  { reason, json }: { reason: string | undefined; json: boolean | undefined },
): Promise<void> {
  const input = { id: globalIdOf('Verification', sessionId), reason };
  const { reviewed } = await api.run<{ reviewed: Reviewed }>(document, { input });
  const { decision, rawDecision, review, reviews } = reviewed.verification;
  const previous = reviews.edges[1]?.node;
  const shown = {
    session_id: sessionId,
    decision: decision && decisionOf(decision),
    raw_decision: rawDecision && decisionOf(rawDecision),
    review: review && shownReview(review),
    // Of a reviewer at the same moment, too.
    previous_review: previous && previous.reviewDecision !== 'CLEARED' ? shownReview(previous) : null,
  };
  if (json) return printJson(shown);
  print(
    shown.review
      ? `${sessionId} is ${shown.review.decision}, and decided ${shown.decision}.`
      : `${sessionId} has no review, and is decided ${shown.decision}.`,
  );
  const { previous_review: before } = shown;
  if (before) print(`The previous review: ${before.decision} by ${before.actor} at ${before.at}.`);
}
