import { MediaFileMissingError } from '@vouchgraph/media';
import { AppError } from '@vouchgraph/platform/errors';
import type { KeyedMutex } from '@vouchgraph/platform/keyed-mutex';
import { decryptCapture, framesOf } from '@vouchgraph/verification';
import {
  FACE_PIPELINE_VERSION,
  type FaceReading,
  type FaceTask,
  VisionWorkerError,
} from '@vouchgraph/vision';
import type { MediaService } from '../../media/media-service.ts';
import type { MediaRow } from '../../media/media-store.ts';
import { LOCK_FACES } from '../../model/face-lock-store.ts';
import type { Project } from '../../projects/project.ts';
import { type RecomputeRun, type RowOutcome, recomputeRows } from '../../recompute/recompute-rows.ts';
import type { Recomputation } from '../../recompute/recompute-worker.ts';
import { findVerification } from '../verification-store.ts';
import { encryptDescriptor } from './face-index-service.ts';
import {
  findPendingEnrolled,
  findPendingOfSession,
  findPendingTemplates,
  findProjectsWithPending,
  markUnreadable,
  type PendingTemplate,
  WRITE_RECOMPUTED,
} from './face-recompute-store.ts';

type Deps = {
  readonly vision: { readFaces(task: FaceTask): Promise<FaceReading> };
  readonly media: Pick<MediaService, 'ofSession' | 'read'>;
  readonly mutex: KeyedMutex;
};

/*
 * Recomputes stale templates from stored images. One statement writes each template with its version, so a process that stops
 * loses nothing. A template that was erased or recomputed elsewhere in the meantime is not changed.
 */

/** Maximum number of frontal frames to read. The best one is used for the descriptor. */
const MAX_FRAMES = 8;

export type FaceRecompute = ReturnType<typeof createFaceRecompute>;

/** Recomputes stale templates. Erased images count as missing. */
export function createFaceRecompute(deps: Deps) {
  return {
    recomputation: {
      name: 'face templates',
      version: FACE_PIPELINE_VERSION,
      findProjects: findProjectsWithPending,
      recomputeProject: (project, run) => recomputeProject(deps, project, run),
    } satisfies Recomputation,
    /** Recomputes the enrolled face of an account now, if it is pending. */
    async ofAccount(project: Project, accountId: string): Promise<void> {
      const pending = await findPendingEnrolled(project.database, accountId);
      if (pending) await recompute(deps, project, pending);
    },
    /** Recomputes the face of a session now, if it is pending. */
    async ofSession(project: Project, sessionId: string): Promise<void> {
      const pending = await findPendingOfSession(project.database, sessionId);
      if (pending) await recompute(deps, project, pending);
    },
  };
}

/** null for an image that was erased in the meantime or that storage lost. Other failures may be temporary. */
function noFile(error: unknown): null {
  const isErased = error instanceof AppError && error.kind === 'not_found';
  if (isErased || error instanceof MediaFileMissingError) return null;
  throw error;
}

/** The queue of the threads is full. */
function isBusy(error: unknown): boolean {
  return error instanceof VisionWorkerError && error.failure === 'busy';
}

/** Recomputes one template. Stores that it is unreadable if its images show no face or no image is kept. */
async function recompute(
  deps: Deps,
  project: Project,
  { id: templateId, sessionId }: PendingTemplate,
): Promise<'recomputed' | 'unreadable'> {
  const { database, projectId, cipher } = project;
  const descriptor = await describe(deps, project, sessionId);
  if (descriptor === null) {
    await markUnreadable(database, templateId);
    return 'unreadable';
  }
  const encrypted = encryptDescriptor(cipher, templateId, descriptor);
  await deps.mutex.runExclusive(projectId, () =>
    database.transaction((transaction) =>
      transaction.commit([LOCK_FACES, [projectId]], [WRITE_RECOMPUTED, [projectId, templateId, encrypted]]),
    ),
  );
  return 'recomputed';
}

/** Descriptor from the frontal frames, otherwise from the stored portrait. */
async function describe(deps: Deps, project: Project, sessionId: string): Promise<Float32Array | null> {
  const stored = (await deps.media.ofSession(project, sessionId)).filter(({ state }) => state === 'stored');
  const frames = await frontalFrames(project, sessionId, stored);
  const portraits = stored.filter(({ kind }) => kind === 'portrait');
  for (const images of [frames, portraits]) {
    const reading = images.length > 0 ? await read(deps, project, images) : null;
    if (reading?.descriptor && reading.problem === null) return reading.descriptor;
  }
  return null;
}

async function frontalFrames(
  project: Project,
  sessionId: string,
  stored: readonly MediaRow[],
): Promise<MediaRow[]> {
  const frames = stored.filter(({ kind }) => kind === 'face_frame');
  const row = frames.length > 0 ? await findVerification(project.database, sessionId) : null;
  const steps = framesOf(
    row ? decryptCapture(project, row) : {},
    frames.map(({ sequence }) => `face_frame:${sequence}`),
  );
  const frontal = new Set(steps.filter(({ step }) => step === 'center').map(({ sequence }) => sequence));
  return frames.filter(({ sequence }) => frontal.has(sequence)).slice(0, MAX_FRAMES);
}

/** null if no file of the images exists any more. */
async function read(deps: Deps, project: Project, images: readonly MediaRow[]): Promise<FaceReading | null> {
  const files = await Promise.all(
    images.map(({ objectId }) => deps.media.read(project, objectId).catch(noFile)),
  );
  const frames = files.flatMap((bytes) => (bytes ? [{ step: 'center' as const, bytes }] : []));
  return frames.length > 0 ? deps.vision.readFaces({ frames, challenge: [], anyOrder: false }) : null;
}

/** Recomputes the pending templates of a project, one image at a time. */
async function recomputeProject(deps: Deps, project: Project, run: RecomputeRun): Promise<void> {
  await recomputeRows(
    run,
    (after, limit) => findPendingTemplates(project.database, after, limit),
    (template): Promise<RowOutcome> =>
      recompute(deps, project, template).catch((error) => {
        if (isBusy(error)) return 'busy';
        throw error;
      }),
  );
}
