import { SIMULATED_SECONDS } from '@vouchgraph/verification';
import type { ProjectDatabase, Statement } from '../../../storage/database.ts';
import { namedStatement } from '../../../storage/named-statement.ts';
import { claimableAfter } from '../check/check-queue-store.ts';
import {
  COLUMNS,
  NO_MEDIA,
  OWN_COLUMNS,
  stateAfter,
  stateBefore,
  type VerificationRow,
} from '../verification-store.ts';

/** Project of a session, read as the system: a page knows only its session. */
export const FIND_PROJECT_OF_SESSION: Statement = {
  name: 'verification.find_project',
  text: 'select project_id from verification_sessions where session_id = $1',
};

const OPEN: Statement = {
  name: 'verification.open',
  text: `update verification_sessions set ${stateAfter('open')}, opened_at = $3
         where project_id = $1 and session_id = $2 and ${stateBefore('open')} and expires_at > $3 and simulation is null`,
};

/** Stores that a browser opened the page. Later states are kept. */
export async function noteOpened(database: ProjectDatabase, sessionId: string, now: Date): Promise<void> {
  await database.query(OPEN, [database.projectId, sessionId, now]);
}

const SET_REDIRECT: Statement = {
  name: 'verification.set_redirect',
  text: `update verification_sessions set encrypted_redirect_url = $3
         where project_id = $1 and session_id = $2 and encrypted_redirect_url is null
           and ${stateBefore('start')}`,
};

/** Sets the redirect URL, once, and only before the session is started. */
export async function setRedirectUrl(
  database: ProjectDatabase,
  sessionId: string,
  encryptedRedirectUrl: Buffer,
): Promise<void> {
  await database.query(SET_REDIRECT, [database.projectId, sessionId, encryptedRedirectUrl]);
}

const START = namedStatement(
  'verification.start',
  `update verification_sessions v
         set ${stateAfter('start')}, opened_at = coalesce(v.opened_at, :now), started_at = :now, capture_hash = :captureHash,
           consent_at = :consentAt, consent_version = :consentVersion, language = coalesce(nullif(:language, ''), v.language)
         where v.project_id = :projectId and v.session_id = :sessionId and ${stateBefore('start')} and v.expires_at > :now
           and v.simulation is null
         returning ${OWN_COLUMNS}, ${NO_MEDIA}`,
);

export type Start = {
  sessionId: string;
  now: Date;
  /** null for an app that uploads to signed URLs. */
  captureHash: Buffer | null;
  consentAt: Date | null;
  consentVersion: string;
  language: string;
};

/** Starts the session for the first caller; null if it is started already or cannot be started. */
export async function startVerification(
  database: ProjectDatabase,
  { sessionId, now, captureHash, consentAt, consentVersion, language }: Start,
): Promise<VerificationRow | null> {
  const [row] = await database.query<VerificationRow>(
    ...START.call({
      projectId: database.projectId,
      sessionId,
      now,
      captureHash,
      consentAt,
      consentVersion,
      language,
    }),
  );
  return row ?? null;
}

const SET_HANDOVER: Statement = {
  name: 'verification.offer_handover',
  text: `update verification_sessions set handover_hash = $4, handover_expires_at = $5
         where project_id = $1 and session_id = $2 and state = 'capturing' and capture_hash = $3
         returning session_id`,
};

/** Allows a handover to another device; false if the session does not capture with this token. */
export async function offerHandover(
  database: ProjectDatabase,
  sessionId: string,
  captureHash: Buffer,
  handoverHash: Buffer,
  expiresAt: Date,
): Promise<boolean> {
  const values = [database.projectId, sessionId, captureHash, handoverHash, expiresAt];
  return (await database.query(SET_HANDOVER, values)).length > 0;
}

const TAKE_OVER: Statement = {
  name: 'verification.take_over',
  text: `update verification_sessions v set capture_hash = $4, handover_expires_at = null
         where v.project_id = $1 and v.session_id = $2 and v.state = 'capturing' and v.handover_hash = $3
           and v.handover_expires_at > $5
         returning ${COLUMNS}`,
};

/**
 * Moves the capture to the other device, once. The token of the first device becomes invalid. The hash stays, so that the
 * page of a device that comes later can show the reason.
 */
export async function takeOver(
  database: ProjectDatabase,
  sessionId: string,
  handoverHash: Buffer,
  captureHash: Buffer,
  now: Date,
): Promise<VerificationRow | null> {
  const values = [database.projectId, sessionId, handoverHash, captureHash, now];
  const [row] = await database.query<VerificationRow>(TAKE_OVER, values);
  return row ?? null;
}

/**
 * `capture` is encrypted. `consentAt` and `consentVersion`: the consent of an app, which sends it when it submits.
 * `startedAfter`: the time after which the session must have been started.
 */
const SUBMIT = namedStatement(
  'verification.submit',
  `update verification_sessions set ${stateAfter('submit')}, submitted_at = :now, capture = :capture,
           ${claimableAfter(0)},
           consent_at = coalesce(consent_at, :consentAt), consent_version = coalesce(nullif(consent_version, ''), :consentVersion)
         where project_id = :projectId and session_id = :sessionId and ${stateBefore('submit')} and simulation is null
           and coalesce(started_at > :startedAfter::timestamptz, true)`,
);

/** What is stored when images are submitted. */
export type Submission = {
  readonly sessionId: string;
  readonly now: Date;
  /** Encrypted facts of the capture. */
  readonly capture: Buffer;
  /** Consent of an app; null when it was stored at the start. */
  readonly consent: { readonly givenAt: Date; readonly textVersion: string } | null;
  readonly startedAfter: Date;
};

/** Submits a session, whose check can be claimed then. Does nothing in another state. */
export async function submitVerification(
  database: ProjectDatabase,
  { sessionId, now, capture, consent, startedAfter }: Submission,
): Promise<void> {
  await database.query(
    ...SUBMIT.call({
      projectId: database.projectId,
      sessionId,
      now,
      capture,
      consentAt: consent?.givenAt ?? null,
      consentVersion: consent?.textVersion ?? '',
      startedAfter,
    }),
  );
}

const SUBMIT_SIMULATED: Statement = {
  name: 'verification.submit_simulated',
  text: `update verification_sessions set ${stateAfter('simulate')}, opened_at = $3, started_at = $3, submitted_at = $3,
           ${claimableAfter(SIMULATED_SECONDS)}
         where project_id = $1 and session_id = $2 and ${stateBefore('simulate')} and simulation is not null
           and expires_at > $3
         returning session_id`,
};

/** Submits a simulated session when it is opened: its check can be claimed after some seconds. False in another state. */
export async function submitSimulated(
  database: ProjectDatabase,
  sessionId: string,
  now: Date,
): Promise<boolean> {
  return (await database.query(SUBMIT_SIMULATED, [database.projectId, sessionId, now])).length > 0;
}
