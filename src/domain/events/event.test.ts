import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ProjectCipher } from '../../platform/crypto.ts';
import { newId } from '../../platform/ids.ts';
import { type EventRow, eventBody, toPublicEvent } from './event.ts';
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
