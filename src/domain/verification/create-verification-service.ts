import type { Clock } from '@vouchgraph/platform/clock';
import { sha256 } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import {
  checkAccountId,
  checkRedirect,
  type NewVerificationInput,
  randomChallenge,
  readSimulation,
  referringSessionNotFound,
  type SimulationInput,
  START_WITHIN_HOURS,
  sessionIdOf,
  visionNotInstalled,
} from '@vouchgraph/verification';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { newSessionSecret } from '../projects/session-secret.ts';
import { findSessions } from '../sessions/session-store.ts';
import { encryptRedirect } from './redirect-url.ts';
import type { VerificationKey } from './verification-read-store.ts';
import { insertVerification } from './verification-store.ts';

type Deps = {
  readonly clock: Clock;
  /** Whether images can be read. Without vision, only simulated sessions are possible. */
  readonly hasVision: boolean;
};

/** New session with the secret of its page. */
export type CreatedVerification = {
  readonly verification: VerificationKey;
  /** Part of the URL of the page. */
  readonly secret: string;
};

const HOUR_MS = 3_600_000;

/** Creates a session for a key of the project. */
export function create(
  deps: Deps,
  viewer: Viewer,
  requestId: string,
  input: NewVerificationInput,
  /** A new one by default. */
  sessionId?: string,
): Promise<CreatedVerification> {
  assertMay(viewer, 'verification.create');
  return insert(deps, viewer.project, requestId, input, sessionId);
}

/** Creates a session for a page opened by the public link of a project. */
export function createByLink(
  deps: Deps,
  viewer: Viewer,
  requestId: string,
  input: Omit<NewVerificationInput, keyof SimulationInput>,
): Promise<CreatedVerification> {
  assertMay(viewer, 'verification.create_by_link');
  return insert(deps, viewer.project, requestId, input);
}

async function insert(
  deps: Deps,
  project: Project,
  requestId: string,
  input: NewVerificationInput,
  id?: string,
): Promise<CreatedVerification> {
  const simulation = readSimulation(input, project.environment === 'sandbox');
  if (!deps.hasVision && simulation === null) throw visionNotInstalled();
  const now = deps.clock.now();
  const secret = newSessionSecret(project.projectId);
  const sessionId = id ?? newId(now.getTime());
  const redirectUrl = checkRedirect(project, input.redirectUrl);
  const accountId = checkAccountId(input.accountId);
  await insertVerification(project.database, {
    session_id: sessionId,
    kind: input.kind,
    simulation,
    secret_hash: sha256(secret),
    account_id: accountId,
    referring_session_id: await referringOf(project, input.referringSessionId),
    encrypted_redirect_url: encryptRedirect(project.cipher, sessionId, redirectUrl),
    language: input.language ?? '',
    challenge: randomChallenge(),
    request_id: requestId,
    created_at: now,
    expires_at: new Date(now.getTime() + START_WITHIN_HOURS * HOUR_MS),
  });
  return { verification: { projectId: project.projectId, sessionId, accountId }, secret };
}

async function referringOf(project: Project, input: string | null | undefined): Promise<string | null> {
  if (!input) return null;
  const sessionId = sessionIdOf(input);
  if (sessionId === null || (await findSessions(project.database, [sessionId])).length === 0)
    throw referringSessionNotFound();
  return sessionId;
}
