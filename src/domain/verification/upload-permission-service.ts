import type { Clock } from '../../platform/clock.ts';
import type { Project } from '../projects/project.ts';
import { captureNotFound, notCapturing } from './errors.ts';
import { stateAt } from './state-table.ts';
import { timesOf } from './verification.ts';
import { findVerification } from './verification-store.ts';

/** Throws unless the session takes pictures now: what was submitted stays as it was judged. */
export function createUploadPermission(clock: Clock) {
  return async (project: Project, sessionId: string): Promise<void> => {
    const session = await findVerification(project.database, sessionId);
    if (!session) throw captureNotFound();
    if (stateAt(timesOf(session), clock.now()) !== 'capturing') throw notCapturing();
  };
}
