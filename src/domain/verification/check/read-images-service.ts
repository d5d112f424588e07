import type { Clock } from '@vouchgraph/platform/clock';
import { type Capture, framesOf } from '@vouchgraph/verification';
import type {
  DocumentTask,
  FaceReading,
  FaceTask,
  JudgedDocument,
  JudgmentContext,
} from '@vouchgraph/vision';
import type { MediaService } from '../../media/media-service.ts';
import type { Project } from '../../projects/project.ts';
import type { VerificationRow } from '../verification-store.ts';

type Deps = {
  readonly vision: Vision;
  readonly media: MediaService;
  readonly clock: Clock;
};

/** What reads images: workers, of which one may die. */
export type Vision = {
  readFaces(task: FaceTask): Promise<FaceReading>;
  judgeDocument(task: DocumentTask, context: JudgmentContext): Promise<JudgedDocument>;
};

/** Reading of the frames of a face. */
export async function readFace(
  deps: Deps,
  project: Project,
  row: VerificationRow,
  capture: Capture,
): Promise<FaceReading> {
  const frames = framesOf(capture, row.media);
  const objects = await deps.media.ofSession(project, row.session_id);
  const bytesOf = async (sequence: number) => {
    const object = objects.find((each) => each.kind === 'face_frame' && each.sequence === sequence);
    // Without one of its frames a head that turned as asked would not seem to.
    if (!object) throw new Error('a frame of a face is missing');
    return deps.media.read(project, object.objectId);
  };
  const read = await Promise.all(
    frames.map(async ({ sequence, step }) => ({ step, bytes: await bytesOf(sequence) })),
  );
  return deps.vision.readFaces({
    frames: read,
    challenge: row.challenge as FaceTask['challenge'],
    anyOrder: project.environment === 'sandbox',
  });
}

/** Judgment of the sides of a document, compared with the selfie. */
export async function judgeDocument(
  deps: Deps,
  project: Project,
  row: VerificationRow,
  selfie: JudgmentContext['selfie'],
): Promise<JudgedDocument> {
  const objects = await deps.media.ofSession(project, row.session_id);
  const side = async (kind: 'id_front' | 'id_back') => {
    const object = objects.find((each) => each.kind === kind && each.state === 'stored');
    return object ? deps.media.read(project, object.objectId) : null;
  };
  const [front, back] = await Promise.all([side('id_front'), side('id_back')]);
  if (!front) throw new Error('the front of a document is missing');
  return deps.vision.judgeDocument({ front, back }, { now: deps.clock.now(), selfie });
}
