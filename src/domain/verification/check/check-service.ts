import type { Clock } from '../../../platform/clock.ts';
import { type OutboxEvent, outboxEvent } from '../../events/outbox-event.ts';
import type { MediaService } from '../../media/media-service.ts';
import type { Project } from '../../projects/project.ts';
import type { JudgementContext } from '../../vision/documents/judge-document.ts';
import type { DocumentTask, FaceProblem, FaceReading, FaceTask } from '../../vision/readings.ts';
import { looksRecaptured, RECAPTURE_LIMITS } from '../../vision/recapture.ts';
import { VisionWorkerError } from '../../vision/vision-pool.ts';
import type { JudgedDocument } from '../../vision/vision-worker.ts';
import { type Capture, framesOf, isVirtualCamera, openCapture } from '../captured.ts';
import { accountOfCheck, lockCheckCalls, toLockedCheck } from '../check-lock-store.ts';
import { isUnreadable, mayRetake, retakeReasonOf } from '../document-retake.ts';
import type { Failure } from '../failure.ts';
import { simulatedResult } from '../result/simulated-result.ts';
import type { RetakeReason } from '../retake-reason.ts';
import { outcomeOf } from '../simulation.ts';
import { TRANSITIONS } from '../state-table.ts';
import { findVerification, type VerificationRow } from '../verification-store.ts';
import { countAttempt, FAIL, findProcessing, retakeDocument } from './check-store.ts';
import type { SeenEvidence } from './compare-service.ts';
import type { CompleteService } from './complete-service.ts';
import { storePlaceholders } from './placeholder-service.ts';

/** What reads pictures: workers, of which one may die. */
export type Vision = {
  readFaces(task: FaceTask): Promise<FaceReading>;
  judgeDocument(task: DocumentTask, context: JudgementContext): Promise<JudgedDocument>;
};

/** Pictures that end their reader again and again are not looked at a fourth time. */
const MOST_ATTEMPTS = 3;
/**
 * What fails for any other reason (the storage or the database does not answer, say) is tried for so long after the
 * session was submitted, and some times at least, however long it had to wait for its turn.
 */
const TRIED_MS = 3_600_000;
const FEWEST_RETRIES = 10;

export type CheckService = ReturnType<typeof createCheckService>;

/** Looks at what a session submitted, and ends it: completed or failed. */
export function createCheckService(deps: {
  vision: Vision;
  media: MediaService;
  completing: CompleteService;
  clock: Clock;
  /** Told of a session that is given up. */
  onGivenUp: (error: unknown) => void;
}) {
  const { vision, media, completing, clock, onGivenUp } = deps;

  /** Does nothing to a session that is over. Throws where it is to be tried again. `retries`: how often it was. */
  async function check(project: Project, sessionId: string, retries = 0): Promise<void> {
    const row = await findProcessing(project.database, sessionId);
    if (!row) return retries > 0 ? finishLater(project, sessionId) : undefined;
    if (isTriedOut(row, retries)) return giveUp(project, row);
    if (row.simulation) return checkSimulated(project, row);
    try {
      await checkSeen(project, row);
    } catch (error) {
      if (!isEndOfReader(error)) throw error;
      if ((await countAttempt(project.database, sessionId)) < MOST_ATTEMPTS) throw error;
      await giveUp(project, row);
    }
  }

  /** What ended between its result and what follows from it. */
  async function finishLater(project: Project, sessionId: string): Promise<void> {
    const row = await findVerification(project.database, sessionId);
    if (row?.state === 'completed') await completing.bindFurther(project, row);
  }

  function isTriedOut({ attempts, submitted_at: submittedAt }: VerificationRow, retries: number): boolean {
    if (attempts >= MOST_ATTEMPTS) return true;
    const waitedMs = submittedAt === null ? 0 : clock.now().getTime() - submittedAt.getTime();
    return retries >= FEWEST_RETRIES && waitedMs > TRIED_MS;
  }

  /**
   * Nothing was found out about the person, and of all failures these two say the least: that the scan did not work, of
   * a document or a face. Never that somebody is not alive.
   */
  async function giveUp(project: Project, row: VerificationRow): Promise<void> {
    const failure = row.kind === 'id' ? 'failed_to_process_id_scan' : 'failed_to_complete_face_scan';
    await fail(project, row, failure);
    onGivenUp(new Error('a verification failed because it could not be looked at'));
  }

  async function checkSeen(project: Project, row: VerificationRow): Promise<void> {
    const capture = openCapture(project, row);
    const face = await readFace(project, row, capture);
    if (face.problem !== null || face.descriptor === null)
      return fail(project, row, failureOfFace(face.problem));
    const selfie = { descriptor: face.descriptor, ageYears: face.ageYears };
    const document = row.kind === 'id' ? await judgeDocument(project, row, selfie) : null;
    const reason = document && retakeReasonOf(document);
    if (reason && mayRetake(row, clock.now()) && (await retake(project, row, reason))) return;
    if (document && isUnreadable(document)) return fail(project, row, 'failed_to_process_id_scan');
    if (face.portrait) await keepPortrait(project, row, face.portrait);
    const seen: SeenEvidence = {
      face: { ...face, descriptor: face.descriptor },
      document: document?.judgement ?? null,
      isRecaptured: looksRecaptured(face.recaptureScore, RECAPTURE_LIMITS.face),
      isVirtualCamera: isVirtualCamera(capture),
    };
    await completeOrErase(project, row, () => completing.completeSeen(project, row, seen));
  }

  /** Lets the person capture the document again. Whether the session still waited for these images. */
  async function retake(project: Project, row: VerificationRow, reason: RetakeReason): Promise<boolean> {
    const replaced = await retakeDocument(project.database, row, reason);
    if (replaced) await media.removeFiles(project, replaced);
    return replaced !== null;
  }

  /** Of a session that was erased meanwhile, what was stored for it since is erased too. */
  async function completeOrErase(
    project: Project,
    row: VerificationRow,
    complete: () => Promise<boolean>,
  ): Promise<void> {
    let isDone = false;
    try {
      isDone = await complete();
    } finally {
      if (!isDone && !(await findVerification(project.database, row.session_id)))
        await media.eraseSessions(project, [row.session_id]);
    }
  }

  async function checkSimulated(project: Project, row: VerificationRow): Promise<void> {
    const { verificationSuspiciousFrom, verificationFakeFrom } = project.settings;
    const outcome = outcomeOf(row.simulation!, row.kind, {
      suspiciousFrom: verificationSuspiciousFrom,
      fakeFrom: verificationFakeFrom,
    });
    if (outcome.failure !== null) return fail(project, row, outcome.failure);
    const result = simulatedResult(row.kind, outcome, clock.now());
    await completeOrErase(project, row, async () => {
      await storePlaceholders(media, project, { sessionId: row.session_id, kind: row.kind });
      return completing.completeSimulated(project, row, result);
    });
  }

  async function readFace(project: Project, row: VerificationRow, capture: Capture): Promise<FaceReading> {
    const frames = framesOf(capture, row.media);
    const objects = await media.ofSession(project, row.session_id);
    const bytesOf = async (sequence: number) => {
      const object = objects.find((each) => each.kind === 'face_frame' && each.sequence === sequence);
      // Without one of its frames a head that turned as asked would not seem to.
      if (!object) throw new Error('a frame of a face is missing');
      return media.read(project, object.objectId);
    };
    const read = await Promise.all(
      frames.map(async ({ sequence, step }) => ({ step, bytes: await bytesOf(sequence) })),
    );
    return vision.readFaces({
      frames: read,
      challenge: row.challenge as FaceTask['challenge'],
      anyOrder: project.environment === 'sandbox',
    });
  }

  async function judgeDocument(
    project: Project,
    row: VerificationRow,
    selfie: JudgementContext['selfie'],
  ): Promise<JudgedDocument> {
    const objects = await media.ofSession(project, row.session_id);
    const side = async (kind: 'id_front' | 'id_back') => {
      const object = objects.find((each) => each.kind === kind && each.state === 'stored');
      return object ? media.read(project, object.objectId) : null;
    };
    const [front, back] = await Promise.all([side('id_front'), side('id_back')]);
    if (!front) throw new Error('the front of a document is missing');
    return vision.judgeDocument({ front, back }, { now: clock.now(), selfie });
  }

  async function keepPortrait(project: Project, row: VerificationRow, portrait: Uint8Array): Promise<void> {
    const slot = { sessionId: row.session_id, kind: 'portrait', sequence: 0 } as const;
    await media.store(project, slot, 'image/jpeg', portrait);
  }

  /** Ends a session without a result, and emits its event; nothing when it is in no such state any more. */
  async function fail(
    project: Project,
    row: VerificationRow,
    failure: Failure,
    how: 'fail' | 'giveUp' = 'fail',
  ): Promise<void> {
    const { projectId, database } = project;
    const { session_id: sessionId } = row;
    await database.transaction(async (transaction) => {
      // Under its lock: a request may bind the session meanwhile, and the event names the account.
      const rows = await transaction.run(...lockCheckCalls(projectId, sessionId));
      const check = toLockedCheck(rows.at(-1));
      if (!check || (how === 'fail' && check.document_retakes !== row.document_retakes)) return;
      const now = clock.now();
      const event = failedEvent(project, row, { accountId: accountOfCheck(check), failure, now });
      await transaction.commit([
        FAIL,
        [
          projectId,
          sessionId,
          TRANSITIONS[how].from,
          failure,
          now,
          event.eventId,
          event.type,
          event.payload,
          row.request_id,
        ],
      ]);
    });
  }

  return { check, fail };
}

function failedEvent(
  { projectId, cipher }: Project,
  { session_id: sessionId, kind, referring_session_id: referring, request_id: requestId }: VerificationRow,
  { accountId, failure, now }: { accountId: string | null; failure: Failure; now: Date },
): OutboxEvent {
  const data = {
    account_id: accountId,
    referring_session_id: referring,
    metadata: {
      project_id: projectId,
      session_id: sessionId,
      account_id: accountId,
      referring_session_id: referring,
      request_id: requestId,
      timestamp: now.toISOString(),
    },
    kind,
    error_message: failure,
  };
  return outboxEvent(cipher, 'verification.failed', sessionId, data, now);
}

/** The pictures ended the thread that read them, or held it up: the one failure that is likely to be their own. */
function isEndOfReader(error: unknown): boolean {
  return error instanceof VisionWorkerError && (error.failure === 'crashed' || error.failure === 'timed_out');
}

/** A face that is there and does not live is another matter than none. */
function failureOfFace(problem: FaceProblem | null): Failure {
  return problem === 'challenge_failed' || problem === 'different_faces'
    ? 'liveness_check_failed'
    : 'failed_to_complete_face_scan';
}
