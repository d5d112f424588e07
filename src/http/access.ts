import type { IncomingMessage } from 'node:http';
import { addressKey, type FailedAttempts } from '@vouchgraph/pacing';
import { forbidden, invalidInput, unauthenticated } from '@vouchgraph/platform/errors';
import { cookieOf, headerOf } from '@vouchgraph/platform/http';
import {
  isCollectorTokenOf,
  newBrowserId,
  projectOfCollectorToken,
  readBrowserId,
  signBrowserId,
} from '@vouchgraph/signals';
import type { PeopleService } from '../domain/people/people-service.ts';
import type { AccessService, Viewer } from '../domain/projects/access-service.ts';
import { startsLikeApiKey } from '../domain/projects/api-key.ts';
import { credentialMissing, keyAsToken } from '../domain/projects/credential-errors.ts';
import type { Project } from '../domain/projects/project.ts';
import { projectOfSessionSecret } from '../domain/projects/session-secret.ts';
import { type ConsoleOrigins, isFromConsole } from './auth/console-origin.ts';

const cookieName = (project: Project) => `vg_browser_${project.projectId.slice(-12)}`;
const COOKIE_SECONDS = 400 * 86_400;

/** Signed-in people, and the origins from which their cookies are accepted. */
export type PersonAccess = {
  people: Pick<PeopleService, 'tokenOf' | 'viewerOfCookie'>;
  origins: ConsoleOrigins;
};

export type AccessDeps = { access: AccessService; persons: PersonAccess; failedAttempts: FailedAttempts };

/** Header with the project of a person's request; without it the oldest of the person's projects. */
const PROJECT_HEADER = 'x-project-id';

/** The viewer behind a key, a token or the cookie of a person, with the address of the client. Failed attempts count against the address. */
export async function findViewer(
  deps: AccessDeps,
  { request, ip }: { request: IncomingMessage; ip: string },
): Promise<Viewer> {
  const find = () => viewerOfRequest(deps, request);
  const viewer = await deps.failedAttempts.guard(addressKey(ip), credentialOf(request), find);
  return { ...viewer, address: ip };
}

/** The key or token of a request, '' when it has none. */
function credentialOf(request: IncomingMessage): string {
  return headerOf(request, 'x-api-key') || bearerOf(request);
}

/**
 * Finds the viewer behind a request by its key, browser token or verification secret, else by the cookie of a person; throws an
 * error of kind `unauthenticated`.
 */
export async function viewerOfRequest(
  { access, persons }: Pick<AccessDeps, 'access' | 'persons'>,
  request: IncomingMessage,
): Promise<Viewer> {
  const key = headerOf(request, 'x-api-key');
  const bearer = bearerOf(request);
  if (key === '' && bearer === '' && hasPersonCookie(persons, request))
    return viewerOfPerson(persons, request, headerOf(request, PROJECT_HEADER));
  const viewer = key !== '' ? await access.viewerOfKey(key) : await viewerOfBearer(access, bearer);
  forbidKeyInForeignPage(viewer, request);
  return viewer;
}

/** Whether a request has the cookie of a person with a valid signature. */
export function hasPersonCookie({ people }: PersonAccess, request: IncomingMessage): boolean {
  return people.tokenOf(headerOf(request, 'cookie')) !== null;
}

/** The person behind a cookie. Browsers send it with requests of any page of the site: only those of the console are accepted. */
export async function viewerOfPerson(
  { people, origins }: PersonAccess,
  request: IncomingMessage,
  projectId: string,
): Promise<Viewer> {
  if (!isFromConsole(origins, request))
    throw forbidden('Requests with the cookie of a person must come from a page of the console');
  return people.viewerOfCookie(headerOf(request, 'cookie'), projectId === '' ? null : projectId);
}

async function viewerOfBearer(access: AccessService, token: string): Promise<Viewer> {
  if (token === '') throw credentialMissing();
  refuseKeyAsToken(token);
  return projectOfSessionSecret(token) === null
    ? access.viewerOfBrowserToken(token)
    : access.viewerOfSecret(token);
}

/** Throws `auth.key_as_token`, with the header that accepts keys, when the text after `Bearer` is a key. */
export function refuseKeyAsToken(token: string): void {
  if (startsLikeApiKey(token)) throw keyAsToken();
}

export function bearerOf(request: IncomingMessage): string {
  return readBearer(headerOf(request, 'authorization'));
}

/** The token of an `Authorization` header or parameter, '' where it has none. */
export function readBearer(authorization: string): string {
  return /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '';
}

/** Rejects a key of a production project in a web page: it is a leaked key. */
function forbidKeyInForeignPage(viewer: Viewer, request: IncomingMessage): void {
  const origin = headerOf(request, 'origin');
  if (viewer.kind !== 'key' || viewer.project.environment === 'sandbox' || origin === '') return;
  if (!isSameOrigin(origin, request))
    throw forbidden('API keys of production projects must not be used from web pages');
}

function isSameOrigin(origin: string, request: IncomingMessage): boolean {
  return URL.canParse(origin) && new URL(origin).host === headerOf(request, 'host');
}

/** A page that opens a session: it knows the project's public id and nothing else. */
export async function collectorViewer(
  access: AccessService,
  projectId: unknown,
  ip: string,
): Promise<Viewer> {
  if (typeof projectId !== 'string') throw invalidInput('project_id: required');
  const project = await access.findProjectById(projectId);
  if (!project) throw invalidInput('project_id: project not found');
  return { project, kind: 'collector', role: null, actor: 'page', limitKey: `collector:${ip}` };
}

/** A page that adds to the session which it opened. */
export async function collectorTokenViewer(
  access: AccessService,
  token: string,
  sessionId: string,
): Promise<Viewer> {
  if (token === '') throw credentialMissing();
  refuseKeyAsToken(token);
  const projectId = projectOfCollectorToken(token);
  const project = projectId === null ? null : await access.findProjectById(projectId);
  if (!project || !isCollectorTokenOf(project.cipher, token, sessionId)) throw unauthenticated();
  return {
    project,
    kind: 'collector',
    role: null,
    actor: 'page',
    limitKey: `session:${sessionId}`,
    sessionId: sessionId.toLowerCase(),
  };
}

/**
 * The browser's id from its signed cookie, else from the signed token that the page kept (where a browser refuses the
 * cookie of another site, or it was cleared); a browser with neither gets a new one. `setCookie` when it has no cookie.
 */
export function browserIdOf(
  project: Project,
  request: IncomingMessage,
  { keptToken, isSecure }: { keptToken: string; isSecure: boolean },
): { browserId: string; setCookie: string | null } {
  const signed = cookieOf(request, cookieName(project));
  const known = signed === null ? null : readBrowserId(project.cipher, signed);
  if (known !== null) return { browserId: known, setCookie: null };
  const browserId = readBrowserId(project.cipher, keptToken) ?? newBrowserId();
  const secure = isSecure ? '; Secure; SameSite=None' : '; SameSite=Lax';
  return {
    browserId,
    setCookie: `${cookieName(project)}=${signBrowserId(project.cipher, browserId)}; Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly${secure}`,
  };
}
