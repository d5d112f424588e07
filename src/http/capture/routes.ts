import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { capturePage, capturePageHeaders } from '../../../clients/capture/page.ts';
import { MEDIA_BYTES } from '../../domain/media/media-kind.ts';
import type { AccessService, Viewer } from '../../domain/projects/access-service.ts';
import type { ConnectionFacts } from '../../domain/sessions/session-service.ts';
import type {
  CaptureService,
  OpenCapture,
  StartedCapture,
} from '../../domain/verification/capture/capture-service.ts';
import { captureNotFound } from '../../domain/verification/errors.ts';
import { PAGE_FAILURES, type PageFailure } from '../../domain/verification/failure.ts';
import { LANGUAGES, type Language, languageOf } from '../../domain/verification/verification-input.ts';
import type { VerificationService } from '../../domain/verification/verification-service.ts';
import { AppError, invalidInput } from '../../platform/errors.ts';
import {
  type HttpAnswer,
  HttpError,
  headerOf,
  jsonAnswer,
  readBody,
  sendAnswer,
} from '../../platform/http.ts';
import { isUuid } from '../../platform/ids.ts';
import { parseJsonStrictly } from '../../platform/json.ts';
import { LIMITS } from '../../platform/limits.ts';
import { createStaticFile, type StaticFile } from '../../platform/static-file.ts';
import { bearerOf } from '../access.ts';
import { addressKey } from '../address-key.ts';
import { presentMediaError } from '../media/routes.ts';
import type { RateLimit } from '../rate-limit.ts';
import { readFlag } from '../rest/boolean-parameters.ts';
import { livenessErrorOf, presentRestError } from '../rest/errors.ts';
import { withoutTrailingSlash } from '../rest/router.ts';
import { readUpload, type UploadBodies } from '../upload-body.ts';

/*
 * The hosted page and what it asks for: /verify/{session} and below it, links of the older form /?session_id=, and
 * /public/liveness-redirect. Nobody here holds a key: a link opens its session, and who has started one holds a token.
 */

type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  path: string;
  query: URLSearchParams;
  ip: string;
  operation: string;
};

export type CaptureRoutes = {
  answer(exchange: Exchange, connection: ConnectionFacts): Promise<void>;
};

type Deps = {
  access: AccessService;
  captures: CaptureService;
  verifications: VerificationService;
  bodies: UploadBodies;
  /** Of pages, by address. */
  pageLimit: RateLimit;
  /** Of links that make sessions, by address. */
  redirectLimit: RateLimit;
  /** The same by project, so much higher that one address cannot use it up. */
  projectRedirectLimit: RateLimit;
  baseUrl: () => string;
};

const REDIRECT_PATH = '/public/liveness-redirect';
const PAGE = /^\/verify\/([^/]+)$/;
const ACTION = /^\/verify\/([^/]+)\/(open|start|handover|complete|fail|status)$/;
const UPLOAD = /^\/verify\/([^/]+)\/media\/(face_frame|face_clip|id_front|id_back)\/(\d{1,2})$/;
const ASSETS: Readonly<Record<string, string>> = {
  '/verify/capture.js': 'text/javascript; charset=utf-8',
  '/verify/capture.css': 'text/css; charset=utf-8',
};

/** Whether a request is for the page or for what it does; its script and style are public files. Links of the older form lead to the root. */
export function isOfCapture(path: string, query: URLSearchParams): boolean {
  return (
    (path.startsWith('/verify/') && !(path in ASSETS)) ||
    withoutTrailingSlash(path) === REDIRECT_PATH ||
    (path === '/' && query.has('session_id'))
  );
}

export function createCaptureRoutes(deps: Deps): CaptureRoutes {
  const { captures, verifications, pageLimit, redirectLimit, projectRedirectLimit } = deps;

  async function answer(exchange: Exchange, connection: ConnectionFacts): Promise<void> {
    const { response } = exchange;
    exchange.operation = 'verification.page';
    response.setHeader('cache-control', 'no-store');
    try {
      const found = await route(exchange, connection);
      sendAnswer(response, found);
    } catch (error) {
      if (!(error instanceof AppError) || response.headersSent) throw error;
      const isRedirect = withoutTrailingSlash(exchange.path) === REDIRECT_PATH;
      sendAnswer(response, isRedirect ? presentRedirectError(error) : presentCaptureError(error));
    }
  }

  async function route(exchange: Exchange, connection: ConnectionFacts): Promise<HttpAnswer> {
    const { path, request, ip } = exchange;
    await pageLimit.take(addressKey(ip), exchange.response);
    if (withoutTrailingSlash(path) === REDIRECT_PATH)
      return methods(request, ['GET'], () => redirectToNew(exchange));
    if (path === '/') return methods(request, ['GET', 'HEAD'], () => showOldLink(exchange, connection));
    const page = PAGE.exec(path);
    if (page) return methods(request, ['GET', 'HEAD'], () => show(exchange, connection, page[1]!));
    const upload = UPLOAD.exec(path);
    if (upload) return methods(request, ['PUT'], () => receive(exchange, upload));
    const [, id = '', action = ''] = ACTION.exec(path) ?? [];
    if (action === 'status') return methods(request, ['GET', 'HEAD'], () => status(exchange, id));
    if (action !== '') return methods(request, ['POST'], () => act(exchange, connection, id, action));
    throw new HttpError(404, 'Not Found');
  }

  /** The page; whether its session is there is told when it starts. */
  async function show(
    exchange: Exchange,
    connection: ConnectionFacts,
    id: string,
    redirectUrl = '',
  ): Promise<HttpAnswer> {
    const { request, query } = exchange;
    if (!isUuid(id)) throw new HttpError(404, 'Not Found');
    const found = await captures.get(id, query.get('s') ?? '').catch(nullIfMissing);
    if (found) await captures.show(found, connection, isPreview(request));
    const language = languageFor(found, query.get('lng'), headerOf(request, 'accept-language'));
    const nonce = randomBytes(18).toString('base64');
    const isSimulated = found !== null && found.row.simulation !== null;
    return {
      status: 200,
      body: capturePage({
        sessionId: id,
        nonce,
        language,
        baseUrl: deps.baseUrl(),
        isSimulated,
        dueInMs: found ? captures.simulatedDueMs(found) : 0,
        redirectUrl,
      }),
      contentType: 'text/html; charset=utf-8',
      headers: capturePageHeaders(nonce),
    };
  }

  /**
   * A link of the older form says itself where it leads back to. The page of a real session tells that when it runs, as
   * asking for it changes nothing; a simulated one has begun by then.
   */
  async function showOldLink(exchange: Exchange, connection: ConnectionFacts): Promise<HttpAnswer> {
    const { query } = exchange;
    const id = query.get('session_id') ?? '';
    const found = await captures.get(id, query.get('s') ?? '').catch(nullIfMissing);
    const told = query.get('redirect_url') ?? '';
    const isSimulated = found !== null && found.row.simulation !== null;
    if (isSimulated && !isPreview(exchange.request)) await captures.setRedirect(found, told);
    const isCarried = found !== null && told.length <= LIMITS.redirectUrlLength;
    return show(exchange, connection, id, isCarried ? told : '');
  }

  /** Makes a session for a link that anybody may follow. */
  async function redirectToNew({ query, ip, requestId, response }: Exchange): Promise<HttpAnswer> {
    const projectId = query.get('project_id') ?? '';
    const project = await deps.access.findProjectById(projectId);
    if (!project) return jsonAnswer(400, { error: 'missing_project_id' });
    await redirectLimit.take(addressKey(ip), response);
    await projectRedirectLimit.take(project.projectId);
    const kind = readFlag(query, 'id') ? 'id' : 'face';
    const viewer: Viewer = { project, kind: 'collector', role: null, actor: 'public link', limitKey: ip };
    const { verification, secret } = await verifications.createByLink(viewer, requestId, {
      kind,
      referringSessionId: query.get('referring_session_id'),
      language: query.get('lng'),
    });
    const location = verifications.pageUrl(verification.sessionId, secret);
    return { status: 302, body: '', contentType: 'text/plain', headers: { location } };
  }

  async function receive({ request, requestId, ip }: Exchange, match: RegExpExecArray): Promise<HttpAnswer> {
    const [, id = '', kind, sequence] = match;
    const found = await captures.held(id, bearerOf(request));
    const slot = {
      kind: kind as Parameters<CaptureService['upload']>[1]['kind'],
      sequence: Number(sequence),
    };
    await deps.bodies.hold({ sessionId: found.row.session_id, ip }, () =>
      captures.upload(found, slot, headerOf(request, 'content-type'), () => readUpload(request, MEDIA_BYTES)),
    );
    return jsonAnswer(200, { request_id: requestId, success: true });
  }

  async function status({ request, query, requestId }: Exchange, id: string): Promise<HttpAnswer> {
    const token = bearerOf(request);
    const found =
      token === '' ? await captures.get(id, query.get('s') ?? '') : await captures.held(id, token);
    return statusAnswer(found, requestId);
  }

  function statusAnswer(found: OpenCapture, requestId: string): HttpAnswer {
    const { state, success, errorMessage, redirectUrl, retake } = captures.statusOf(found);
    return jsonAnswer(200, {
      request_id: requestId,
      state,
      success,
      error_message: errorMessage,
      redirect_url: redirectUrl,
      ...(retake ? { retake } : {}),
    });
  }

  async function act(
    exchange: Exchange,
    connection: ConnectionFacts,
    id: string,
    action: string,
  ): Promise<HttpAnswer> {
    const { request, requestId } = exchange;
    const told = await bodyOf(request);
    const token = bearerOf(request);
    if (action === 'open') {
      const found = await captures.get(id, textOf(told.secret));
      await captures.setRedirect(found, textOf(told.redirect_url));
      await captures.noteOpened(found);
      return statusAnswer(await captures.get(id, textOf(told.secret)), requestId);
    }
    if (action === 'start') {
      const started = await captures.start(
        id,
        {
          secret: textOf(told.secret),
          captureToken: token,
          consent: told.consent,
          language: languageOf(textOf(told.language)),
          redirectUrl: textOf(told.redirect_url),
        },
        connection,
      );
      return jsonAnswer(200, startedBody(started, requestId));
    }
    if (action === 'handover') {
      const { found, secret } = await captures.handOver(id, token);
      return jsonAnswer(200, {
        request_id: requestId,
        url: verifications.pageUrl(found.row.session_id, secret),
      });
    }
    const found = await captures.held(id, token);
    if (action === 'fail') {
      const reason = PAGE_FAILURES.find((each) => each === told.reason);
      if (!reason) throw invalidInput(`reason: must be one of ${PAGE_FAILURES.join(', ')}`);
      await captures.giveUp(found, reason satisfies PageFailure);
      return statusAnswer(await captures.held(id, token), requestId);
    }
    await captures.submit(found, captureOf(told));
    return jsonAnswer(200, { request_id: requestId, state: 'processing' });
  }

  function startedBody(started: StartedCapture, requestId: string) {
    const { project, row } = started;
    const resume = captures.resumeOf(started);
    const { retake } = captures.statusOf(started);
    return {
      request_id: requestId,
      capture_token: started.captureToken,
      kind: row.kind,
      challenge: row.challenge,
      language: row.language || 'en',
      project_id: project.projectId,
      session_token: started.sessionToken,
      upload: { max_bytes: MEDIA_BYTES },
      resume: {
        face_frames: resume.faceFrames,
        face_clip: resume.faceClip,
        id_front: resume.idFront,
        id_back: resume.idBack,
      },
      ...(retake ? { retake } : {}),
    };
  }

  return { answer };
}

function methods(
  request: IncomingMessage,
  allowed: readonly string[],
  work: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  if (allowed.includes(request.method ?? '')) return work();
  throw new HttpError(405, 'Method Not Allowed', { allow: [...allowed, 'OPTIONS'].join(', ') });
}

/** The page's script and style, by path. */
export function createCaptureAssets(): [string, StaticFile][] {
  return Object.entries(ASSETS).map(([path, contentType]) => {
    const file = new URL(
      `../../../clients/capture/generated/${path.slice('/verify/'.length)}`,
      import.meta.url,
    );
    const headers = { 'cache-control': 'public, max-age=300' };
    return [
      path,
      createStaticFile(async () => ({ status: 200, body: await readFile(file), contentType, headers })),
    ];
  });
}

/** The link's wish, else the session's, else the browser's first language that there is. */
function languageFor(found: OpenCapture | null, wish: string | null, accepted: string): Language {
  const told = languageOf(wish) || found?.row.language;
  if (told) return told as Language;
  const preferred = accepted
    .split(',')
    .map((each) => each.trim().toLowerCase().split(/[-;]/)[0])
    .find((each) => LANGUAGES.some((known) => known === each));
  return (preferred as Language | undefined) ?? 'en';
}

/** Whoever only looks ahead opens nothing. */
function isPreview(request: IncomingMessage): boolean {
  return request.method === 'HEAD' || /prefetch|preview/i.test(purposeOf(request));
}

/** What a browser, or a messenger that shows links, says why it asks. */
function purposeOf(request: IncomingMessage): string {
  return `${headerOf(request, 'sec-purpose')} ${headerOf(request, 'purpose')} ${headerOf(request, 'x-purpose')}`;
}

function nullIfMissing(error: unknown): null {
  if (error instanceof AppError && error.code === captureNotFound().code) return null;
  throw error;
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const type = headerOf(request, 'content-type');
  // What a form of another site can post is no way in.
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    request.resume();
    throw new HttpError(415, 'Unsupported Media Type: send application/json');
  }
  const value = parseJsonStrictly(await readBody(request, LIMITS.requestBodyBytes), LIMITS.requestBodyDepth);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidInput('Body must be a JSON object');
  return value as Record<string, unknown>;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What the page tells under its own names. */
function captureOf(told: Record<string, unknown>): unknown {
  const camera = told.camera as Record<string, unknown> | null | undefined;
  const named = camera && typeof camera === 'object';
  return {
    documentType: told.document_type,
    challenge: told.challenge,
    camera: named
      ? {
          label: camera.label,
          width: camera.width,
          height: camera.height,
          frameRate: camera.frame_rate,
          deviceCount: camera.device_count,
        }
      : camera,
  };
}

/** Errors of the public link: a 400 is a word, and what is wrong in words. */
function presentRedirectError(error: AppError): HttpAnswer {
  if (presentRestError(error).status !== 400) return presentCaptureError(error);
  return jsonAnswer(400, { error: livenessErrorOf(error.code), message: error.message });
}

/** Errors as the page reads them: a word where there is one. */
function presentCaptureError(error: AppError): HttpAnswer {
  const { status, headers } = error.code.startsWith('media.')
    ? presentMediaError(error)
    : presentRestError(error);
  const isWord = /^(verification|media)\./.test(error.code);
  const word = isWord ? error.code.slice(error.code.indexOf('.') + 1) : error.message;
  return jsonAnswer(status, { success: false, error: word }, headers);
}
