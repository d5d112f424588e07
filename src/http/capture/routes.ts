import type { IncomingMessage } from 'node:http';
import { addressKey, type RateLimit } from '@vouchgraph/pacing';
import { AppError } from '@vouchgraph/platform/errors';
import {
  type HttpAnswer,
  HttpError,
  jsonAnswer,
  methodNotAllowed,
  sendAnswer,
} from '@vouchgraph/platform/http';
import { readFlag, readText, rejectUnknown } from '@vouchgraph/rest';
import { languageOf } from '@vouchgraph/verification';
import type { AccessService, Viewer } from '../../domain/projects/access-service.ts';
import type { ConnectionFacts } from '../../domain/sessions/session-service.ts';
import type { Exchange } from '../exchange.ts';
import { presentMediaError } from '../media/routes.ts';
import { livenessErrorOf, presentRestError } from '../rest/errors.ts';
import { act, type CaptureActionDeps, receive, status } from './actions.ts';
import { type CapturePageDeps, isCaptureAsset, showPage, showQueryLink } from './page-routes.ts';

/*
 * The hosted page and its requests: /verify/{session} and paths below it, links of the form /?session_id=, and
 * /public/liveness-redirect. No client here has a key: a link opens its session, and starting one returns a token.
 */

export type CaptureRoutes = {
  answer(exchange: Exchange, connection: ConnectionFacts): Promise<void>;
};

type Deps = CapturePageDeps &
  CaptureActionDeps & {
    access: AccessService;
    /** Of pages, by address. */
    pageLimit: RateLimit;
    /** Of links that make sessions, by address. */
    redirectLimit: RateLimit;
    /** The same by project, so much higher that one address cannot use it up. */
    projectRedirectLimit: RateLimit;
  };

const REDIRECT_PATH = '/public/liveness-redirect';
const PAGE = /^\/verify\/([^/]+)$/;
const ACTION = /^\/verify\/([^/]+)\/(open|start|handover|complete|fail|status)$/;
const UPLOAD = /^\/verify\/([^/]+)\/media\/(face_frame|face_clip|id_front|id_back)\/(\d{1,2})$/;

/**
 * Whether a request is for the page or for one of its actions. Script and style are public files. `/?session_id=` links
 * lead to the root.
 */
export function isOfCapture(path: string, query: URLSearchParams): boolean {
  return (
    (path.startsWith('/verify/') && !isCaptureAsset(path)) ||
    path === REDIRECT_PATH ||
    (path === '/' && query.has('session_id'))
  );
}

export function createCaptureRoutes(deps: Deps): CaptureRoutes {
  return { answer: (exchange, connection) => answer(deps, exchange, connection) };
}

async function answer(deps: Deps, exchange: Exchange, connection: ConnectionFacts): Promise<void> {
  const { response, path } = exchange;
  exchange.operation = 'verification.page';
  response.setHeader('cache-control', 'no-store');
  try {
    sendAnswer(response, await route(deps, exchange, connection));
  } catch (error) {
    if (!(error instanceof AppError) || response.headersSent) throw error;
    sendAnswer(response, path === REDIRECT_PATH ? presentRedirectError(error) : presentCaptureError(error));
  }
}

async function route(deps: Deps, exchange: Exchange, connection: ConnectionFacts): Promise<HttpAnswer> {
  const { path, request, response, ip } = exchange;
  await deps.pageLimit.take(addressKey(ip), response);
  if (path === REDIRECT_PATH) return methods(request, ['GET'], () => redirectToNew(deps, exchange));
  if (path === '/') return methods(request, ['GET', 'HEAD'], () => showQueryLink(deps, exchange, connection));
  const page = PAGE.exec(path);
  if (page) return methods(request, ['GET', 'HEAD'], () => showPage(deps, exchange, connection, page[1]!));
  const upload = UPLOAD.exec(path);
  const [, id = '', action = ''] = ACTION.exec(path) ?? [];
  // Mail programs and messengers add parameters to links, but not to the requests of the page.
  if (upload || action !== '') rejectUnknown(exchange.query, action === 'status' ? ['s'] : []);
  if (upload) return methods(request, ['PUT'], () => receive(deps, exchange, upload));
  if (action === 'status') return methods(request, ['GET', 'HEAD'], () => status(deps, exchange, id));
  if (action !== '') return methods(request, ['POST'], () => act(deps, exchange, id, action, connection));
  throw new HttpError(404, 'Not Found');
}

/** Creates a session for a public link. */
async function redirectToNew(deps: Deps, { query, ip, requestId, response }: Exchange): Promise<HttpAnswer> {
  const project = await deps.access.findProjectById(readText(query, 'project_id'));
  if (!project) return jsonAnswer(400, { error: 'missing_project_id', code: 'project.not_found' });
  await deps.redirectLimit.take(addressKey(ip), response);
  await deps.projectRedirectLimit.take(project.projectId);
  const viewer: Viewer = { project, kind: 'collector', role: null, actor: 'public link', limitKey: ip };
  const { verification, secret } = await deps.verifications.createByLink(viewer, requestId, {
    kind: readFlag(query, 'id') ? 'id' : 'face',
    referringSessionId: readText(query, 'referring_session_id'),
    language: languageOf(readText(query, 'lng')),
  });
  const location = deps.verifications.pageUrl(verification.sessionId, secret);
  return { status: 302, body: '', contentType: 'text/plain', headers: { location } };
}

function methods(
  request: IncomingMessage,
  allowed: readonly string[],
  work: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  if (allowed.includes(request.method ?? '')) return work();
  throw methodNotAllowed([...allowed, 'OPTIONS']);
}

/** Errors of the public link: a 400 has a code word and a message. */
function presentRedirectError(error: AppError): HttpAnswer {
  if (presentRestError(error).status !== 400) return presentCaptureError(error);
  const { code, message } = error;
  return jsonAnswer(400, { error: livenessErrorOf(code), message, code });
}

/** Errors as the page reads them: a word where there is one. */
function presentCaptureError(error: AppError): HttpAnswer {
  const { status, headers } = error.code.startsWith('media.')
    ? presentMediaError(error)
    : presentRestError(error);
  const isWord = /^(verification|media)\./.test(error.code);
  const word = isWord ? error.code.slice(error.code.indexOf('.') + 1) : error.message;
  return jsonAnswer(status, { success: false, error: word, code: error.code }, headers);
}
