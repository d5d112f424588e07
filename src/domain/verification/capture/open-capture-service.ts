import { equalInConstantTime, sha256 } from '@vouchgraph/platform/crypto';
import {
  captureNotFound,
  captureTaken,
  sessionIdOf,
  stateAt,
  verificationError,
} from '@vouchgraph/verification';
import type { Database } from '../../../storage/database.ts';
import type { Viewer } from '../../projects/access-service.ts';
import { assertMay } from '../../projects/assert-may.ts';
import type { Project } from '../../projects/project.ts';
import { timesOf } from '../result/verification.ts';
import { findVerification, type VerificationRow } from '../verification-store.ts';
import { FIND_PROJECT_OF_SESSION } from './capture-store.ts';

type Deps = {
  readonly system: Database['system'];
  readonly getProject: (projectId: string) => Promise<Project | null>;
};

/** A session with its project. */
export type OpenCapture = { readonly project: Project; readonly row: VerificationRow };

/** Stored hash of a secret. */
export const hashOf = (secret: string) => sha256(secret);
/** Compares a secret with a hash in constant time. */
export const isSecretOf = (hash: Uint8Array | null, secret: string) =>
  hash !== null && equalInConstantTime(Buffer.from(hash).toString('hex'), hashOf(secret).toString('hex'));

/** Session of a page; null for unknown and malformed ids alike. */
export async function findCapture(deps: Deps, id: string): Promise<OpenCapture | null> {
  const sessionId = sessionIdOf(id);
  if (sessionId === null) return null;
  const [found] = await deps.system.query(FIND_PROJECT_OF_SESSION, [sessionId]);
  const project = found ? await deps.getProject(found.project_id) : null;
  const row = project && (await findVerification(project.database, sessionId));
  return project && row ? { project, row } : null;
}

/** Whether a link opens the session: by its secret, or by its id alone if the project accepts such links. */
export function opens({ project, row }: OpenCapture, secret: string): boolean {
  if (secret === '') return project.settings.plainVerificationLinks;
  return isSecretOf(row.secret_hash, secret);
}

/** Use of a handover: offered, expired, or used by another device. */
export type Handover = 'offered' | 'expired' | 'used';

/** Use of the session's last handover; null without one. */
export function handoverOf({ row }: OpenCapture, now: Date): Handover | null {
  if (row.handover_hash === null) return null;
  if (row.handover_expires_at === null) return 'used';
  return row.handover_expires_at > now ? 'offered' : 'expired';
}

/** Whether the secret is that of the session's last handover. */
export const handsOver = ({ row }: OpenCapture, secret: string): boolean =>
  isSecretOf(row.handover_hash, secret);

/**
 * The session of a page, by the secret of its link or of a handover that can be used. A used or expired handover and that
 * of a session that has ended have their own errors, which a client without the secret never receives.
 */
export async function getForPage(deps: Deps, id: string, secret: string, now: Date): Promise<OpenCapture> {
  const found = await findCapture(deps, id);
  if (!found) throw captureNotFound();
  if (opens(found, secret)) return found;
  if (!handsOver(found, secret)) throw captureNotFound();
  requireHandover(found, now);
  return found;
}

/** Throws unless the handover can be used now. */
export function requireHandover(found: OpenCapture, now: Date): void {
  const isCapturing = stateAt(timesOf(found.row), now) === 'capturing';
  const handover = handoverOf(found, now);
  if (isCapturing && handover === 'offered') return;
  if (isCapturing && handover === 'used') throw captureTaken();
  throw verificationError('session_not_valid_for_this_endpoint');
}

/** The session of a link. Throws `session_not_found`, for a wrong secret too. */
export async function getCapture(deps: Deps, id: string, secret: string): Promise<OpenCapture> {
  const found = await findCapture(deps, id);
  if (!found || !opens(found, secret)) throw captureNotFound();
  return found;
}

/**
 * The session for a key of its project, or for an app with its secret. Throws `session_not_found`, for another session
 * than that of the secret too.
 */
export async function getFor(deps: Deps, viewer: Viewer, id: string): Promise<OpenCapture> {
  assertMay(viewer, 'verification.capture');
  const found = await findCapture(deps, id);
  if (found?.project.projectId !== viewer.project.projectId) throw captureNotFound();
  const isApp = viewer.kind === 'verification_secret';
  if (isApp && !opens(found, viewer.secret ?? '')) throw captureNotFound();
  return { ...found, project: viewer.project };
}

/** The session that a token captures. Throws `session_not_found` when it is not its token. */
export async function held(deps: Deps, id: string, captureToken: string): Promise<OpenCapture> {
  const found = await findCapture(deps, id);
  if (!found || !isSecretOf(found.row.capture_hash, captureToken)) throw captureNotFound();
  return found;
}
