import type { RateLimit } from '@vouchgraph/pacing';
import { AppError, STATUS_OF_KIND } from '@vouchgraph/platform/errors';
import {
  type HttpAnswer,
  HttpError,
  headerOf,
  jsonAnswer,
  methodNotAllowed,
  sendAnswer,
} from '@vouchgraph/platform/http';
import type { Logger } from '@vouchgraph/platform/logger';
import type { IdempotencyService } from '../../domain/idempotency/idempotency-service.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { createContext, type GraphQLContext, type Services } from '../../graphql/kernel/context.ts';
import { type AccessDeps, findViewer, viewerOfRequest } from '../access.ts';
import { allowOrigin } from '../cors.ts';
import type { EventStreams } from '../events/event-stream.ts';
import { closeOf, connectionOf, type Exchange, isRead } from '../exchange.ts';
import { NOT_REPEATABLE, onceOrNow } from '../idempotency.ts';
import { readJsonBody } from '../json-body.ts';
import { sendCompressed } from '../send-compressed.ts';
import { isPersistedQueryError, presentError, retryHeaders } from './errors.ts';
import { answerOperation, type GraphQLOverHttp, isStream, negotiateType } from './graphql-over-http.ts';
import { Operation } from './operation.ts';
import { parametersOf, valuesOfQuery, withoutEmptyName } from './parameters.ts';
import { isByHashAlone, type PersistedDocuments } from './persisted-documents.ts';
import { profileOf } from './profiles.ts';

export type GraphQLDeps = AccessDeps & {
  services: Services;
  idempotency: IdempotencyService;
  documents: PersistedDocuments;
  graphql: GraphQLOverHttp;
  streams: EventStreams;
  keyLimit: RateLimit;
  log: Logger;
};

const BODY_TYPES = /^application\/(json|graphql\+json)\s*(;|$)/i;

/** `/graphql`: the page, queries by GET, operations by POST, and subscriptions as event streams. */
export async function answerGraphQL(deps: GraphQLDeps, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  exchange.operation = 'graphql';
  try {
    if (isForPage(exchange)) return await sendPage(deps, exchange);
    const viewer = await findViewer(deps, exchange);
    allowOrigin(viewer.project, request, response);
    await deps.keyLimit.take(viewer.limitKey, response);
    const context = createContext(deps.services, {
      viewer,
      requestId: exchange.requestId,
      connection: connectionOf(exchange, ''),
      closes: () => closeOf(response),
    });
    forbidGetInProduction(viewer, exchange);
    if (request.method === 'POST') await answerPost(deps, exchange, context);
    else if (request.method === 'GET') await answerGet(deps, exchange, context);
    else throw methodNotAllowed(['GET', 'POST']);
  } catch (error) {
    if (response.headersSent) throw error;
    sendAnswer(response, presentGraphQLError(deps, exchange, error));
  }
}

/** A browser that opens the address. A query in the address is ignored: it comes without a key. */
function isForPage({ request }: Exchange): boolean {
  return isRead(request) && headerOf(request, 'accept').includes('text/html');
}

async function sendPage(
  { graphql }: GraphQLDeps,
  { request, response, downloads, ip }: Exchange,
): Promise<void> {
  const page = await graphql.page(request);
  response.removeHeader('cache-control');
  downloads.send(response, page, ip);
}

async function answerGet(deps: GraphQLDeps, exchange: Exchange, context: GraphQLContext): Promise<void> {
  const { request, response, query } = exchange;
  const operation = await operationOf(deps, valuesOfQuery(query), context);
  if (await answeredAsStream(deps, exchange, operation)) return;
  const contentType = negotiateType(headerOf(request, 'accept'));
  if (contentType === null) throw notAcceptable();
  const answer = await answerOperation(operation, { method: request.method, contentType }, deps.log);
  await sendCompressed(request, response, answer);
}

async function answerPost(deps: GraphQLDeps, exchange: Exchange, context: GraphQLContext): Promise<void> {
  const { request, response } = exchange;
  const { text, value } = await readJsonBody(request, { types: BODY_TYPES });
  const operation = await operationOf(deps, withoutEmptyName(value), context);
  const isKeyed = headerOf(request, 'idempotency-key') !== '';
  if (!isKeyed && (await answeredAsStream(deps, exchange, operation))) return;
  const contentType = negotiateType(headerOf(request, 'accept'));
  if (isKeyed && (contentType === null || isStream(contentType))) return sendAnswer(response, NOT_REPEATABLE);
  if (contentType === null) throw notAcceptable();
  const run = () => answerOperation(operation, { method: request.method, contentType }, deps.log);
  // Queries change nothing: they run each time.
  const isRepeatable = isKeyed && operation.kind() === 'mutation';
  const answer = isRepeatable
    ? await onceOrNow(
        deps.idempotency,
        { exchange, viewer: context.viewer, context, body: text, isIdempotent: operation.isIdempotent() },
        run,
      )
    : await run();
  await sendCompressed(request, response, answer);
}

function notAcceptable(): HttpError {
  return new HttpError(406, 'Accept must contain application/json');
}

async function operationOf(
  { graphql, documents }: GraphQLDeps,
  values: unknown,
  context: GraphQLContext,
): Promise<Operation> {
  const parameters = parametersOf(await documents.resolve(context.viewer, values));
  return new Operation(graphql.profiles[profileOf(context.viewer)], parameters, context);
}

/** Answers a subscription as an event stream; false for anything else. */
async function answeredAsStream(
  deps: GraphQLDeps,
  { request, response }: Exchange,
  operation: Operation,
): Promise<boolean> {
  // The word is part of every document of a subscription.
  if (!operation.parameters.query.includes('subscription')) return false;
  const findAgain = () => viewerOfRequest(deps, request);
  return deps.streams.answer({ request, response, operation, findViewer: findAgain });
}

/** A document that is named by its hash was registered or sent before: caches may keep its answers. */
function forbidGetInProduction(viewer: Viewer, { request, query }: Exchange): void {
  if (isRead(request) && profileOf(viewer) === 'closed' && !isByHashAlone(valuesOfQuery(query))) {
    throw new HttpError(405, 'Queries with GET are disabled for this project', { allow: 'POST' });
  }
}

function presentGraphQLError(
  { log }: GraphQLDeps,
  { request, requestId }: Exchange,
  error: unknown,
): HttpAnswer {
  const shown = presentError(error, log, requestId);
  const isOk = isPersistedQueryError(error) && /^$|application\/json|\*/.test(headerOf(request, 'accept'));
  const status = isOk ? 200 : statusOfError(error);
  const headers = error instanceof HttpError ? error.headers : retryHeaders(shown.extensions);
  const { message, extensions } = shown;
  return jsonAnswer(status, { errors: [{ message, extensions: { ...extensions, status } }] }, headers);
}

function statusOfError(error: unknown): number {
  if (error instanceof HttpError) return error.status;
  return error instanceof AppError ? STATUS_OF_KIND[error.kind] : 500;
}
