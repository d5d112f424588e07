import type { VerificationKind } from '@vouchgraph/decisions';
import type { Failure } from './failure.ts';

/*
 * The life of a verification session.
 *
 *                              ┌───────────────┐
 *                              ▼               │
 *   created ──► opened ──► capturing ──► processing ──► completed
 *      │           │           │              └───────► failed
 *      └───────────┴► expired ◄┴──────────────────────► failed
 *
 * All states but `expired` are stored; `expired` follows from the time. Only the tables below define the transitions and
 * the answers of the verify endpoints in each state.
 */

export const STORED_STATES = ['created', 'opened', 'capturing', 'processing', 'completed', 'failed'] as const;
export type StoredState = (typeof STORED_STATES)[number];
export const VERIFICATION_STATES = [...STORED_STATES, 'expired'] as const;
export type VerificationState = (typeof VERIFICATION_STATES)[number];

/**
 * Transitions by event. An event in any other state is rejected. Statements that change a state are generated from the
 * table.
 */
export const TRANSITIONS = {
  /** A browser shows the page. */
  open: { from: ['created'], to: 'opened' },
  /** The page or an app starts the capture. */
  start: { from: ['created', 'opened'], to: 'capturing' },
  /** All required images are uploaded. */
  submit: { from: ['capturing'], to: 'processing' },
  /** The page of a simulated session is requested. */
  simulate: { from: ['created'], to: 'processing' },
  /** The page cannot continue. */
  giveUp: { from: ['created', 'opened', 'capturing'], to: 'failed' },
  /** The images were read. */
  complete: { from: ['processing'], to: 'completed' },
  /** The images of the document cannot be judged; its sides are captured again. */
  retake: { from: ['processing'], to: 'capturing' },
  /** The images prove nothing. */
  fail: { from: ['processing'], to: 'failed' },
} as const satisfies Record<string, { from: readonly StoredState[]; to: StoredState }>;
export type VerificationEvent = keyof typeof TRANSITIONS;

/** Time limits: for the start, for the capture from then on, and for reading the result. */
export const START_WITHIN_HOURS = 24;
const CAPTURE_WITHIN_HOURS = 24;
export const READABLE_DAYS = 30;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export type SessionTimes = {
  readonly state: StoredState;
  /** Latest time of the start. */
  readonly expiresAt: Date;
  /** null until started. */
  readonly startedAt: Date | null;
};

/** State of a session at a time: one that was not started or captured in time is `expired`, whatever is stored. */
export function stateAt({ state, expiresAt, startedAt }: SessionTimes, now: Date): VerificationState {
  const waits = state === 'created' || state === 'opened';
  if (waits && expiresAt <= now) return 'expired';
  const isLate = startedAt !== null && startedAt <= captureStartedAfter(now);
  return state === 'capturing' && isLate ? 'expired' : state;
}

/** Sessions started until this time accept no more images. */
export function captureStartedAfter(now: Date): Date {
  return new Date(now.getTime() - CAPTURE_WITHIN_HOURS * HOUR_MS);
}

/** Results of sessions created at or after this time can be read. */
export function readableSince(now: Date): Date {
  return new Date(now.getTime() - READABLE_DAYS * DAY_MS);
}

/** Endpoints that read a result. */
export const ENDPOINTS = ['verify-id', 'verify-face', 'verify-identity', 'enroll'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

const KINDS_OF_ENDPOINT: Readonly<Record<Endpoint, readonly VerificationKind[]>> = {
  'verify-id': ['id'],
  'verify-face': ['face'],
  'verify-identity': ['face'],
  enroll: ['id', 'face'],
};

export type VerifyError =
  | 'session_not_found'
  | 'session_not_started'
  | 'session_not_valid_for_this_endpoint'
  | 'session_not_complete'
  | 'liveness_check_failed'
  | 'id_scan_not_complete'
  | 'id_scan_failed'
  | 'session_older_than_30_days';

/** Facts by which the table is read. */
export type SessionStanding = SessionTimes & {
  readonly kind: VerificationKind;
  readonly failure: Failure | '';
  readonly createdAt: Date;
  /** Whether the face is captured and the document is not; false during a retake of the document. */
  readonly waitsForDocument: boolean;
};

/** Reason why a session has no result for an endpoint; null if it has one. An unknown session is `session_not_found`. */
export function verifyError(
  session: SessionStanding | null,
  endpoint: Endpoint,
  now: Date,
): VerifyError | null {
  if (session === null) return 'session_not_found';
  if (!KINDS_OF_ENDPOINT[endpoint].includes(session.kind)) return 'session_not_valid_for_this_endpoint';
  switch (stateAt(session, now)) {
    case 'expired':
      return 'session_not_valid_for_this_endpoint';
    case 'created':
    case 'opened':
      return 'session_not_started';
    case 'capturing':
      return session.kind === 'id' && session.waitsForDocument
        ? 'id_scan_not_complete'
        : 'session_not_complete';
    case 'processing':
      return 'session_not_complete';
    case 'failed':
      return errorOfFailure(session.failure, session.kind);
    case 'completed':
      return isReadable(session, now) ? null : errorOfAge(endpoint);
  }
}

/** A result is available for 30 days from the creation of its session. */
function isReadable({ createdAt }: Pick<SessionStanding, 'createdAt'>, now: Date): boolean {
  return createdAt >= readableSince(now);
}

function errorOfAge(endpoint: Endpoint): VerifyError {
  return endpoint === 'enroll' ? 'session_older_than_30_days' : 'session_not_valid_for_this_endpoint';
}

function errorOfFailure(failure: Failure | '', kind: VerificationKind): VerifyError {
  switch (failure) {
    case 'invalid_session_id':
    case 'session_id_not_found':
      return 'session_not_found';
    case 'failed_to_complete_face_scan':
    case 'liveness_check_failed':
      return 'liveness_check_failed';
    case 'failed_to_process_id_scan':
      return kind === 'id' ? 'id_scan_failed' : 'liveness_check_failed';
    case 'failed_to_get_camera_permission':
    case 'failed_to_collect_device_data':
    case '':
      return 'session_not_complete';
  }
}
