import type { ProjectCipher } from '../../platform/crypto.ts';
import { newId } from '../../platform/ids.ts';

/** The closed list of event types: subscriptions, webhooks and documents share it. */
export const EVENT_TYPES = [
  'session.completed',
  'account.authenticated',
  'account.updated',
  'account.deleted',
  'account.linked',
  'account.unlinked',
  'account.outcome_reported',
  'account.outcome_retracted',
  'list.account_added',
  'list.account_removed',
  'rule.triggered',
  'verification.id_check.completed',
  'verification.face_check.completed',
  'verification.failed',
  'verification.reviewed',
  'email.intelligence.completed',
  'email.batch.completed',
  'identity_group.merged',
  'identity_group.split',
  'webhook.endpoint_disabled',
  'rule.custom',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Format of the data of events that are written now; stored with them. */
export const DATA_FORMAT = 1;

/** An event as it is written, in the transaction of the change it tells; `payload` is sealed. */
export type OutboxEvent = {
  eventId: string;
  type: EventType;
  sessionId: string | null;
  payload: Buffer;
  /** Internal id of another account that it names, with which it is erased too. */
  otherAccount?: string | undefined;
};

/** Seals an event's data for the outbox. */
export function outboxEvent(
  cipher: ProjectCipher,
  type: EventType,
  sessionId: string | null,
  data: Record<string, unknown>,
  now: Date,
): OutboxEvent {
  const eventId = newId(now.getTime());
  const stored = { format: DATA_FORMAT, ...data };
  return { eventId, type, sessionId, payload: cipher.encryptCompactJson('outbox_events', eventId, stored) };
}
