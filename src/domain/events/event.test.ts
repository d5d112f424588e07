import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ProjectCipher } from '../../platform/crypto.ts';
import { newId } from '../../platform/ids.ts';
import { type EventRow, toPublicEvent } from './event.ts';
import { eventBody, PAYLOAD_FORMATS } from './event-body.ts';
import { outboxEvent } from './outbox-event.ts';

const PROJECT = newId();
const cipher = new ProjectCipher(PROJECT, randomBytes(32));

function metadataOf(data: Record<string, unknown>, stored: string | null) {
  const now = new Date();
  const { eventId, type, payload } = outboxEvent(cipher, 'verification.failed', newId(), data, now);
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

  it('is that of its data in events of versions that stored no other, so that their bytes stay', () => {
    expect(metadataOf({ referring_session_id: REFERRING }, null).referring_session_id).toBe(REFERRING);
    expect(metadataOf({}, null).referring_session_id).toBeNull();
  });
});

describe('the format of an event', () => {
  const rowOf = (stored: Record<string, unknown>): EventRow => {
    const event = outboxEvent(cipher, 'account.deleted', null, { account_id: 'alice' }, new Date());
    return {
      position: '1',
      event_id: event.eventId,
      type: event.type,
      session_id: null,
      referring_session_id: null,
      request_id: null,
      account_id: null,
      created_at: new Date(),
      payload: cipher.encryptCompactJson('outbox_events', event.eventId, stored),
    };
  };

  it('is stored with its data, and is no part of them', () => {
    const { eventId, payload } = outboxEvent(
      cipher,
      'account.deleted',
      null,
      { account_id: 'a' },
      new Date(),
    );
    expect(cipher.decryptJson('outbox_events', eventId, payload)).toEqual({ format: 1, account_id: 'a' });
    const event = toPublicEvent(cipher, PROJECT, rowOf({ format: 1, account_id: 'a' }));
    expect(event).toMatchObject({ format: 1, data: { account_id: 'a' } });
    expect(event.data).not.toHaveProperty('format');
  });

  it('is 1 for events of versions that stored none', () => {
    expect(toPublicEvent(cipher, PROJECT, rowOf({ account_id: 'a' }))).toMatchObject({
      format: 1,
      data: { account_id: 'a' },
    });
  });

  it('is refused when this version does not know it', () => {
    expect(() => toPublicEvent(cipher, PROJECT, rowOf({ format: 2, account_id: 'a' }))).toThrow('format 2');
  });

  it('chooses the body of webhooks; one that this version does not know is refused', () => {
    const event = toPublicEvent(cipher, PROJECT, rowOf({ account_id: 'a' }));
    for (const format of PAYLOAD_FORMATS)
      expect(JSON.parse(eventBody(event, format))).toMatchObject({ format, data: { account_id: 'a' } });
    expect(() => eventBody(event, 99)).toThrow('Unknown payload format 99');
  });
});
