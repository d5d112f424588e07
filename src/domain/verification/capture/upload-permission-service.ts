import type { MediaKind } from '@vouchgraph/media';
import type { Clock } from '@vouchgraph/platform/clock';
import { captureNotFound, notCapturing, stateAt } from '@vouchgraph/verification';
import type { MediaSlot } from '../../media/media-service.ts';
import type { Project } from '../../projects/project.ts';
import { timesOf } from '../result/verification.ts';
import { findVerification, type VerificationRow } from '../verification-store.ts';

type Slot = Pick<MediaSlot, 'sessionId' | 'kind'>;

/** Whether a session accepts images of this kind now. During a retake of the document, images of the face are kept. */
export function acceptsUpload(row: VerificationRow, kind: MediaKind, now: Date): boolean {
  const isOpen = row.document_retakes === 0 || kind === 'id_front' || kind === 'id_back';
  return isOpen && stateAt(timesOf(row), now) === 'capturing';
}

/** Throws unless the session accepts such an image now. Submitted images cannot be replaced. */
export function createUploadPermission(clock: Clock) {
  return async (project: Project, { sessionId, kind }: Slot): Promise<void> => {
    const session = await findVerification(project.database, sessionId);
    if (!session) throw captureNotFound();
    if (!acceptsUpload(session, kind, clock.now())) throw notCapturing();
  };
}
