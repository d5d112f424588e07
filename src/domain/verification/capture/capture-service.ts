import type { MediaKind } from '@vouchgraph/media';
import type { Clock } from '@vouchgraph/platform/clock';
import {
  hasMedia,
  notCapturing,
  type PageFailure,
  type Retake,
  redirectWith,
  retakeOf,
  stateAt,
} from '@vouchgraph/verification';
import type { Database } from '../../../storage/database.ts';
import type { MediaService } from '../../media/media-service.ts';
import type { Viewer } from '../../projects/access-service.ts';
import type { Project } from '../../projects/project.ts';
import type { ConnectionFacts, SessionService } from '../../sessions/session-service.ts';
import type { CheckRunner } from '../check/check-worker.ts';
import { decryptRedirect } from '../redirect-url.ts';
import { timesOf } from '../result/verification.ts';
import { noteOpened } from './capture-store.ts';
import {
  getCapture,
  getFor,
  getForPage,
  type Handover,
  handoverOf,
  held,
  type OpenCapture,
} from './open-capture-service.ts';
import {
  ensureSession,
  handOver,
  type StartRequest,
  setRedirect,
  start,
  startForApp,
} from './start-capture-service.ts';
import { reportFailure, show, simulatedDueMs, submit, submitForApp } from './submit-capture-service.ts';
import { acceptsUpload } from './upload-permission-service.ts';

export type CaptureStatus = {
  readonly state: ReturnType<typeof stateAt>;
  readonly success: boolean | null;
  readonly errorMessage: string | null;
  /** Reason for the retake of the document; null without a retake. */
  readonly retake: Retake | null;
  /** Use of the handover to another device; null without one. */
  readonly handover: Handover | null;
  /** Redirect URL with the result appended; '' without one. */
  readonly redirectUrl: string;
};

export type CaptureService = ReturnType<typeof createCaptureService>;

type CaptureDeps = {
  system: Database['system'];
  getProject: (projectId: string) => Promise<Project | null>;
  sessions: SessionService;
  media: MediaService;
  runner: Pick<CheckRunner, 'wake'>;
  clock: Clock;
};

export type { OpenCapture } from './open-capture-service.ts';
export type { StartedCapture } from './start-capture-service.ts';

/**
 * Capture operations of the hosted page and of apps: start, upload, submit, read the status. The caller knows the session
 * and a secret. Starting returns a token that only the capturing client holds.
 */
export function createCaptureService(deps: CaptureDeps) {
  const { clock } = deps;
  return {
    /** The session of a link. Throws `session_not_found`, for a wrong secret too. */
    get: (id: string, secret: string) => getCapture(deps, id, secret),
    /** The session of a page that was opened by a link or by a handover. */
    getForPage: (id: string, secret: string) => getForPage(deps, id, secret, clock.now()),
    /**
     * The session for a key of its project, or for an app with its secret. Throws `session_not_found`, for another
     * session than that of the secret too.
     */
    getFor: (viewer: Viewer, id: string) => getFor(deps, viewer, id),
    /** The session that a token captures. Throws `session_not_found` when it is not its token. */
    held: (id: string, captureToken: string) => held(deps, id, captureToken),
    /** Handles a request for the page. Starts a simulated session. */
    show: (found: OpenCapture, connection: ConnectionFacts, isPreview: boolean) =>
      show(deps, found, connection, isPreview),
    /** Starts or resumes a capture, with the token of the start or with the secret of a handover. */
    start: (id: string, asked: StartRequest, connection: ConnectionFacts) =>
      start(deps, id, asked, connection),
    /** Starts or resumes the capture of an app. The app sends the consent when it submits. */
    startForApp: (found: OpenCapture, kind: MediaKind, connection: ConnectionFacts) =>
      startForApp(deps, found, kind, connection),
    /** Creates a secret with which another device resumes the capture. */
    handOver: (id: string, captureToken: string) => handOver(deps, id, captureToken),
    /** Submits the uploaded images and enqueues the check. Repeated calls have no effect. */
    submit: (found: OpenCapture, capture: unknown, consent?: unknown) =>
      submit(deps, found, capture, consent),
    /** Submits for an app, with its consent. */
    submitForApp: (found: OpenCapture, capture: unknown, consent: unknown) =>
      submitForApp(deps, found, capture, consent),
    /** Fails the session because the page cannot continue. */
    giveUp: (found: OpenCapture, reason: PageFailure) => reportFailure(deps, found, reason),
    statusOf: (found: OpenCapture) => statusOf(deps, found),
    /** Milliseconds until a simulated session that is shown now has its result; 0 if none is pending. */
    simulatedDueMs: (found: OpenCapture) => simulatedDueMs(deps, found),
    ensureSession: (found: OpenCapture, connection: ConnectionFacts) =>
      ensureSession(deps, found, connection),
    upload: (
      found: OpenCapture,
      slot: UploadSlot,
      contentType: string,
      readBody: () => Promise<Uint8Array>,
    ) => upload(deps, found, slot, contentType, readBody),
    /** Notes that the page runs in a browser. Link previews do not run its script. */
    noteOpened: ({ project, row }: OpenCapture) => noteOpened(project.database, row.session_id, clock.now()),
    setRedirect,
    resumeOf,
  };
}

type UploadSlot = { kind: 'face_frame' | 'face_clip' | 'id_front' | 'id_back'; sequence: number };

/** Stores an image or video of the page. */
async function upload(
  { media, clock }: Pick<CaptureDeps, 'media' | 'clock'>,
  { project, row }: OpenCapture,
  slot: UploadSlot,
  contentType: string,
  readBody: () => Promise<Uint8Array>,
): Promise<void> {
  if (!acceptsUpload(row, slot.kind, clock.now())) throw notCapturing();
  const { objectId } = await media.expect(project, { sessionId: row.session_id, ...slot }, contentType);
  await media.receive(project, objectId, contentType, readBody);
}

/** Lists the media already uploaded, for a page that resumes. */
function resumeOf({ row }: OpenCapture) {
  return {
    faceFrames: row.media.filter((each) => each.startsWith('face_frame:')).length,
    faceClip: hasMedia(row.media, 'face_clip'),
    idFront: hasMedia(row.media, 'id_front'),
    idBack: hasMedia(row.media, 'id_back'),
  };
}

function statusOf({ clock }: Pick<CaptureDeps, 'clock'>, found: OpenCapture): CaptureStatus {
  const { project, row } = found;
  const state = stateAt(timesOf(row), clock.now());
  const isOver = state === 'completed' || state === 'failed';
  const success = isOver ? state === 'completed' : null;
  const errorMessage = state === 'failed' ? row.failure : null;
  return {
    state,
    success,
    errorMessage,
    retake: retakeOf({ documentRetakes: row.document_retakes, retakeReason: row.retake_reason }, state),
    handover: handoverOf(found, clock.now()),
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
