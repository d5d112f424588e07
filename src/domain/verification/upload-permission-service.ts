import type { Project } from '../projects/project.ts';
import { captureNotFound, notCapturing } from './errors.ts';
import { findVerification } from './verification-store.ts';

/** Throws unless the session takes pictures now: what was submitted stays as it was judged. */
export async function requireCapturing(project: Project, sessionId: string): Promise<void> {
  const session = await findVerification(project.database, sessionId);
  if (!session) throw captureNotFound();
  if (session.state !== 'capturing') throw notCapturing();
}
