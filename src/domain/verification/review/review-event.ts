import { outboxEvent } from '@vouchgraph/events';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import type { ReviewDecision } from '@vouchgraph/verification';
import type { EventOfAccount } from '../../events/insert-events-store.ts';

type Reviewed = {
  readonly sessionId: string;
  readonly kind: string;
  readonly referringSessionId: string | null;
  /** Null for an account that does not exist. */
  readonly account: { readonly id: string; readonly accountId: string } | null;
  readonly position: number;
  readonly decision: ReviewDecision;
  /** '' for none. */
  readonly reason: string;
  readonly actor: string;
  readonly now: Date;
};

/** The event of a review. It is erased with the account of the check. */
export function reviewedEvent(
  cipher: ProjectCipher,
  { sessionId, kind, referringSessionId, account, position, decision, reason, actor, now }: Reviewed,
): EventOfAccount {
  const facts = {
    accountId: account?.accountId ?? null,
    referringSessionId,
    sessionId,
    kind,
    position,
    reviewDecision: decision,
    reason: reason === '' ? null : reason,
    actor,
  };
  const event = outboxEvent(cipher, 'verification.reviewed', sessionId, facts, now);
  return { ...event, accountId: account?.id ?? null };
}
