import type { RequestListener, ServerResponse } from 'node:http';
import type { EmailProviders } from '@vouchgraph/email';
import type { ClientAddress } from '@vouchgraph/platform/client-address';
import { AppError } from '@vouchgraph/platform/errors';
import { type HttpAnswer, jsonAnswer, methodNotAllowed, sendAnswer } from '@vouchgraph/platform/http';
import type { Logger } from '@vouchgraph/platform/logger';
import type { StaticFile } from '@vouchgraph/platform/static-file';
import { findViewer } from './access.ts';
import { AUTH_PREFIX, type AuthRoutes } from './auth/routes.ts';
import { limitBodyTime } from './body-time.ts';
import { type CaptureRoutes, isOfCapture } from './capture/routes.ts';
import { ALL_METHODS, answerPreflight } from './cors.ts';
import type { Drain } from './drain.ts';
import { beginExchange, connectionOf, type Exchange, isRead } from './exchange.ts';
import { answerGraphQL, type GraphQLDeps } from './graphql/answer-graphql.ts';
import { type EmailImportRoutes, isOfEmailImports } from './imports/routes.ts';
import { isOfRevealedMedia } from './media/revealed-media.ts';
import type { MediaRoutes } from './media/routes.ts';
import { PageDownloads } from './pages/page-downloads.ts';
import type { PublicPages } from './pages/pages.ts';
import { answerRest, type RestDeps } from './rest/answer-rest.ts';
import { presentRestError } from './rest/errors.ts';
import { answerSandboxKey, SANDBOX_KEY_PATH, type SandboxKey } from './sandbox-key.ts';
import { answerSandboxProof, SANDBOX_PROOF_PATH, type SandboxProofDeps } from './sandbox-proof.ts';

export type HttpServerDeps = GraphQLDeps &
  RestDeps & {
    sandboxKey: SandboxKey;
    sandboxProof: SandboxProofDeps;
    emailProviders: Pick<EmailProviders, 'status'>;
    pages: PublicPages;
    authRoutes: AuthRoutes;
    mediaRoutes: MediaRoutes;
    captureRoutes: CaptureRoutes;
    emailImportRoutes: EmailImportRoutes;
    clientAddress: ClientAddress;
    /** Null when requests can be served, else the reason in a word. */
    checkReady: () => Promise<string | null>;
    drain: Drain;
  };

/**
 * A client that does not read a finished response is disconnected. Node compares the unsent bytes from one interval to the
 * next, so that a client has between one and two of them.
 */
const WRITE_TIMEOUT_MS = 15_000;

/**
 * Handles every request: health, documents, GraphQL and REST. Each request gets an id, a viewer, a place within the
 * limits, and, where it carries an Idempotency-Key, its earlier answer.
 */
export function createRequestHandler(deps: HttpServerDeps): RequestListener {
  const { drain } = deps;
  const shared = { downloads: new PageDownloads(), drain };
  return (request, response) => {
    limitBodyTime(request, response);
    limitWriteTime(response);
    drain.begin(response);
    const exchange = beginExchange(deps.clientAddress, shared, request, response);
    logWhenDone(deps.log, exchange);
    const answered = answer(deps, exchange).catch((error: unknown) => {
      if (!(error instanceof AppError))
        deps.log.error({ requestId: exchange.requestId, err: error }, 'unexpected error');
      if (!response.headersSent) sendAnswer(response, presentRestError(error));
      else response.destroy();
    });
    drain.track(answered);
  };
}

function limitWriteTime(response: ServerResponse): void {
  response.once('prefinish', () => response.setTimeout(WRITE_TIMEOUT_MS, () => response.destroy()));
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
  if (request.method === 'TRACE') throw methodNotAllowed(ALL_METHODS);
  if (path === '/graphql') return answerGraphQL(deps, exchange);
  if (path.startsWith(AUTH_PREFIX)) return deps.authRoutes.answer(exchange);
  if (path === SANDBOX_KEY_PATH) return answerSandboxKey(deps.sandboxKey, exchange);
  if (path === SANDBOX_PROOF_PATH) return answerSandboxProof(deps.sandboxProof, exchange);
  if (isOfRevealedMedia(path))
    return deps.mediaRoutes.answerRevealed(exchange, () => findViewer(deps, exchange));
  if (path.startsWith('/media/')) return deps.mediaRoutes.answer(exchange);
  if (isOfCapture(path, exchange.query))
    return deps.captureRoutes.answer(exchange, connectionOf(exchange, ''));
  if (isOfEmailImports(path))
    return deps.emailImportRoutes.answer(exchange, () => findViewer(deps, exchange));
  const page = findPage(deps, exchange);
  if (page) {
    if (!isRead(request)) throw methodNotAllowed(['GET', 'HEAD', 'OPTIONS']);
    const found = await page(request);
    if (deps.pages.find(path)) response.removeHeader('cache-control');
    return exchange.downloads.send(response, found, exchange.ip);
  }
  return answerRest(deps, exchange);
}

/** Public routes without a key. */
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
