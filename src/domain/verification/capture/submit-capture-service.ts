import type { Clock } from '@vouchgraph/platform/clock';
import {
  captureStartedAfter,
  checkComplete,
  checkConsent,
  encryptCapture,
  notCapturing,
  type PageFailure,
  readCapture,
  retakenCapture,
  SIMULATED_SECONDS,
  stateAt,
} from '@vouchgraph/verification';
import type { ConnectionFacts, SessionService } from '../../sessions/session-service.ts';
import type { CheckRunner } from '../check/check-worker.ts';
import { failVerification } from '../check/fail-service.ts';
import { timesOf } from '../result/verification.ts';
import { submitSimulated, submitVerification } from './capture-store.ts';
import type { OpenCapture } from './open-capture-service.ts';
import { consentOf, ensureSession, requireNoBrowser } from './start-capture-service.ts';

type Deps = {
  readonly sessions: SessionService;
  readonly runner: Pick<CheckRunner, 'wake'>;
  readonly clock: Clock;
};

/**
 * Handles a request for the page. A real session does not change; a simulated session starts and ends after some seconds.
 */
export async function show(
  deps: Deps,
  found: OpenCapture,
  connection: ConnectionFacts,
  isPreview: boolean,
): Promise<void> {
  const { project, row } = found;
  if (row.simulation === null || isPreview) return;
  if (row.state !== 'created') return;
  await ensureSession(deps, found, connection);
  const isBegun = await submitSimulated(project.database, row.session_id, deps.clock.now());
  if (isBegun) deps.runner.wake(SIMULATED_SECONDS * 1000);
}

/** Milliseconds until a simulated session that is shown now has its result; 0 if it is due, completed, or not simulated. */
export function simulatedDueMs(deps: Deps, { row }: OpenCapture): number {
  const now = deps.clock.now();
  const state = stateAt(timesOf(row), now);
  if (row.simulation === null || (state !== 'created' && state !== 'processing')) return 0;
  const waitedMs = row.submitted_at === null ? 0 : now.getTime() - row.submitted_at.getTime();
  return Math.min(SIMULATED_SECONDS * 1000, Math.max(0, SIMULATED_SECONDS * 1000 - waitedMs));
}

/** Submits for an app, which sends the consent now. */
export async function submitForApp(
  deps: Deps,
  found: OpenCapture,
  input: unknown,
  consent: unknown,
): Promise<void> {
  requireNoBrowser(found.row);
  await submit(deps, found, input, consent);
}

/** Submits the uploaded images and enqueues the check. Repeated calls have no effect. */
export async function submit(
  deps: Deps,
  { project, row }: OpenCapture,
  input: unknown,
  consentInput: unknown = null,
): Promise<void> {
  if (row.state === 'processing' || row.state === 'completed' || row.state === 'failed') return;
  const now = deps.clock.now();
  if (stateAt(timesOf(row), now) !== 'capturing') throw notCapturing();
  const capture = retakenCapture(project, row, readCapture(input));
  // The first image of an app may be as old as its start. A later consent does not cover it.
  const times = { createdAt: row.created_at, latest: row.started_at ?? now };
  const consent = row.consent_at === null ? checkConsent(consentOf(consentInput), times) : null;
  checkComplete(row.kind, row.media);
  await submitVerification(project.database, {
    sessionId: row.session_id,
    now,
    capture: encryptCapture(project, row.session_id, capture),
    consent,
    startedAfter: captureStartedAfter(now),
  });
  deps.runner.wake();
}

/** Fails the session because the page cannot continue. */
export async function reportFailure(
  deps: Deps,
  { project, row }: OpenCapture,
  reason: PageFailure,
): Promise<void> {
  if (stateAt(timesOf(row), deps.clock.now()) === 'expired') return;
  await failVerification(deps, project, row, reason, 'giveUp');
}
