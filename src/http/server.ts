import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { EmailProviders } from '../domain/email/providers/email-providers.ts';
import type { IdempotencyService, StoredAnswer } from '../domain/idempotency/idempotency-service.ts';
import type { AccessService, Viewer } from '../domain/projects/access-service.ts';
import type { ConnectionFacts } from '../domain/sessions/session-service.ts';
import { EDGE_HEADERS, OBSERVED_HEADERS } from '../domain/signals/transport/observed-headers.ts';
import { createContext, type GraphQLContext, type Services } from '../graphql/context.ts';
import type { ClientAddress } from '../platform/client-address.ts';
import { AppError, STATUS_OF_KIND } from '../platform/errors.ts';
import {
  type HttpAnswer,
  HttpError,
  headerOf,
  JSON_TYPE,
  jsonAnswer,
  readBody,
  sendAnswer,
} from '../platform/http.ts';
import { newId } from '../platform/ids.ts';
import { parseJsonStrictly } from '../platform/json.ts';
import { LIMITS } from '../platform/limits.ts';
import type { Logger } from '../platform/logger.ts';
import type { StaticFile } from '../platform/static-file.ts';
import {
  bearerOf,
  browserIdOf,
  collectorTokenViewer,
  collectorViewer,
  credentialOf,
  viewerOfRequest,
} from './access.ts';
import { addressKey } from './address-key.ts';
import { limitBodyTime } from './body-time.ts';
import type { ByteLimit } from './byte-limit.ts';
import { type CaptureRoutes, isOfCapture } from './capture/routes.ts';
import { ALL_METHODS, allowAnyOrigin, allowOrigin, answerPreflight } from './cors.ts';
import { Drain } from './drain.ts';
import type { EventStreams, StreamParameters } from './events/event-stream.ts';
import { isSocketRequest } from './events/websocket.ts';
import type { FailedAttempts } from './failed-attempts.ts';
import { presentError, retryHeaders } from './graphql/errors.ts';
import { runDocument } from './graphql/execute.ts';
import type { GraphQLOverHttp } from './graphql/graphql-over-http.ts';
import { isIdempotentDocument } from './graphql/idempotent-mutations.ts';
import { type EmailImportRoutes, isOfEmailImports } from './imports/routes.ts';
import type { MediaRoutes } from './media/routes.ts';
import { PageDownloads } from './pages/page-downloads.ts';
import type { PublicPages } from './pages/pages.ts';
import type { RateLimit } from './rate-limit.ts';
import { errorAnswer, presentRestError, presentRouteError } from './rest/errors.ts';
import { answerRoute, type MatchedRoute, matchRoute, withoutTrailingSlash } from './rest/router.ts';

export type HttpServerDeps = {
  access: AccessService;
  services: Services;
  emailProviders: Pick<EmailProviders, 'status'>;
  idempotency: IdempotencyService;
  graphql: GraphQLOverHttp;
  streams: EventStreams;
  keyLimit: RateLimit;
  failedAttempts: FailedAttempts;
  collectorLimit: RateLimit;
  /** What pages of one address may add to their sessions. */
  patchLimit: RateLimit;
  patchBytes: ByteLimit;
  pages: PublicPages;
  mediaRoutes: MediaRoutes;
  captureRoutes: CaptureRoutes;
  emailImportRoutes: EmailImportRoutes;
  clientAddress: ClientAddress;
  /** Null when requests can be served, else the reason in a word. */
  checkReady: () => Promise<string | null>;
  log: Logger;
};

type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  path: string;
  query: URLSearchParams;
  ip: string;
  /** Whether the request came through a proxy that the operator names. */
  isThroughTrustedProxy: boolean;
  downloads: PageDownloads;
  drain: Drain;
  /** Stable name of what is asked for; 'other' until it is known. */
  operation: string;
};

/** Time for an imported file, which is streamed. Other bodies have far less time: see limitBodyTime. */
const MAX_STREAM_MS = 3_600_000;

/**
 * A client that reads nothing of a finished answer is disconnected. Node compares what is unsent from one interval to
 * the next, so that a client has between one and two of them.
 */
const WRITE_TIMEOUT_MS = 15_000;

/**
 * The one HTTP server: health, documents, GraphQL and REST. Each request gets an id, a viewer, a place within the
 * limits, and, where it carries an Idempotency-Key, its earlier answer.
 */
export function createHttpServer(deps: HttpServerDeps): { server: Server; drain: Drain } {
  const drain = new Drain();
  const shared = { downloads: new PageDownloads(), drain };
  const server = createServer(
    {
      maxHeaderSize: 32 * 1024,
      requestTimeout: MAX_STREAM_MS,
      headersTimeout: 15_000,
      // All other values of Upgrade are ignored, as RFC 9110 section 7.8 allows.
      shouldUpgradeCallback: isSocketRequest,
    },
    (request, response) => {
      limitBodyTime(request, response);
      limitWriteTime(response);
      drain.begin(response);
      const exchange = beginExchange(deps, shared, request, response);
      logWhenDone(deps.log, exchange);
      const answered = answer(deps, exchange).catch((error: unknown) => {
        if (!(error instanceof AppError))
          deps.log.error({ requestId: exchange.requestId, err: error }, 'unexpected error');
        if (!response.headersSent) sendAnswer(response, presentRestError(error));
        else response.destroy();
      });
      drain.track(answered);
    },
  );
  server.keepAliveTimeout = 65_000;
  drain.watch(server);
  return { server, drain };
}

function limitWriteTime(response: ServerResponse): void {
  response.once('prefinish', () => response.setTimeout(WRITE_TIMEOUT_MS, () => response.destroy()));
}

function beginExchange(
  deps: HttpServerDeps,
  shared: Pick<Exchange, 'downloads' | 'drain'>,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange {
  const requestId = newId();
  response.setHeader('x-request-id', requestId);
  response.setHeader('x-content-type-options', 'nosniff');
  // Pages and media replace it by rules of their own.
  response.setHeader('cache-control', 'no-store');
  const target = request.url ?? '/';
  const mark = target.indexOf('?');
  return {
    request,
    response,
    requestId,
    path: mark < 0 ? target : target.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : target.slice(mark)),
    ip: deps.clientAddress(request.socket.remoteAddress, headerOf(request, 'x-forwarded-for')),
    isThroughTrustedProxy: deps.clientAddress.isTrustedPeer(request.socket.remoteAddress),
    ...shared,
    operation: 'other',
  };
}

/** One line per request at level info: ids, the operation's stable name, no path or address. */
function logWhenDone(log: Logger, exchange: Exchange): void {
  if (!log.isLevelEnabled('info')) return;
  const startedAt = performance.now();
  const { request, response, requestId } = exchange;
  response.once('close', () => {
    const milliseconds = Math.round((performance.now() - startedAt) * 10) / 10;
    log.info(
      {
        requestId,
        operation: exchange.operation,
        method: request.method,
        status: response.statusCode,
        milliseconds,
        aborted: response.writableFinished ? undefined : true,
      },
      'request',
    );
  });
}

async function answer(deps: HttpServerDeps, exchange: Exchange): Promise<void> {
  const { request, response, path } = exchange;
  if (request.method === 'OPTIONS') return answerPreflight(request, response);
  if (request.method === 'TRACE') throw new HttpError(405, 'Method Not Allowed', { allow: ALL_METHODS });
  if (path === '/graphql') return answerGraphQL(deps, exchange);
  if (path.startsWith('/media/')) return deps.mediaRoutes.answer(exchange);
  if (isOfCapture(path, exchange.query))
    return deps.captureRoutes.answer(exchange, connectionOf(exchange, ''));
  if (isOfEmailImports(path))
    return deps.emailImportRoutes.answer(exchange, () => findViewer(deps, exchange));
  const page = findPage(deps, exchange);
  if (page) {
    if (!isRead(request)) throw new HttpError(405, 'Method Not Allowed', { allow: 'GET, HEAD, OPTIONS' });
    const found = await page(request);
    if (deps.pages.find(path)) response.removeHeader('cache-control');
    return exchange.downloads.send(response, found, exchange.ip);
  }
  exchange.path = withoutTrailingSlash(path);
  const matched = matchRoute(request.method ?? 'GET', exchange.path);
  if (!matched) return sendAnswer(response, errorAnswer(404, 'Not Found'));
  const answered = await answerRest(deps, exchange, matched).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    return presentRouteError(matched.route.path, error, exchange.requestId);
  });
  return sendAnswer(response, answered);
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** What is read without a key. */
function findPage(deps: HttpServerDeps, { path, drain }: Exchange): StaticFile | undefined {
  if (path === '/livez') return async () => jsonAnswer(200, { status: 'ok' });
  if (path === '/readyz') return () => readiness(deps, drain);
  return deps.pages.find(path);
}

async function readiness(deps: HttpServerDeps, drain: Drain): Promise<HttpAnswer> {
  if (drain.isStopping) return jsonAnswer(503, { status: 'stopping' });
  const reason = await deps.checkReady();
  if (reason !== null) return jsonAnswer(503, { status: 'unavailable', reason }, { 'retry-after': '1' });
  const sources = deps.services.network.status();
  return jsonAnswer(200, { status: 'ready', sources, emailProviders: deps.emailProviders.status() });
}

/** The viewer behind a key or token. Failed attempts count against the address. */
function findViewer(deps: HttpServerDeps, { request, ip }: Exchange): Promise<Viewer> {
  return deps.failedAttempts.guard(addressKey(ip), credentialOf(request), () =>
    viewerOfRequest(deps.access, request),
  );
}

/* GraphQL */

async function answerGraphQL(deps: HttpServerDeps, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  exchange.operation = 'graphql';
  const accept = headerOf(request, 'accept');
  try {
    if (isRead(request) && accept.includes('text/html') && !exchange.query.has('query')) {
      const page = await deps.graphql.page(request);
      response.removeHeader('cache-control');
      return exchange.downloads.send(response, page, exchange.ip);
    }
    const viewer = await findViewer(deps, exchange);
    allowOrigin(viewer.project, request, response);
    await deps.keyLimit.take(viewer.limitKey, response);
    const context = createContext(deps.services, {
      viewer,
      requestId: exchange.requestId,
      connection: connectionOf(exchange, ''),
      closes: () => closeOf(response),
    });
    forbidGetInProduction(deps, viewer, request);
    const contentType = headerOf(request, 'content-type');
    if (request.method === 'POST') refuseForms(request, contentType);
    const stream = (parameters: StreamParameters | null) => {
      // The word stands in every document of a subscription.
      if (!parameters?.query.includes('subscription')) return false;
      const findAgain = () => viewerOfRequest(deps.access, request);
      return deps.streams.answer({ request, response, parameters, context, findViewer: findAgain });
    };
    if (request.method !== 'POST') {
      if (request.method === 'GET' && (await stream(parametersOfQuery(exchange.query)))) return;
      return await deps.graphql.answerByYoga(request, response, null, context);
    }
    const text = await readBody(request, LIMITS.requestBodyBytes);
    const value = parseGraphQLBody(text);
    const isPlain = /^application\/json/i.test(contentType);
    const isKeyed = headerOf(request, 'idempotency-key') !== '';
    // Queries change nothing: they run each time.
    const mutation = isKeyed ? deps.graphql.findMutation(value, context) : null;
    if (isPlain && !isKeyed && (await stream(parametersOfBody(value)))) return;
    const run = async () => {
      const fast =
        value === undefined || !isPlain ? null : await deps.graphql.answerPost(accept, value, context);
      return fast as StoredAnswer | null;
    };
    const answer = mutation
      ? await onceOrNow(deps, exchange, viewer, text, run, { ...mutation, context })
      : await run();
    if (answer) return sendAnswer(response, answer);
    if (isKeyed) return sendAnswer(response, NOT_REPEATABLE);
    return await deps.graphql.answerByYoga(request, response, text, context);
  } catch (error) {
    if (response.headersSent) throw error;
    sendAnswer(response, presentGraphQLError(deps, exchange, error));
  }
}

/** What a page of another site can post without being asked first (forms, plain text) is no way in. */
function refuseForms(request: IncomingMessage, contentType: string): void {
  if (/^application\/(json|graphql\+json)\s*(;|$)/i.test(contentType)) return;
  request.resume();
  throw new HttpError(415, 'Unsupported Media Type: send application/json');
}

/** The body's value, or undefined when it is not JSON at all: Yoga says so as the specification wants it. */
function parseGraphQLBody(text: string): unknown {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return parseJsonStrictly(text, LIMITS.requestBodyDepth);
}

/** What a body asks; null when it is not well-formed, which others say. */
function parametersOfBody(body: unknown): StreamParameters | null {
  const { query, variables, operationName } = (body ?? {}) as Record<string, unknown>;
  const isObject = variables == null || (typeof variables === 'object' && !Array.isArray(variables));
  const isNamed = operationName == null || typeof operationName === 'string';
  if (typeof query !== 'string' || !isObject || !isNamed) return null;
  return {
    query,
    operationName: operationName ?? undefined,
    variables: (variables as Record<string, unknown> | null) ?? undefined,
  };
}

function parametersOfQuery(query: URLSearchParams): StreamParameters | null {
  const variables = query.get('variables') ?? '';
  return parametersOfBody({
    query: query.get('query'),
    operationName: query.get('operationName'),
    variables: variables === '' ? null : parseGraphQLBody(variables),
  });
}

function forbidGetInProduction(deps: HttpServerDeps, viewer: Viewer, request: IncomingMessage): void {
  if (isRead(request) && deps.graphql.profileName(viewer) === 'closed') {
    throw new HttpError(405, 'Queries by GET are off for this project', { allow: 'POST' });
  }
}

function presentGraphQLError(deps: HttpServerDeps, { requestId }: Exchange, error: unknown): HttpAnswer {
  const shown = presentError(error, deps.log, requestId);
  const status =
    error instanceof HttpError ? error.status : error instanceof AppError ? STATUS_OF_KIND[error.kind] : 500;
  const headers = error instanceof HttpError ? error.headers : retryHeaders(shown.extensions);
  const { message, extensions } = shown;
  return jsonAnswer(status, { errors: [{ message, extensions: { ...extensions, status } }] }, headers);
}

/* REST */

/** A page that names no project may read that it does so: any page may. */
async function viewerOfPage(deps: HttpServerDeps, exchange: Exchange, body: unknown): Promise<Viewer> {
  try {
    const { project_id } = (body ?? {}) as Record<string, unknown>;
    return await collectorViewer(deps.access, project_id, exchange.ip);
  } catch (error) {
    allowAnyOrigin(exchange.request, exchange.response);
    throw error;
  }
}

async function answerRest(
  deps: HttpServerDeps,
  exchange: Exchange,
  matched: MatchedRoute,
): Promise<HttpAnswer> {
  const { request, response, requestId } = exchange;
  const { route, params } = matched;
  exchange.operation = route.operation;
  const isCollector = route.access === 'collector' && headerOf(request, 'x-api-key') === '';
  // A page is known by its body only, which is then read first; everyone else is asked for a key first.
  const isPatch = isOfPage(request, route) && route.operation === 'session.add_facts';
  // Before the token is verified, which a stranger can make up.
  if (isPatch) await countPatch(deps, exchange);
  let viewer = isCollector ? null : await restViewer(deps, exchange, matched);
  // Before anything that may be refused, so that the page can read the refusal.
  if (viewer) allowOrigin(viewer.project, request, response);
  if (viewer) await deps.keyLimit.take(viewer.limitKey, response);
  else await takeFromPage(deps, exchange);
  const text = route.body ? await readJsonText(request, route) : '';
  if (isPatch) await deps.patchBytes.take(addressKey(exchange.ip), Buffer.byteLength(text));
  const body = route.body ? parseJsonStrictly(text, LIMITS.requestBodyDepth) : undefined;
  viewer ??= await viewerOfPage(deps, exchange, body);
  allowOrigin(viewer.project, request, response);

  const connection = connectionOf(exchange, browserIdFor(viewer, exchange, route.operation, body));
  const closes = () => closeOf(response);
  const context = createContext(deps.services, {
    ...{ viewer, requestId, connection, closes },
    isTrustedDocument: true,
  });
  const { projectId, settings } = viewer.project;
  const meta = { requestId, projectId, twoValuedDecision: settings.twoValuedDecision };
  const run = () =>
    answerRoute({ route, params }, exchange.query, body, meta, (document, variables) =>
      runDocument(document, variables as Record<string, unknown>, undefined, context, deps.log),
    );
  const isIdempotent = isIdempotentDocument(route.document);
  const keyed = { context, isIdempotent };
  return (await onceOrNow(deps, exchange, viewer, text, run as () => Promise<StoredAnswer>, keyed))!;
}

/** The project is not known yet; that there were too many is for any page to read. */
function takeFromPage(deps: HttpServerDeps, exchange: Exchange): Promise<void> {
  return refusedReadably(exchange, deps.collectorLimit.take(addressKey(exchange.ip), exchange.response));
}

/** The headers of the response belong to the limit of the session's token, which is lower. */
function countPatch(deps: HttpServerDeps, exchange: Exchange): Promise<void> {
  return refusedReadably(exchange, deps.patchLimit.take(addressKey(exchange.ip)));
}

/** The page that is refused can read why, although its project is not known yet. */
async function refusedReadably({ request, response }: Exchange, counted: Promise<void>): Promise<void> {
  try {
    await counted;
  } catch (refused) {
    allowAnyOrigin(request, response);
    throw refused;
  }
}

/** Whether a request is a page's, with the token of its session. */
function isOfPage(request: IncomingMessage, route: MatchedRoute['route']): boolean {
  return route.access === 'collector_token' && headerOf(request, 'x-api-key') === '';
}

function restViewer(
  deps: HttpServerDeps,
  exchange: Exchange,
  { route, params }: MatchedRoute,
): Promise<Viewer> {
  const { request } = exchange;
  if (isOfPage(request, route)) {
    return collectorTokenViewer(deps.access, bearerOf(request), params.session_id ?? '');
  }
  return findViewer(deps, exchange);
}

async function readJsonText(
  request: IncomingMessage,
  { isBodyOptional = false, maxBodyBytes = LIMITS.requestBodyBytes }: MatchedRoute['route'],
): Promise<string> {
  const contentType = headerOf(request, 'content-type');
  if (contentType !== '' && !/^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(contentType)) {
    request.resume();
    throw new HttpError(415, 'Unsupported Media Type: send application/json');
  }
  const text = await readBody(request, maxBodyBytes);
  if (text.trim() !== '') return text;
  if (isBodyOptional) return '{}';
  throw new HttpError(400, 'Body must be a JSON object');
}

function browserIdFor(viewer: Viewer, exchange: Exchange, operation: string, body: unknown): string {
  if (viewer.kind !== 'collector' || operation !== 'session.create') return '';
  const { request, response, isThroughTrustedProxy } = exchange;
  const kept = (body as Record<string, unknown> | null)?.browser_token;
  const { browserId, setCookie } = browserIdOf(viewer.project, request, {
    keptToken: typeof kept === 'string' ? kept : '',
    isSecure: isThroughTrustedProxy && headerOf(request, 'x-forwarded-proto') === 'https',
  });
  if (setCookie) response.setHeader('set-cookie', setCookie);
  return browserId;
}

/** Aborts when the connection closes before the answer is sent. */
function closeOf(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  if (response.destroyed) closed.abort();
  else response.once('close', () => closed.abort());
  return closed.signal;
}

/** Answers with an Idempotency-Key are kept whole; streams and malformed requests have nothing to keep. */
const NOT_REPEATABLE: StoredAnswer = {
  status: 400,
  contentType: JSON_TYPE,
  body: JSON.stringify({
    errors: [
      {
        message: 'Idempotency-Key needs a well-formed request for one JSON answer',
        extensions: { code: 'graphql.invalid', status: 400 },
      },
    ],
  }),
};

/* Both */

function connectionOf({ request, ip, isThroughTrustedProxy }: Exchange, browserId: string): ConnectionFacts {
  return {
    ip,
    headers: presentHeaders(request, OBSERVED_HEADERS),
    edge: isThroughTrustedProxy ? presentHeaders(request, EDGE_HEADERS) : {},
    browserId,
  };
}

const LONGEST_HEADER = 2048;

function presentHeaders(request: IncomingMessage, names: readonly string[]): Record<string, string> {
  const present: Record<string, string> = {};
  for (const name of names) {
    const value = headerOf(request, name);
    if (value !== '') present[name] = value.slice(0, LONGEST_HEADER);
  }
  return present;
}

/** Runs a request, or finds its answer when it carries an Idempotency-Key that was used before. */
async function onceOrNow(
  deps: HttpServerDeps,
  { request, response, path, query, requestId }: Exchange,
  viewer: Viewer,
  body: string,
  run: () => Promise<StoredAnswer | null>,
  { context, isIdempotent }: { context: GraphQLContext; isIdempotent: boolean },
): Promise<StoredAnswer | null> {
  const key = headerOf(request, 'idempotency-key');
  // Pages share a public id: one must not get what another was answered, its token least of all. Neither pages nor
  // holders of a verification's secret may fill the table.
  const isKept = viewer.kind === 'key' || viewer.kind === 'browser_token';
  if (key === '' || request.method !== 'POST' || !isKept) return run();
  const pathWithQuery = query.size > 0 ? `${path}?${query}` : path;
  // Whoever may do less must not get the answer to somebody who may do more.
  const scope = viewer.kind === 'key' ? `key:${viewer.role}` : viewer.limitKey;
  const repeatable = { key, scope, method: 'POST', pathWithQuery, body };
  const options = { requestId, isIdempotent };
  const answer = await deps.idempotency
    .once(viewer.project, repeatable, options, async ({ project, subjects }) => {
      context.viewer = { ...viewer, project };
      context.subjects = subjects;
      return (await run()) ?? NOT_REPEATABLE;
    })
    .catch((error: unknown) => {
      const first = error instanceof AppError ? error.details?.requestId : undefined;
      if (first !== undefined) response.setHeader('x-request-id', first);
      throw error;
    });
  // A stored answer keeps the id of the request that it was made for. In a batch of emails the ids are those of its checks.
  const isBatch = answer.body.startsWith('{"batch_id":');
  const answeredId = isBatch ? undefined : /"request_id":"([0-9a-f-]{36})"/.exec(answer.body)?.[1];
  if (answeredId && answeredId !== requestId) response.setHeader('x-request-id', answeredId);
  return answer;
}
