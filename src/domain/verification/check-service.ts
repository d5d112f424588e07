import type { Clock } from '../../platform/clock.ts';
import { outboxEvent } from '../events/outbox-event.ts';
import type { MediaService } from '../media/media-service.ts';
import type { Project } from '../projects/project.ts';
import { judgeDocument } from '../vision/documents/judge-document.ts';
import type {
  DocumentReading,
  DocumentTask,
  FaceProblem,
  FaceReading,
  FaceTask,
} from '../vision/readings.ts';
import { RECAPTURE_LIMITS } from '../vision/recapture.ts';
import { type Capture, framesOf, isVirtualCamera } from './capture.ts';
import type { SeenEvidence } from './compare-service.ts';
import type { CompleteService } from './complete-service.ts';
import type { Failure } from './failure.ts';
import { simulatedResult } from './simulated-result.ts';
import { outcomeOf } from './simulation.ts';
import { beginProcessing, FAIL, type VerificationRow } from './verification-store.ts';

/** What reads pictures: workers, of which one may die. */
export type Vision = {
  readFaces(task: FaceTask): Promise<FaceReading>;
  readDocument(task: DocumentTask): Promise<DocumentReading>;
};

/** Pictures that end their reader again and again are not looked at a fourth time. */
const MOST_ATTEMPTS = 3;

export type CheckService = ReturnType<typeof createCheckService>;

/** Looks at what a session submitted, and ends it: completed or failed. */
export function createCheckService(deps: {
  vision: Vision;
  media: MediaService;
  completing: CompleteService;
  clock: Clock;
}) {
  const { vision, media, completing, clock } = deps;

  /** Does nothing to a session that is over. Throws where it is to be tried again. */
  async function check(project: Project, sessionId: string): Promise<void> {
    const row = await beginProcessing(project.database, sessionId);
    if (!row) return;
    if (row.simulation) return checkSimulated(project, row);
    if (row.attempts > MOST_ATTEMPTS) return fail(project, row, 'failed_to_complete_face_scan', 'processing');
    const capture = openCapture(project, row);
    const face = await readFace(project, row, capture);
    if (face.problem !== null || face.descriptor === null)
      return fail(project, row, failureOfFace(face.problem), 'processing');
    const reading = row.kind === 'id' ? await readDocument(project, row) : null;
    if (reading && isUnreadable(reading))
      return fail(project, row, 'failed_to_process_id_scan', 'processing');
    if (face.portrait) await keepPortrait(project, row, face.portrait);
    const seen: SeenEvidence = {
      face: { ...face, descriptor: face.descriptor },
      document:
        reading &&
        judgeDocument(reading, {
          now: clock.now(),
          selfie: { descriptor: face.descriptor, ageYears: face.ageYears },
        }),
      isRecaptured: (face.recaptureScore ?? 0) > RECAPTURE_LIMITS.face,
      isVirtualCamera: isVirtualCamera(capture),
    };
    await completing.completeSeen(project, row, seen);
  }

  async function checkSimulated(project: Project, row: VerificationRow): Promise<void> {
    const { verificationSuspiciousFrom, verificationFakeFrom } = project.settings;
    const outcome = outcomeOf(row.simulation!, row.kind, {
      suspiciousFrom: verificationSuspiciousFrom,
      fakeFrom: verificationFakeFrom,
    });
    if (outcome.failure !== null) return fail(project, row, outcome.failure, 'processing');
    await completing.completeSimulated(project, row, simulatedResult(row.kind, outcome, clock.now()));
  }

  async function readFace(project: Project, row: VerificationRow, capture: Capture): Promise<FaceReading> {
    const frames = framesOf(capture, row.media);
    const objects = await media.ofSession(project, row.session_id);
    const bytesOf = async (sequence: number) => {
      const object = objects.find((each) => each.kind === 'face_frame' && each.sequence === sequence);
      return object ? media.read(project, object.objectId) : null;
    };
    const read = await Promise.all(
      frames.map(async ({ sequence, step }) => ({ step, bytes: await bytesOf(sequence) })),
    );
    return vision.readFaces({
      frames: read.flatMap(({ step, bytes }) => (bytes ? [{ step, bytes }] : [])),
      challenge: row.challenge as FaceTask['challenge'],
      anyOrder: project.environment === 'sandbox',
    });
  }

  async function readDocument(project: Project, row: VerificationRow): Promise<DocumentReading> {
    const objects = await media.ofSession(project, row.session_id);
    const side = async (kind: 'id_front' | 'id_back') => {
      const object = objects.find((each) => each.kind === kind && each.state === 'stored');
      return object ? media.read(project, object.objectId) : null;
    };
    const [front, back] = await Promise.all([side('id_front'), side('id_back')]);
    if (!front) throw new Error('the front of a document is missing');
    return vision.readDocument({ front, back });
  }

  async function keepPortrait(project: Project, row: VerificationRow, portrait: Uint8Array): Promise<void> {
    const slot = { sessionId: row.session_id, kind: 'portrait', sequence: 0 } as const;
    await media.store(project, slot, 'image/jpeg', portrait);
  }

  /** Ends a session without a result, and tells it; nothing when it is in no such state any more. */
  async function fail(
    project: Project,
    row: VerificationRow,
    failure: Failure,
    ...from: readonly string[]
  ): Promise<void> {
    const now = clock.now();
    const data = {
      account_id: row.account_id,
      referring_session_id: row.referring_session_id,
      metadata: {
        project_id: project.projectId,
        session_id: row.session_id,
        account_id: row.account_id,
        referring_session_id: row.referring_session_id,
        request_id: row.request_id,
        timestamp: now.toISOString(),
      },
      kind: row.kind,
      error_message: failure,
    };
    const event = outboxEvent(project.cipher, 'verification.failed', row.session_id, data, now);
    await project.database.query(FAIL, [
      project.projectId,
      row.session_id,
      from,
      failure,
      now,
      event.eventId,
      event.type,
      event.payload,
      row.request_id,
    ]);
  }

  return { check, fail };
}

function openCapture(project: Project, row: VerificationRow): Capture {
  return row.capture
    ? project.cipher.openJson<Capture>('verification capture', row.session_id, row.capture)
    : {};
}

export function sealCapture(project: Project, sessionId: string, capture: Capture): Buffer {
  return project.cipher.sealJson('verification capture', sessionId, capture);
}

/** A face that is there and does not live is another matter than none. */
function failureOfFace(problem: FaceProblem | null): Failure {
  return problem === 'challenge_failed' || problem === 'different_faces'
    ? 'liveness_check_failed'
    : 'failed_to_complete_face_scan';
}

/** No outline, no text and no code: not a document at all. */
function isUnreadable({ front, back }: DocumentReading): boolean {
  const sides = back ? [front, back] : [front];
  return (
    front.problem !== null ||
    sides.every(({ hasOutline, lines, barcode }) => !hasOutline && lines.length === 0 && barcode === null)
  );
}
