import { describe, expect, test } from 'vitest';
import {
  ENDPOINTS,
  type SessionStanding,
  STORED_STATES,
  stateAt,
  TRANSITIONS,
  verifyError,
} from './state-table.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const hours = (count: number) => new Date(NOW.getTime() + count * 3_600_000);
const session = (over: Partial<SessionStanding>): SessionStanding => ({
  kind: 'id',
  state: 'completed',
  failure: '',
  createdAt: hours(-1),
  expiresAt: hours(23),
  startedAt: null,
  waitsForDocument: false,
  ...over,
});

describe('each error of the verify endpoints is one cell of the table', () => {
  test.each([
    ['session_not_found', null, 'verify-id'],
    ['session_not_started', session({ state: 'created' }), 'verify-id'],
    ['session_not_started', session({ state: 'opened' }), 'verify-id'],
    ['session_not_valid_for_this_endpoint', session({ kind: 'face' }), 'verify-id'],
    ['session_not_valid_for_this_endpoint', session({ kind: 'id' }), 'verify-face'],
    ['session_not_valid_for_this_endpoint', session({ kind: 'id' }), 'verify-identity'],
    ['session_not_valid_for_this_endpoint', session({ state: 'created', expiresAt: NOW }), 'verify-id'],
    ['session_not_valid_for_this_endpoint', session({ state: 'opened', expiresAt: NOW }), 'enroll'],
    [
      'session_not_valid_for_this_endpoint',
      session({ state: 'capturing', startedAt: hours(-24) }),
      'verify-id',
    ],
    ['session_not_complete', session({ state: 'capturing', startedAt: hours(-23.9) }), 'verify-id'],
    ['session_not_valid_for_this_endpoint', session({ createdAt: hours(-721) }), 'verify-id'],
    ['session_older_than_30_days', session({ createdAt: hours(-721) }), 'enroll'],
    ['session_not_complete', session({ state: 'capturing' }), 'verify-id'],
    ['id_scan_not_complete', session({ state: 'capturing', waitsForDocument: true }), 'verify-id'],
    ['session_not_complete', session({ kind: 'face', state: 'capturing' }), 'verify-face'],
    ['session_not_complete', session({ state: 'processing' }), 'verify-id'],
    [
      'liveness_check_failed',
      session({ state: 'failed', failure: 'failed_to_complete_face_scan' }),
      'verify-id',
    ],
    ['liveness_check_failed', session({ state: 'failed', failure: 'liveness_check_failed' }), 'verify-id'],
    ['id_scan_failed', session({ state: 'failed', failure: 'failed_to_process_id_scan' }), 'verify-id'],
    [
      'liveness_check_failed',
      session({ kind: 'face', state: 'failed', failure: 'failed_to_process_id_scan' }),
      'verify-face',
    ],
    [
      'session_not_complete',
      session({ state: 'failed', failure: 'failed_to_get_camera_permission' }),
      'verify-id',
    ],
    [
      'session_not_complete',
      session({ state: 'failed', failure: 'failed_to_collect_device_data' }),
      'verify-id',
    ],
    ['session_not_found', session({ state: 'failed', failure: 'invalid_session_id' }), 'verify-id'],
    ['session_not_found', session({ state: 'failed', failure: 'session_id_not_found' }), 'verify-id'],
  ] as const)('%s', (error, standing, endpoint) => {
    expect(verifyError(standing, endpoint, NOW)).toBe(error);
  });
});

test('a completed session has a result for the endpoints of its kind until the end of its 30th day', () => {
  const id = session({ kind: 'id', createdAt: hours(-720) });
  const face = session({ kind: 'face', createdAt: hours(-720) });
  expect(ENDPOINTS.filter((endpoint) => verifyError(id, endpoint, NOW) === null)).toEqual([
    'verify-id',
    'enroll',
  ]);
  expect(ENDPOINTS.filter((endpoint) => verifyError(face, endpoint, NOW) === null)).toEqual([
    'verify-face',
    'verify-identity',
    'enroll',
  ]);
});

test('only a session that waits for its start, or captures, expires', () => {
  for (const state of STORED_STATES) {
    const waits = state === 'created' || state === 'opened';
    expect(stateAt({ state, expiresAt: NOW, startedAt: null }, NOW)).toBe(waits ? 'expired' : state);
    const captures = state === 'capturing';
    const late = { state, expiresAt: hours(1), startedAt: hours(-24) };
    expect(stateAt(late, NOW)).toBe(captures ? 'expired' : state);
    expect(stateAt({ ...late, startedAt: hours(-23.99) }, NOW)).toBe(state);
  }
});

test('no action leaves a final state, and every other state has an exit', () => {
  const left = new Set<string>(Object.values(TRANSITIONS).flatMap(({ from }) => from));
  expect([...left].toSorted()).toEqual(['capturing', 'created', 'opened', 'processing']);
});

test('images of an unreadable document return the session to capturing', () => {
  expect(TRANSITIONS.retake).toEqual({ from: ['processing'], to: 'capturing' });
});

test('images are submitted once; a result or a failure follows', () => {
  expect(TRANSITIONS.submit).toEqual({ from: ['capturing'], to: 'processing' });
  for (const event of ['complete', 'fail'] as const) expect(TRANSITIONS[event].from).toEqual(['processing']);
});
