import { isUuid } from '@vouchgraph/platform/ids';
import { decisionOf, UsageError, wordOf } from '@vouchgraph/terminal';
import { readGlobalId } from '../../graphql/kernel/node-id.ts';

/* What the commands of verifications share: ids, and the fields that all of them show. */

export type Review = { reviewDecision: string; reason: string | null; actor: string; at: string };

export type Verification = {
  sessionId: string;
  kind: string;
  state: string;
  failure: string | null;
  resultError: string | null;
  simulated: boolean;
  decision: string | null;
  rawDecision: string | null;
  riskScore: number | null;
  riskFlags: string[] | null;
  accountId: string | null;
  review: Review | null;
  createdAt: string;
  completedAt: string | null;
};

export const shownReview = ({ reviewDecision, reason, actor, at }: Review) => ({
  decision: wordOf(reviewDecision),
  reason,
  actor,
  at,
});

export const shownVerification = (verification: Verification) => ({
  session_id: verification.sessionId,
  kind: wordOf(verification.kind),
  state: wordOf(verification.state),
  failure: verification.failure && wordOf(verification.failure),
  result_error: verification.resultError && wordOf(verification.resultError),
  simulated: verification.simulated,
  decision: verification.decision && decisionOf(verification.decision),
  raw_decision: verification.rawDecision && decisionOf(verification.rawDecision),
  risk_score: verification.riskScore,
  risk_flags: verification.riskFlags?.map(wordOf) ?? null,
  account_id: verification.accountId,
  review: verification.review && shownReview(verification.review),
  created_at: verification.createdAt,
  completed_at: verification.completedAt,
});

/** The id of a verification by the text of an argument, which can be its global id. */
export function verificationIdOf(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  const global = readGlobalId(text);
  if (global?.typename === 'Verification') return global.id;
  throw new UsageError('verification: must be the id of a verification, a UUID', 'verification');
}
