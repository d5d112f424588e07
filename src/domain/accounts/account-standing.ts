import { type Decision, decide, type LinkStrength } from '@vouchgraph/decisions';
import type { Account } from './account.ts';

/** Score and decision of an account, stored for sort orders and filters. */
export type AccountStanding = { readonly score: number; readonly decision: Decision };

/** Score and decision as computed by a read of the account. Reasons of list members are not decrypted. */
export function standingOf(account: Account, links: LinkStrength): AccountStanding {
  const { suspiciousFrom, fakeFrom } = account.project.settings;
  const { suspicious } = account.aggregates.ruleOutcome ?? {};
  const after = { score: account.accountScore(links), lists: account.row.lists, suspicious };
  return {
    score: after.score,
    decision: decide({ thresholds: { suspiciousFrom, fakeFrom }, after }).decision,
  };
}
