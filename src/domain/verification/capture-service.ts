import { randomInt } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { equalInConstantTime, sha256 } from '../../platform/crypto.ts';
import { newId, randomSecret } from '../../platform/ids.ts';
import type { Database } from '../../storage/database.ts';
import type { MediaKind } from '../media/media-kind.ts';
import type { MediaService } from '../media/media-service.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { collectorToken } from '../sessions/collector-token.ts';
import type { ConnectionFacts, SessionService } from '../sessions/session-service.ts';
import { findSessions } from '../sessions/session-store.ts';
import { isAppLibrary } from '../signals/codes/declared-bot-user-agent.ts';
import type { ChallengeStep } from '../vision/readings.ts';
import { checkComplete, has, readCapture, retakenCapture, sealCapture } from './capture.ts';
import type { CheckQueue } from './check-queue-store.ts';
import type { CheckRunner } from './check-runner-service.ts';
import type { CheckService } from './check-service.ts';
import { type Retake, retakeOf } from './document-retake.ts';
import { captureNotFound, captureTaken, notCapturing, verificationError } from './errors.ts';
import type { PageFailure } from './failure.ts';
import { decryptRedirect, encryptRedirect } from './redirect-url.ts';
import { SIMULATED_SECONDS } from './simulation.ts';
import { captureStartedAfter, stateAt } from './state-table.ts';
import { acceptsUpload } from './upload-permission-service.ts';
import { timesOf, Verification } from './verification.ts';
import {
  type Consent,
  checkConsent,
  checkRedirect,
  redirectWith,
  sessionIdOf,
} from './verification-input.ts';
import {
  FIND_PROJECT_OF_SESSION,
  findVerification,
  noteOpened,
  offerHandover,
  SUBMIT,
  SUBMIT_SIMULATED,
  setRedirectUrl,
  startVerification,
  takeOver,
  type VerificationRow,
} from './verification-store.ts';

/** A session as its page knows it. */
export type OpenCapture = { readonly project: Project; readonly row: VerificationRow };

/** What a page may do when it captures. */
export type StartedCapture = OpenCapture & {
  readonly captureToken: string;
  /** For facts of the session: PATCH /session/{id}. */
  readonly sessionToken: string;
};

export type CaptureStatus = {
  readonly state: ReturnType<typeof stateAt>;
  readonly success: boolean | null;
  readonly errorMessage: string | null;
  /** Why the document is captured again; null while it is not. */
  readonly retake: Retake | null;
  /** Where to go on, with what came of it; '' when nowhere was named. */
  readonly redirectUrl: string;
};

export type CaptureService = ReturnType<typeof createCaptureService>;

/** The turns of the head, in an order that nobody can foresee. */
export function randomChallenge(): ChallengeStep[] {
  return randomInt(2) === 0 ? ['left', 'right'] : ['right', 'left'];
}

const hashOf = (secret: string) => sha256(secret);
const isSecretOf = (hash: Uint8Array | null, secret: string) =>
  hash !== null && equalInConstantTime(Buffer.from(hash).toString('hex'), hashOf(secret).toString('hex'));

/**
 * What the hosted page and apps do with a session: start it, upload, submit, ask how it stands. They know the session and
 * a secret; who has started holds a token that nobody else has.
 */
export function createCaptureService(deps: {
  system: Database['system'];
  getProject: (projectId: string) => Promise<Project | null>;
  sessions: SessionService;
  media: MediaService;
  checks: CheckService;
  queue: CheckQueue;
  runner: Pick<CheckRunner, 'wake'>;
  clock: Clock;
}) {
  const { system, getProject, sessions, media, checks, queue, runner, clock } = deps;

  /** The session of a page, null when there is none: unknown and malformed ids alike. */
  async function findCapture(id: string): Promise<OpenCapture | null> {
    const sessionId = sessionIdOf(id);
    if (sessionId === null) return null;
    const [found] = await system.query(FIND_PROJECT_OF_SESSION, [sessionId]);
    const project = found ? await getProject(found.project_id) : null;
    const row = project && (await findVerification(project.database, sessionId));
    return project && row ? { project, row } : null;
  }

  /** Whether a link opens the session: by its secret, or by its id alone where the project lets older links do so. */
  function opens({ project, row }: OpenCapture, secret: string): boolean {
    if (secret === '') return project.settings.plainVerificationLinks;
    return isSecretOf(row.secret_hash, secret);
  }

  async function getCapture(id: string, secret: string): Promise<OpenCapture> {
    const found = await findCapture(id);
    if (!found || !opens(found, secret)) throw captureNotFound();
    return found;
  }

  /**
   * The session for a key of its project, or for an app with its secret. Throws `session_not_found`, for another session
   * than that of the secret too.
   */
  async function getFor(viewer: Viewer, id: string): Promise<OpenCapture> {
    assertMay(viewer, 'verification.capture');
    const found = await findCapture(id);
    if (found?.project.projectId !== viewer.project.projectId) throw captureNotFound();
    const isApp = viewer.kind === 'verification_secret';
    if (isApp && !opens(found, viewer.secret ?? '')) throw captureNotFound();
    return { ...found, project: viewer.project };
  }

  /**
   * The page was asked for. That changes nothing of a real session; a simulated one begins, and ends some seconds later.
   */
  async function show(found: OpenCapture, connection: ConnectionFacts, isPreview: boolean): Promise<void> {
    const { project, row } = found;
    if (row.simulation === null || isPreview) return;
    if (row.state !== 'created') return;
    await ensureSession(found, connection);
    const begun = await queue.addWith(SUBMIT_SIMULATED, [project.projectId, row.session_id, clock.now()], {
      projectId: project.projectId,
      sessionId: row.session_id,
      kind: 'simulated',
      afterSeconds: SIMULATED_SECONDS,
    });
    if (begun) runner.wake(SIMULATED_SECONDS * 1000);
  }

  /** Milliseconds until a simulated session that is shown now has its result; 0 when it is due, over, or not simulated. */
  function simulatedDueMs({ row }: OpenCapture): number {
    const now = clock.now();
    const state = stateAt(timesOf(row), now);
    if (row.simulation === null || (state !== 'created' && state !== 'processing')) return 0;
    const waitedMs = row.submitted_at === null ? 0 : now.getTime() - row.submitted_at.getTime();
    return Math.min(SIMULATED_SECONDS * 1000, Math.max(0, SIMULATED_SECONDS * 1000 - waitedMs));
  }

  /** The session's own record, with what the service sees of the connection. */
  async function ensureSession({ project, row }: OpenCapture, connection: ConnectionFacts): Promise<void> {
    const [known] = await findSessions(project.database, [row.session_id]);
    if (known) return;
    await sessions
      .open(collector(project, connection), newId(), {}, connection, row.session_id)
      .catch(async (error: unknown) => {
        // Opened by somebody else at the same moment.
        if ((await findSessions(project.database, [row.session_id])).length === 0) throw error;
      });
  }

  /** Begins to capture, or goes on: with the token that it was begun with, or with the secret of a handover. */
  async function start(
    id: string,
    told: {
      secret: string;
      captureToken: string;
      consent: unknown;
      language: string;
      redirectUrl: string;
    },
    connection: ConnectionFacts,
  ): Promise<StartedCapture> {
    const found = await findCapture(id);
    if (!found) throw captureNotFound();
    const { project, row } = found;
    if (row.simulation !== null) throw verificationError('session_not_valid_for_this_endpoint');
    const now = clock.now();
    const state = stateAt(timesOf(row), now);
    if (state === 'capturing') return goOn(found, told, connection);
    if (!opens(found, told.secret)) throw captureNotFound();
    if (state !== 'created' && state !== 'opened')
      throw verificationError('session_not_valid_for_this_endpoint');
    const consent = checkConsent(consentOf(told.consent), { createdAt: row.created_at, latest: now });
    await setRedirect(found, told.redirectUrl);
    const captureToken = randomSecret();
    const started = await startVerification(project.database, {
      sessionId: row.session_id,
      now,
      captureHash: hashOf(captureToken),
      consentAt: consent.givenAt,
      consentVersion: consent.textVersion,
      language: told.language,
    });
    if (!started) throw captureTaken();
    await ensureSession(found, connection);
    return startedOf({ project, row: started }, captureToken);
  }

  async function goOn(
    found: OpenCapture,
    { secret, captureToken }: { secret: string; captureToken: string },
    connection: ConnectionFacts,
  ): Promise<StartedCapture> {
    const { project, row } = found;
    if (captureToken !== '' && isSecretOf(row.capture_hash, captureToken)) {
      await ensureSession(found, connection);
      return startedOf(found, captureToken);
    }
    const fresh = randomSecret();
    const taken =
      secret === '' ? null : await takeOver(project.database, row.session_id, hashOf(secret), hashOf(fresh));
    if (taken) return startedOf({ project, row: taken }, fresh);
    if (!opens(found, secret)) throw captureNotFound();
    throw captureTaken();
  }

  /** Where an older link leads back to, unless the session says so itself. Quietly ignored when it may not. */
  async function setRedirect({ project, row }: OpenCapture, redirectUrl: string | null): Promise<void> {
    if (!redirectUrl || decryptRedirect(project.cipher, row) !== '') return;
    const allowed = allowedRedirect(project, redirectUrl);
    const sealed = encryptRedirect(project.cipher, row.session_id, allowed);
    if (sealed) await setRedirectUrl(project.database, row.session_id, sealed);
  }

  function startedOf(found: OpenCapture, captureToken: string): StartedCapture {
    const { project, row } = found;
    const sessionToken = collectorToken(project.cipher, project.projectId, row.session_id);
    return { ...found, captureToken, sessionToken };
  }

  /** The session that a token captures. Throws `session_not_found` when it is not its token. */
  async function held(id: string, captureToken: string): Promise<OpenCapture> {
    const found = await findCapture(id);
    if (!found || !isSecretOf(found.row.capture_hash, captureToken)) throw captureNotFound();
    return found;
  }

  /** A secret with which another device goes on. */
  async function handOver(id: string, captureToken: string): Promise<{ found: OpenCapture; secret: string }> {
    const found = await held(id, captureToken);
    const secret = randomSecret();
    const { project, row } = found;
    if (stateAt(timesOf(row), clock.now()) !== 'capturing') throw notCapturing();
    const hash = hashOf(captureToken);
    if (!(await offerHandover(project.database, row.session_id, hash, hashOf(secret)))) throw notCapturing();
    return { found, secret };
  }

  /** An app begins to capture; its consent comes with its pictures. What an app has begun goes on. */
  async function startForApp(
    found: OpenCapture,
    kind: MediaKind,
    connection: ConnectionFacts,
  ): Promise<OpenCapture> {
    const { project, row } = found;
    if (row.simulation !== null) throw verificationError('session_not_valid_for_this_endpoint');
    requireNoBrowser(row);
    if (acceptsUpload(row, kind, clock.now())) return found;
    if (row.document_retakes > 0) throw notCapturing();
    const started = await startVerification(project.database, {
      sessionId: row.session_id,
      now: clock.now(),
      captureHash: null,
      consentAt: null,
      consentVersion: '',
      language: '',
    });
    if (!started) {
      const current = await findVerification(project.database, row.session_id);
      if (!current || stateAt(timesOf(current), clock.now()) !== 'capturing') throw notCapturing();
      requireNoBrowser(current);
      return { project, row: current };
    }
    await ensureSession(found, withoutLibrary(connection));
    return { project, row: started };
  }

  /** The same for an app, which tells the consent now. */
  async function submitForApp(found: OpenCapture, told: unknown, consent: unknown): Promise<void> {
    requireNoBrowser(found.row);
    await submit(found, told, consent);
  }

  /** Everything was uploaded: the pictures wait to be read. A second time nothing happens. */
  async function submit({ project, row }: OpenCapture, told: unknown, asked: unknown = null): Promise<void> {
    if (row.state === 'processing' || row.state === 'completed' || row.state === 'failed') return;
    const now = clock.now();
    if (stateAt(timesOf(row), now) !== 'capturing') throw notCapturing();
    const capture = retakenCapture(project, row, readCapture(told));
    // Of an app the first picture may be as old as its start: what was agreed to later does not cover it.
    const times = { createdAt: row.created_at, latest: row.started_at ?? now };
    const consent = row.consent_at === null ? checkConsent(consentOf(asked), times) : null;
    checkComplete(row.kind, row.media);
    const sealed = sealCapture(project, row.session_id, capture);
    const values = [
      project.projectId,
      row.session_id,
      now,
      sealed,
      consent?.givenAt ?? null,
      consent?.textVersion ?? '',
      captureStartedAfter(now),
    ];
    await queue.addWith(SUBMIT, values, {
      projectId: project.projectId,
      sessionId: row.session_id,
      kind: 'real',
      afterSeconds: 0,
      retakes: row.document_retakes,
    });
    runner.wake();
  }

  /** The page cannot go on. */
  async function giveUp({ project, row }: OpenCapture, reason: PageFailure): Promise<void> {
    if (stateAt(timesOf(row), clock.now()) === 'expired') return;
    await checks.fail(project, row, reason, 'giveUp');
  }

  function statusOf({ project, row }: OpenCapture): CaptureStatus {
    const state = stateAt(timesOf(row), clock.now());
    const isOver = state === 'completed' || state === 'failed';
    const success = isOver ? state === 'completed' : null;
    const errorMessage = state === 'failed' ? row.failure : null;
    return {
      state,
      success,
      errorMessage,
      retake: retakeOf(row, state),
      redirectUrl:
        success === null
          ? ''
          : redirectWith(decryptRedirect(project.cipher, row), {
              sessionId: row.session_id,
              success,
              errorMessage: errorMessage ?? '',
            }),
    };
  }

  return {
    get: getCapture,
    getFor,
    held,
    show,
    start,
    startForApp,
    handOver,
    submit,
    submitForApp,
    giveUp,
    statusOf,
    simulatedDueMs,
    ensureSession,
    shown: ({ project, row }: OpenCapture) => new Verification(project, row),
    async upload(
      { project, row }: OpenCapture,
      slot: { kind: 'face_frame' | 'face_clip' | 'id_front' | 'id_back'; sequence: number },
      contentType: string,
      readBody: () => Promise<Uint8Array>,
    ): Promise<void> {
      if (!acceptsUpload(row, slot.kind, clock.now())) throw notCapturing();
      const { objectId } = await media.expect(project, { sessionId: row.session_id, ...slot }, contentType);
      await media.receive(project, objectId, contentType, readBody);
    },
    /** The page runs in a browser: its script says so, which no preview of a link does. */
    noteOpened: ({ project, row }: OpenCapture) => noteOpened(project.database, row.session_id, clock.now()),
    setRedirect,
    /** What is there already, for a page that goes on. */
    resumeOf: ({ row }: OpenCapture) => ({
      faceFrames: row.media.filter((each) => each.startsWith('face_frame:')).length,
      faceClip: has(row.media, 'face_clip'),
      idFront: has(row.media, 'id_front'),
      idBack: has(row.media, 'id_back'),
    }),
  };
}

/** An app that tells no source is not to be taken for a program that drives a browser. */
function withoutLibrary(connection: ConnectionFacts): ConnectionFacts {
  const { 'user-agent': userAgent = '', ...headers } = connection.headers;
  return isAppLibrary(String(userAgent)) ? { ...connection, headers } : connection;
}

function allowedRedirect(project: Project, redirectUrl: string): string {
  try {
    return checkRedirect(project, redirectUrl);
  } catch {
    return '';
  }
}

/** Whose browser has started it captures alone: neither the link's secret nor a key puts pictures among its own. */
function requireNoBrowser(row: VerificationRow): void {
  if (row.capture_hash !== null) throw captureTaken();
}

function collector(project: Project, { ip }: ConnectionFacts): Viewer {
  return { project, kind: 'collector', role: null, actor: 'verification page', limitKey: ip };
}

function consentOf(told: unknown): { textVersion?: unknown; givenAt?: unknown } | null {
  if (typeof told !== 'object' || told === null) return null;
  const { text_version, given_at, textVersion, givenAt } = told as Record<string, unknown>;
  return { textVersion: text_version ?? textVersion, givenAt: given_at ?? givenAt } satisfies {
    [Key in keyof Consent]?: unknown;
  };
}
