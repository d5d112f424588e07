import { AppError } from '@vouchgraph/platform/errors';
import { decisionOf, print, printJson } from '@vouchgraph/terminal';
import { globalIdOf } from '../../graphql/kernel/node-id.ts';
import type { Api } from '../support/api.ts';
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
  const sessionId = verificationIdOf(id);
  await change(api, { sessionId, document: CLEAR_REVIEW, fields: { reason } }, json);
}

/** The last review applies, so that a second reviewer must ask for replacing the review of the first one. */
async function review(
  api: Api,
  { reason, replace = false, json }: ReviewOptions,
  { id, document }: { id: string; document: string },
): Promise<void> {
  const sessionId = verificationIdOf(id);
  await change(api, { sessionId, document, fields: { reason, replace } }, json);
}

/** The error of the gateway, with the option that a second reviewer needs. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'verification.already_reviewed') return error;
  return new AppError(error.code, error.kind, `${error.message}. Pass --replace to add another review`, {
    path: ['verification'],
  });
}

type Change = {
  readonly sessionId: string;
  readonly document: string;
  readonly fields: { reason: string | undefined; replace?: boolean };
};

/** The latest review before a change, which can be a withdrawal. */
async function readLatest(api: Api, id: string): Promise<Review | undefined> {
  const { verification } = await api.run<{
    verification: { reviews: { edges: { node: Review }[] } } | null;
  }>(VERIFICATION_REVIEW, { id });
  return verification?.reviews.edges[0]?.node;
}

async function change(
  api: Api,
  { sessionId, document, fields }: Change,
  json: boolean | undefined,
): Promise<void> {
  const latest = await readLatest(api, sessionId);
  const input = { id: globalIdOf('Verification', sessionId), ...fields };
  const { reviewed } = await api.run<{ reviewed: Reviewed }>(document, { input }).catch((error: unknown) => {
    throw refusalOf(error);
  });
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
