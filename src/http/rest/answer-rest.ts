import { addressKey, type ByteLimit, type RateLimit } from '@vouchgraph/pacing';
import { AppError } from '@vouchgraph/platform/errors';
import { type HttpAnswer, HttpError, hasBody, headerOf, sendAnswer } from '@vouchgraph/platform/http';
import { notJson } from '@vouchgraph/platform/json';
import type { Logger } from '@vouchgraph/platform/logger';
import { errorAnswer } from '@vouchgraph/rest';
import { createContext, type Services } from '../../graphql/kernel/context.ts';
import {
  type AccessDeps,
  bearerOf,
  browserIdOf,
  collectorTokenViewer,
  collectorViewer,
  findViewer,
} from '../access.ts';
import { expectBody } from '../body-time.ts';
import { allowAnyOrigin, allowOrigin } from '../cors.ts';
import { closeOf, connectionOf, type Exchange } from '../exchange.ts';
import { runDocument } from '../graphql/execute.ts';
import { isIdempotentDocument } from '../graphql/idempotent-mutations.ts';
import { onceOrNow } from '../idempotency.ts';
import { type JsonBody, readJsonBody } from '../json-body.ts';
import { executesRegisteredOnly, notRegistered } from '../registered-only.ts';
import { sendCompressed } from '../send-compressed.ts';
import { presentRouteError } from './errors.ts';
import { restSchema } from './rest-schema.ts';
import { answerRoute, type MatchedRoute, matchRoute } from './router.ts';

export type RestDeps = AccessDeps & {
  services: Services;
  idempotency: Parameters<typeof onceOrNow>[0];
  keyLimit: RateLimit;
  collectorLimit: RateLimit;
  /** Limit of the facts that pages of one address may add to their sessions. */
  patchLimit: RateLimit;
  patchBytes: ByteLimit;
  log: Logger;
};

type Row = MatchedRoute['route'];
type Viewer = Awaited<ReturnType<typeof findViewer>>;

/** A row of the REST table, or 404. */
export async function answerRest(deps: RestDeps, exchange: Exchange): Promise<void> {
  const { request, response, requestId } = exchange;
  const matched = matchRoute(request.method ?? 'GET', exchange.path);
  if (!matched) return sendAnswer(response, errorAnswer(404, 'Not Found'));
  const answered = await answerMatched(deps, exchange, matched).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    return presentRouteError(matched.route.path, error, requestId);
  });
  await sendCompressed(request, response, answered);
}

async function answerMatched(deps: RestDeps, exchange: Exchange, matched: MatchedRoute): Promise<HttpAnswer> {
  const { request, response } = exchange;
  const { route } = matched;
  exchange.operation = route.operation;
  if (route.maxBodyBytes !== undefined) expectBody(request, route.maxBodyBytes);
  // A page is known by its body only, which is then read first; everyone else is asked for a key first.
  const isCollector = route.access === 'collector' && headerOf(request, 'x-api-key') === '';
  const isPatch = isOfPage(exchange, route) && route.operation === 'session.add_facts';
  // Before the token is verified, which an attacker can invent.
  if (isPatch) await countPatch(deps, exchange);
  let viewer = isCollector ? null : await viewerOf(deps, exchange, matched);
  // Before anything that may be refused, so that the page can read the refusal.
  if (viewer) allowOrigin(viewer.project, request, response);
  if (viewer) await deps.keyLimit.take(viewer.limitKey, response);
  else await takeFromPage(deps, exchange);
  if (viewer && executesRegisteredOnly(viewer)) throw notRegistered('send them to /graphql');
  const count = (bytes: number) => deps.patchBytes.take(addressKey(exchange.ip), bytes);
  const body = await readBodyOf(exchange, matched, isPatch ? count : undefined);
  viewer ??= await viewerOfPage(deps, exchange, body.value);
  allowOrigin(viewer.project, request, response);
  const { withoutBody } = matched;
  if (!withoutBody || !isEmptyObject(body.value)) return runRoute(deps, exchange, matched, viewer, body);
  exchange.operation = withoutBody.route.operation;
  return runRoute(deps, exchange, withoutBody, viewer, NO_BODY);
}

function isEmptyObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.keys(value).length === 0;
}

/** Runs the document of a row, or returns the stored answer of an Idempotency-Key. */
async function runRoute(
  deps: RestDeps,
  exchange: Exchange,
  matched: MatchedRoute,
  viewer: Viewer,
  { text, value }: JsonBody,
): Promise<HttpAnswer> {
  const { response, requestId } = exchange;
  const { route } = matched;
  const context = createContext(deps.services, {
    viewer,
    requestId,
    connection: connectionOf(exchange, browserIdFor(viewer, exchange, route.operation, value)),
    closes: () => closeOf(response),
    isTrustedDocument: true,
  });
  const { projectId, settings } = viewer.project;
  const at = deps.services.clock.now();
  const meta = { requestId, projectId, at, twoValuedDecision: settings.twoValuedDecision };
  const run = () =>
    answerRoute(matched, exchange.query, value, meta, (document, variables) =>
      runDocument(
        document,
        variables as Record<string, unknown>,
        undefined,
        context,
        deps.log,
        undefined,
        restSchema,
      ),
    );
  const isIdempotent = isIdempotentDocument(route.document);
  const repeatable = { exchange, viewer, context, body: text, isIdempotent };
  return (await onceOrNow(deps.idempotency, repeatable, run as Parameters<typeof onceOrNow>[2]))!;
}

const NO_BODY: JsonBody = { text: '', value: undefined };
const BODY_TYPES = /^(application\/(json|[\w.+-]+\+json)\s*(;|$)|$)/i;

async function readBodyOf(
  { request }: Exchange,
  { route, withoutBody }: MatchedRoute,
  count: ((bytes: number) => Promise<void>) | undefined,
): Promise<JsonBody> {
  const { body: shape, isBodyOptional = false, maxBodyBytes } = route;
  if (shape === null) return NO_BODY;
  // Some clients send the type of a form without a body.
  if (withoutBody && !hasBody(request)) return { text: '', value: {} };
  const whenEmpty = () => {
    if (isBodyOptional || withoutBody) return '{}';
    throw new HttpError(400, 'Body must be a JSON object');
  };
  const body = await readJsonBody(request, { types: BODY_TYPES, maxBytes: maxBodyBytes, whenEmpty, count });
  if (body.value === undefined) throw notJson();
  return body;
}

/** Whether a request is a page's, with the token of its session. */
function isOfPage({ request }: Exchange, route: Row): boolean {
  return route.access === 'collector_token' && headerOf(request, 'x-api-key') === '';
}

function viewerOf(deps: RestDeps, exchange: Exchange, { route, params }: MatchedRoute): Promise<Viewer> {
  if (!isOfPage(exchange, route)) return findViewer(deps, exchange);
  return collectorTokenViewer(deps.access, bearerOf(exchange.request), params.session_id ?? '');
}

/** A page that names no project can read that error, as any page can. */
function viewerOfPage({ access }: RestDeps, exchange: Exchange, body: unknown): Promise<Viewer> {
  const { project_id } = (body ?? {}) as Record<string, unknown>;
  return withReadableError(exchange, collectorViewer(access, project_id, exchange.ip));
}

/** The project is not known yet; any page can read that there were too many. */
function takeFromPage({ collectorLimit }: RestDeps, exchange: Exchange): Promise<void> {
  return withReadableError(exchange, collectorLimit.take(addressKey(exchange.ip), exchange.response));
}

/** The headers of the response belong to the limit of the session's token, which is lower. */
function countPatch({ patchLimit }: RestDeps, exchange: Exchange): Promise<void> {
  return withReadableError(exchange, patchLimit.take(addressKey(exchange.ip)));
}

/** The page that is refused can read why, although its project is not known yet. */
async function withReadableError<T>({ request, response }: Exchange, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (refused) {
    allowAnyOrigin(request, response);
    throw refused;
  }
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
