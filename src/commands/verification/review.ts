import { globalIdOf } from '../../graphql/node-id.ts';
import { AppError } from '../../platform/errors.ts';
import type { Api } from '../support/api.ts';
import { print, printJson } from '../support/print.ts';
import { decisionOf } from '../support/words.ts';
import { APPROVE_VERIFICATION, CLEAR_REVIEW, REJECT_VERIFICATION } from './documents.ts';
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
  return review(api, options, { id, document: APPROVE_VERIFICATION });
}

/** Rejects a completed check. */
export function rejectVerification(api: Api, options: ReviewOptions, id: string): Promise<void> {
  return review(api, options, { id, document: REJECT_VERIFICATION });
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
function review(
  api: Api,
  { reason, replace = false, json }: ReviewOptions,
  { id, document }: { id: string; document: string },
): Promise<void> {
  return change(api, document, verificationIdOf(id), { reason, replace, json });
}

/** The error of the gateway, with the option that a second reviewer needs. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'verification.already_reviewed') return error;
  return new AppError(error.code, error.kind, `${error.message}. Pass --replace to add another review`, {
    path: ['verification'],
  });
}

async function change(
  api: Api,
  document: string,
  sessionId: string,
  { json, ...fields }: { reason: string | undefined; replace?: boolean; json: boolean | undefined },
): Promise<void> {
  const input = { id: globalIdOf('Verification', sessionId), ...fields };
  const { reviewed } = await api.run<{ reviewed: Reviewed }>(document, { input }).catch((error: unknown) => {
    throw refusalOf(error);
  });
  const { decision, rawDecision, review, reviews } = reviewed.verification;
  const previous = reviews.edges[1]?.node;
  const shown = {
    session_id: sessionId,
    decision: decision && decisionOf(decision),
    raw_decision: rawDecision && decisionOf(rawDecision),
    review: review && shownReview(review),
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
