import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ProjectCipher } from '../../platform/crypto.ts';
import { newId } from '../../platform/ids.ts';
import { factsOfDocumented } from './documented-data.ts';
import { type EventRow, toPublicEvent } from './event.ts';
import { eventBody, PAYLOAD_FORMATS } from './event-body.ts';
import { EVENT_TYPES, type EventType } from './event-type.ts';
import { outboxEvent } from './outbox-event.ts';
import recorded from './samples/event-samples.json' with { type: 'json' };
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

function metadataOf(facts: Record<string, unknown>, stored: string | null) {
  const now = new Date();
  const { eventId, type, payload } = outboxEvent(cipher, 'verification.failed', newId(), facts, now);
  const row: EventRow = {
    position: '1',
    event_id: eventId,
    type,
    session_id: null,
    referring_session_id: stored,
    request_id: null,
    account_id: null,
    created_at: now,
    payload,
  };
  return JSON.parse(eventBody(toPublicEvent(cipher, PROJECT, row))).metadata;
}

describe('the referring session of an event', () => {
  const REFERRING = newId();

  it('is that of its row', () => {
    expect(metadataOf({}, REFERRING).referring_session_id).toBe(REFERRING);
  });

  it('is that of its facts when an older version stored the event, so that its bytes do not change', () => {
    expect(metadataOf({ referringSessionId: REFERRING }, null).referring_session_id).toBe(REFERRING);
    expect(metadataOf({}, null).referring_session_id).toBeNull();
  });
});

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
  it('is 2 for new events', () => {
    const { eventId, payload } = outboxEvent(cipher, 'account.deleted', null, { accountId: 'a' }, new Date());
    expect(cipher.decryptJson('outbox_events', eventId, payload)).toEqual({ format: 2, accountId: 'a' });
  });

  it('is 1 for events of versions that stored none; all formats have the same facts', () => {
    for (const stored of [{ account_id: 'a' }, { format: 1, account_id: 'a' }, { format: 2, accountId: 'a' }])
      expect(read(stored)).toMatchObject({ accountId: 'a', facts: { accountId: 'a' } });
    expect(read({ format: 1, account_id: 'a' }).facts).toEqual({ accountId: 'a' });
  });

  it('is rejected when this version does not know it', () => {
    expect(() => read({ format: 3, accountId: 'a' })).toThrow('format 3');
  });
});

describe.each(EVENT_TYPES)('a recorded event %s', (type) => {
  const sample = RECORDED[type];
  const { session_id, request_id, referring_session_id } = sample.metadata;
  const cipherOf = new ProjectCipher(sample.project_id, randomBytes(32));
  const bodyOf = (payload: (eventId: string) => Buffer) => {
    const row: EventRow = {
      position: '1',
      event_id: sample.id,
      type,
      session_id,
      referring_session_id,
      request_id,
      account_id: null,
      created_at: new Date(sample.created_at),
      payload: payload(sample.id),
    };
    return eventBody(toPublicEvent(cipherOf, sample.project_id, row));
  };
  const encrypted = (stored: object) => (eventId: string) =>
    cipherOf.encryptCompactJson('outbox_events', eventId, stored);

  it('has exactly its bytes as a body when it is stored in format 2', () => {
    const stored = storedData(type, factsOfDocumented(type, sample.data));
    expect(stored.format).toBe(2);
    expect(bodyOf(encrypted(stored))).toBe(JSON.stringify(sample));
  });

  it('has exactly its bytes as a body when it is stored in format 1, with or without the number', () => {
    for (const stored of [sample.data, { format: 1, ...sample.data }])
      expect(bodyOf(encrypted(stored))).toBe(JSON.stringify(sample));
  });

  it('needs no more bytes in format 2 than in format 1', () => {
    const sizeOf = (stored: object) => encrypted(stored)(sample.id).length;
    const inFormat2 = sizeOf(storedData(type, factsOfDocumented(type, sample.data)));
    expect(inFormat2).toBeLessThanOrEqual(sizeOf({ format: 1, ...sample.data }));
  });
});

it('a body has the format of its endpoint; an unknown format is rejected', () => {
  const event = read({ account_id: 'a' });
  for (const format of PAYLOAD_FORMATS)
    expect(JSON.parse(eventBody(event, format))).toMatchObject({ format, data: { account_id: 'a' } });
  expect(() => eventBody(event, 99)).toThrow('Unknown payload format 99');
});
