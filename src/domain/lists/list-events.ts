import { type OutboxEvent, outboxEvent } from '@vouchgraph/events';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';

/** A change of one membership, as its event contains it. */
export type MembershipChange = {
  /** Internal id of the account. Its events are erased with it. */
  id: string;
  /** Id of the account, assigned by the client. */
  accountId: string;
  list: string;
  source: 'api' | 'system';
  /** Of the caller, or `expired`, `list_deleted`, `other_standard_list`; empty when none was given. */
  reason: string;
};

export type MembershipEvent = OutboxEvent & { accountId: string };

type MembershipEventType = 'list.account_added' | 'list.account_removed';

export function membershipEvent(
  cipher: ProjectCipher,
  type: MembershipEventType,
  { id, accountId, list, source, reason }: MembershipChange,
  now: Date,
): MembershipEvent {
  const facts = { accountId, list, source, ...(reason === '' ? {} : { reason }) };
  return { ...outboxEvent(cipher, type, null, facts, now), accountId: id };
}
