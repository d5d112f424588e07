import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import type { EventType, FactsOf } from './catalogue/event-type.ts';
import { storedData } from './stored-data.ts';

/** Event to insert, in the transaction of the change that it reports. `payload` is encrypted. */
export type OutboxEvent = {
  eventId: string;
  type: EventType;
  sessionId: string | null;
  payload: Buffer;
  /** Internal id of another account that it names, with which it is erased too. */
  otherAccount?: string | undefined;
};

/** An event with its facts, under the names of the domain, encrypted for the outbox. */
export function outboxEvent<Type extends EventType>(
  cipher: ProjectCipher,
  type: Type,
  sessionId: string | null,
  facts: FactsOf<Type>,
  now: Date,
): OutboxEvent {
  const eventId = newId(now.getTime());
  const payload = cipher.encryptCompactJson('outbox_events', eventId, storedData(type, facts));
  return { eventId, type, sessionId, payload };
}
