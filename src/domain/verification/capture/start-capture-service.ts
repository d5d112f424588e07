import type { MediaKind } from '@vouchgraph/media';
import type { Clock } from '@vouchgraph/platform/clock';
import { newId, randomSecret } from '@vouchgraph/platform/ids';
import { collectorToken, isAppLibrary } from '@vouchgraph/signals';
import {
  type Consent,
  captureNotFound,
  captureTaken,
  checkConsent,
  checkRedirect,
  notCapturing,
  stateAt,
  verificationError,
} from '@vouchgraph/verification';
import type { Database } from '../../../storage/database.ts';
import type { Viewer } from '../../projects/access-service.ts';
import type { Project } from '../../projects/project.ts';
import type { ConnectionFacts, SessionService } from '../../sessions/session-service.ts';
import { findSessions } from '../../sessions/session-store.ts';
import { decryptRedirect, encryptRedirect } from '../redirect-url.ts';
import { timesOf } from '../result/verification.ts';
import { findVerification, type VerificationRow } from '../verification-store.ts';
import { offerHandover, setRedirectUrl, startVerification, takeOver } from './capture-store.ts';
import {
  findCapture,
  handsOver,
  hashOf,
  held,
  isSecretOf,
  type OpenCapture,
  opens,
  requireHandover,
} from './open-capture-service.ts';
import { acceptsUpload } from './upload-permission-service.ts';

type Deps = {
  readonly system: Database['system'];
  readonly getProject: (projectId: string) => Promise<Project | null>;
  readonly sessions: SessionService;
  readonly clock: Clock;
};

/** Time for which another device can continue the capture with the secret of a handover. */
const HANDOVER_MINUTES = 30;

/** Input of a start or a resumption. */
export type StartRequest = {
  readonly secret: string;
  readonly captureToken: string;
  readonly consent: unknown;
  readonly language: string;
  readonly redirectUrl: string;
};

/** Credentials of a capturing page. */
export type StartedCapture = OpenCapture & {
  readonly captureToken: string;
  /** Token for facts of the session: PATCH /session/{id}. */
  readonly sessionToken: string;
};

/** Drops the user agent of an HTTP library, so that an app without a source does not count as an automated browser. */
function withoutLibrary(connection: ConnectionFacts): ConnectionFacts {
  const { 'user-agent': userAgent = '', ...headers } = connection.headers;
  return isAppLibrary(String(userAgent)) ? { ...connection, headers } : connection;
}

function allowedRedirect(project: Project, redirectUrl: string): string {
  try {
    return checkRedirect(project, redirectUrl);
  } catch {
    return '';
  }
}

/** Rejects a session that a browser started: neither the link's secret nor a key may add images to its capture. */
export function requireNoBrowser(row: VerificationRow): void {
  if (row.capture_hash !== null) throw captureTaken();
}

function collector(project: Project, { ip }: ConnectionFacts): Viewer {
  return { project, kind: 'collector', role: null, actor: 'verification page', limitKey: ip };
}

/** Consent in a request, in snake case or camel case; null without one. */
export function consentOf(input: unknown): { textVersion?: unknown; givenAt?: unknown } | null {
  if (typeof input !== 'object' || input === null) return null;
  const { text_version, given_at, textVersion, givenAt } = input as Record<string, unknown>;
  return { textVersion: text_version ?? textVersion, givenAt: given_at ?? givenAt } satisfies {
    [Key in keyof Consent]?: unknown;
  };
}

/** Opens the session record, with the facts of the connection. */
export async function ensureSession(
  deps: Pick<Deps, 'sessions'>,
  { project, row }: OpenCapture,
  connection: ConnectionFacts,
): Promise<void> {
  const [known] = await findSessions(project.database, [row.session_id]);
  if (known) return;
  await deps.sessions
    .open(collector(project, connection), newId(), {}, connection, row.session_id)
    .catch(async (error: unknown) => {
      // A concurrent request opened it.
      if ((await findSessions(project.database, [row.session_id])).length === 0) throw error;
    });
}

/** Starts or resumes a capture, with the token of the start or with the secret of a handover. */
export async function start(
  deps: Deps,
  id: string,
  asked: StartRequest,
  connection: ConnectionFacts,
): Promise<StartedCapture> {
  const found = await findCapture(deps, id);
  if (!found) throw captureNotFound();
  const { project, row } = found;
  if (row.simulation !== null) throw verificationError('session_not_valid_for_this_endpoint');
  const now = deps.clock.now();
  const state = stateAt(timesOf(row), now);
  if (state === 'capturing') return resume(deps, found, asked, connection);
  if (handsOver(found, asked.secret)) requireHandover(found, now);
  if (!opens(found, asked.secret)) throw captureNotFound();
  if (state !== 'created' && state !== 'opened')
    throw verificationError('session_not_valid_for_this_endpoint');
  const consent = checkConsent(consentOf(asked.consent), { createdAt: row.created_at, latest: now });
  await setRedirect(found, asked.redirectUrl);
  const captureToken = randomSecret();
  const started = await startVerification(project.database, {
    sessionId: row.session_id,
    now,
    captureHash: hashOf(captureToken),
    consentAt: consent.givenAt,
    consentVersion: consent.textVersion,
    language: asked.language,
  });
  if (!started) throw captureTaken();
  await ensureSession(deps, found, connection);
  return startedOf({ project, row: started }, captureToken);
}

async function resume(
  deps: Deps,
  found: OpenCapture,
  { secret, captureToken }: { secret: string; captureToken: string },
  connection: ConnectionFacts,
): Promise<StartedCapture> {
  const { row } = found;
  if (captureToken !== '' && isSecretOf(row.capture_hash, captureToken)) {
    await ensureSession(deps, found, connection);
    return startedOf(found, captureToken);
  }
  if (handsOver(found, secret)) return continueOn(deps, found, secret);
  if (!opens(found, secret)) throw captureNotFound();
  throw captureTaken();
}

/** Continues the capture on the device that has the secret of a handover. One of several devices succeeds. */
async function continueOn(deps: Deps, found: OpenCapture, secret: string): Promise<StartedCapture> {
  const { project, row } = found;
  const now = deps.clock.now();
  requireHandover(found, now);
  const captureToken = randomSecret();
  const taken = await takeOver(project.database, row.session_id, hashOf(secret), hashOf(captureToken), now);
  if (!taken) throw captureTaken();
  return startedOf({ project, row: taken }, captureToken);
}

/** Sets the redirect URL of a `/?session_id=` link, unless the session has its own. Ignores a URL that is not allowed. */
export async function setRedirect({ project, row }: OpenCapture, redirectUrl: string | null): Promise<void> {
  if (!redirectUrl || decryptRedirect(project.cipher, row) !== '') return;
  const allowed = allowedRedirect(project, redirectUrl);
  const encrypted = encryptRedirect(project.cipher, row.session_id, allowed);
  if (encrypted) await setRedirectUrl(project.database, row.session_id, encrypted);
}

function startedOf(found: OpenCapture, captureToken: string): StartedCapture {
  const { project, row } = found;
  const sessionToken = collectorToken(project.cipher, project.projectId, row.session_id);
  return { ...found, captureToken, sessionToken };
}

/** Creates a secret with which another device resumes the capture. */
export async function handOver(
  deps: Deps,
  id: string,
  captureToken: string,
): Promise<{ found: OpenCapture; secret: string }> {
  const found = await held(deps, id, captureToken);
  const secret = randomSecret();
  const { project, row } = found;
  const now = deps.clock.now();
  if (stateAt(timesOf(row), now) !== 'capturing') throw notCapturing();
  const expiresAt = new Date(now.getTime() + HANDOVER_MINUTES * 60_000);
  const hash = hashOf(captureToken);
  if (!(await offerHandover(project.database, row.session_id, hash, hashOf(secret), expiresAt)))
    throw notCapturing();
  return { found, secret };
}

/** Starts or resumes the capture of an app. The app sends the consent when it submits. */
export async function startForApp(
  deps: Deps,
  found: OpenCapture,
  kind: MediaKind,
  connection: ConnectionFacts,
): Promise<OpenCapture> {
  const { project, row } = found;
  if (row.simulation !== null) throw verificationError('session_not_valid_for_this_endpoint');
  requireNoBrowser(row);
  if (acceptsUpload(row, kind, deps.clock.now())) return found;
  if (row.document_retakes > 0) throw notCapturing();
  const started = await startVerification(project.database, {
    sessionId: row.session_id,
    now: deps.clock.now(),
    captureHash: null,
    consentAt: null,
    consentVersion: '',
    language: '',
  });
  if (!started) {
    const current = await findVerification(project.database, row.session_id);
    if (!current || stateAt(timesOf(current), deps.clock.now()) !== 'capturing') throw notCapturing();
    requireNoBrowser(current);
    return { project, row: current };
  }
  await ensureSession(deps, found, withoutLibrary(connection));
  return { project, row: started };
}
