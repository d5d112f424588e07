import type { Clock } from '@vouchgraph/platform/clock';
import {
  decryptCapture,
  type Failure,
  isUnreadable,
  isVirtualCamera,
  mayRetake,
  type RetakeReason,
  retakeReasonOf,
  simulatedOutcomeOf,
  simulatedResult,
} from '@vouchgraph/verification';
import { type FaceProblem, looksRecaptured, RECAPTURE_LIMITS, VisionWorkerError } from '@vouchgraph/vision';
import type { MediaService } from '../../media/media-service.ts';
import type { Project } from '../../projects/project.ts';
import { findVerification, type VerificationRow } from '../verification-store.ts';
import { countAttempt, findProcessing, retakeDocument } from './check-store.ts';
import type { SeenEvidence } from './compare-service.ts';
import type { CompleteService } from './complete-service.ts';
import { failVerification } from './fail-service.ts';
import { storePlaceholders } from './placeholder-service.ts';
import { judgeDocument, readFace, type Vision } from './read-images-service.ts';

type Deps = {
  readonly vision: Vision;
  readonly media: MediaService;
  readonly completing: CompleteService;
  readonly clock: Clock;
  readonly onExhausted: (error: unknown) => void;
};

/** Attempts with images that crash the vision worker. */
const MAX_ATTEMPTS = 3;
/**
 * Any other failure (the storage or the database does not answer, for example) is retried for this time after the
 * submission, and at least `MIN_RETRIES` times even if the job waited long in the queue.
 */
const RETRY_WINDOW_MS = 3_600_000;
const MIN_RETRIES = 10;

export type CheckService = ReturnType<typeof createCheckService>;

/** Checks submitted sessions; each ends as completed or failed. `onExhausted` receives sessions that failed for technical reasons. */
export function createCheckService(deps: Deps) {
  return {
    /** Ignores a session that has ended. Throws if the check must be retried. `retries`: number of retries so far. */
    check: (project: Project, sessionId: string, retries?: number) =>
      check(deps, project, sessionId, retries),
  };
}

/** Whether the worker thread crashed or timed out: the only failure that the images probably cause. */
function isEndOfReader(error: unknown): boolean {
  return error instanceof VisionWorkerError && (error.failure === 'crashed' || error.failure === 'timed_out');
}

/** A face that fails the liveness check has a different failure than a missing face. */
function failureOfFace(problem: FaceProblem | null): Failure {
  return problem === 'challenge_failed' || problem === 'different_faces'
    ? 'liveness_check_failed'
    : 'failed_to_complete_face_scan';
}

/** Ignores a session that has ended. Throws if the check must be retried. `retries`: number of retries so far. */
async function check(deps: Deps, project: Project, sessionId: string, retries = 0): Promise<void> {
  const row = await findProcessing(project.database, sessionId);
  if (!row) return retries > 0 ? finishLater(deps, project, sessionId) : undefined;
  if (isExhausted(deps, row, retries)) return failCheck(deps, project, row);
  if (row.simulation) return checkSimulated(deps, project, row);
  try {
    await checkSeen(deps, project, row);
  } catch (error) {
    if (!isEndOfReader(error)) throw error;
    if ((await countAttempt(project.database, sessionId)) < MAX_ATTEMPTS) throw error;
    await failCheck(deps, project, row);
  }
}

/** Repeats the follow-up work of a check that was interrupted after its result was stored. */
async function finishLater(deps: Deps, project: Project, sessionId: string): Promise<void> {
  const row = await findVerification(project.database, sessionId);
  if (row?.state === 'completed') await deps.completing.bindFurther(project, row);
}

function isExhausted(
  deps: Deps,
  { attempts, submitted_at: submittedAt }: VerificationRow,
  retries: number,
): boolean {
  if (attempts >= MAX_ATTEMPTS) return true;
  const waitedMs = submittedAt === null ? 0 : deps.clock.now().getTime() - submittedAt.getTime();
  return retries >= MIN_RETRIES && waitedMs > RETRY_WINDOW_MS;
}

/**
 * The check found nothing about the person, so it uses the two most neutral failures: the scan of the document or the face
 * failed. It never reports a failed liveness check.
 */
async function failCheck(deps: Deps, project: Project, row: VerificationRow): Promise<void> {
  const failure = row.kind === 'id' ? 'failed_to_process_id_scan' : 'failed_to_complete_face_scan';
  await failVerification(deps, project, row, failure);
  deps.onExhausted(new Error('a verification failed because its images could not be read'));
}

async function checkSeen(deps: Deps, project: Project, row: VerificationRow): Promise<void> {
  const capture = decryptCapture(project, row);
  const face = await readFace(deps, project, row, capture);
  if (face.problem !== null || face.descriptor === null)
    return failVerification(deps, project, row, failureOfFace(face.problem));
  const selfie = { descriptor: face.descriptor, ageYears: face.ageYears };
  const document = row.kind === 'id' ? await judgeDocument(deps, project, row, selfie) : null;
  const reason = document && retakeReasonOf(document);
  if (reason && mayRetake(row, deps.clock.now()) && (await retake(deps, project, row, reason))) return;
  if (document && isUnreadable(document))
    return failVerification(deps, project, row, 'failed_to_process_id_scan');
  if (face.portrait) await keepPortrait(deps, project, row, face.portrait);
  const seen: SeenEvidence = {
    face: { ...face, descriptor: face.descriptor },
    document: document?.judgment ?? null,
    isRecaptured: looksRecaptured(face.recaptureScore, RECAPTURE_LIMITS.face),
    isVirtualCamera: isVirtualCamera(capture),
  };
  await completeOrErase(deps, project, row, () => deps.completing.completeSeen(project, row, seen));
}

/** Requests a retake of the document. Returns whether the session still waited for these images. */
async function retake(
  deps: Deps,
  project: Project,
  row: VerificationRow,
  reason: RetakeReason,
): Promise<boolean> {
  const replaced = await retakeDocument(project.database, row, reason);
  if (replaced) await deps.media.removeFiles(project, replaced);
  return replaced !== null;
}

/** Erases the stored data of a session that was erased in the meantime. */
async function completeOrErase(
  deps: Deps,
  project: Project,
  row: VerificationRow,
  complete: () => Promise<boolean>,
): Promise<void> {
  let isDone = false;
  try {
    isDone = await complete();
  } finally {
    if (!isDone && !(await findVerification(project.database, row.session_id)))
      await deps.media.eraseSessions(project, [row.session_id]);
  }
}

async function checkSimulated(deps: Deps, project: Project, row: VerificationRow): Promise<void> {
  const { verificationSuspiciousFrom, verificationFakeFrom } = project.settings;
  const outcome = simulatedOutcomeOf(row.simulation!, row.kind, {
    suspiciousFrom: verificationSuspiciousFrom,
    fakeFrom: verificationFakeFrom,
  });
  if (outcome.failure !== null) return failVerification(deps, project, row, outcome.failure);
  const result = simulatedResult(row.kind, outcome, deps.clock.now());
  await completeOrErase(deps, project, row, async () => {
    await storePlaceholders(deps.media, project, { sessionId: row.session_id, kind: row.kind });
    return deps.completing.completeSimulated(project, row, result);
  });
}

async function keepPortrait(
  deps: Deps,
  project: Project,
  row: VerificationRow,
  portrait: Uint8Array,
): Promise<void> {
  const slot = { sessionId: row.session_id, kind: 'portrait', sequence: 0 } as const;
  await deps.media.store(project, slot, 'image/jpeg', portrait);
}
