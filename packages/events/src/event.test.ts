import { randomBytes } from 'node:crypto';
import { ProjectCipher } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import { describe, expect, it } from 'vitest';
import { factsOf } from '../../../test/support/event-facts.ts';
import recorded from '../data/event-samples.json' with { type: 'json' };
import { EVENT_TYPES, type EventType } from './catalogue/event-type.ts';
import { type EventRow, toPublicEvent } from './event.ts';
import { eventBody, PAYLOAD_FORMATS } from './event-body.ts';
import { outboxEvent } from './outbox-event.ts';
import { storedData } from './stored-data.ts';

type Recorded = {
  readonly id: string;
  readonly created_at: string;
  readonly project_id: string;
  readonly metadata: Readonly<Record<'session_id' | 'request_id' | 'referring_session_id', string | null>>;
  readonly data: Readonly<Record<string, unknown>>;
};
const RECORDED = recorded as unknown as Readonly<Record<EventType, Recorded>>;

const PROJECT = newId();
const cipher = new ProjectCipher(PROJECT, randomBytes(32));

type Stored = Record<string, unknown>;

/** A row of an event of this type with this payload. */
function rowOf(type: EventType, stored: Stored): EventRow {
  const eventId = newId();
  return {
    position: '1',
    event_id: eventId,
    type,
    session_id: null,
    referring_session_id: null,
    request_id: null,
    account_id: null,
    created_at: new Date(),
    payload: cipher.encryptCompactJson('outbox_events', eventId, stored),
  };
}

const read = (stored: Stored) => toPublicEvent(cipher, PROJECT, rowOf('account.deleted', stored));

describe('the stored format of an event', () => {
  it('has a number and the facts', () => {
    const { eventId, payload } = outboxEvent(cipher, 'account.deleted', null, { accountId: 'a' }, new Date());
    expect(cipher.decryptJson('outbox_events', eventId, payload)).toEqual({ format: 1, accountId: 'a' });
    expect(read({ format: 1, accountId: 'a' })).toMatchObject({ accountId: 'a', facts: { accountId: 'a' } });
  });

  it('is compressed to less than a third for events with a session', () => {
    for (const type of ['session.completed', 'account.authenticated'] as const) {
      const facts = factsOf(type, RECORDED[type]);
      const { payload } = outboxEvent(cipher, type, newId(), facts, new Date());
      expect(payload.length).toBeLessThan(JSON.stringify(storedData(type, facts)).length / 3);
    }
  });

  it('is rejected when it has another number, or none', () => {
    expect(() => read({ format: 2, accountId: 'a' })).toThrow('format 2');
    expect(() => read({ accountId: 'a' })).toThrow('format undefined');
  });
});

it.each(EVENT_TYPES)('a recorded event %s has exactly its bytes as a body after it is stored', (type) => {
  const sample = RECORDED[type];
  const { session_id, request_id, referring_session_id } = sample.metadata;
  const cipherOf = new ProjectCipher(sample.project_id, randomBytes(32));
  const stored = storedData(type, factsOf(type, sample.data));
  const row: EventRow = {
    position: '1',
    event_id: sample.id,
    type,
    session_id,
    referring_session_id,
    request_id,
    account_id: null,
    created_at: new Date(sample.created_at),
    payload: cipherOf.encryptCompactJson('outbox_events', sample.id, stored),
  };
  expect(eventBody(toPublicEvent(cipherOf, sample.project_id, row))).toBe(JSON.stringify(sample));
});

it('a body has the format of its endpoint; an unknown format is rejected', () => {
  const event = read({ format: 1, accountId: 'a' });
  for (const format of PAYLOAD_FORMATS)
    expect(JSON.parse(eventBody(event, format))).toMatchObject({ format, data: { account_id: 'a' } });
  expect(() => eventBody(event, 99)).toThrow('Unknown payload format 99');
});
