import type { IncomingMessage } from 'node:http';
import {
  countOpenSockets,
  createByteLimit,
  createFailedAttempts,
  createMessageBudgets,
  createRateLimit,
} from '@vouchgraph/pacing';
import { createClientAddress } from '@vouchgraph/platform/client-address';
import type { EventHub } from '../domain/events/event-hub-worker.ts';
import { createIdempotencyService } from '../domain/idempotency/idempotency-service.ts';
import { createAuthRoutes } from '../http/auth/routes.ts';
import { createCaptureRoutes } from '../http/capture/routes.ts';
import type { DrainOptions } from '../http/drain.ts';
import { createEventStreams, HEARTBEAT_MS } from '../http/events/event-stream.ts';
import { createSubscriptions } from '../http/events/subscriptions.ts';
import { createViewerWatch } from '../http/events/viewer-watch.ts';
import { PING_MS, serveWebSockets } from '../http/events/websocket.ts';
import { createGraphQLOverHttp } from '../http/graphql/graphql-over-http.ts';
import { createPersistedDocuments } from '../http/graphql/persisted-documents.ts';
import { createSentDocuments } from '../http/graphql/sent-documents.ts';
import { createEmailImportRoutes } from '../http/imports/routes.ts';
import { createMediaRoutes } from '../http/media/routes.ts';
import { createPages } from '../http/pages/pages.ts';
import { createSandboxKey } from '../http/sandbox-key.ts';
import { createRequestHandler } from '../http/server.ts';
import { isOfThisMachine } from './loopback-rule.ts';
import { openPeople, type People } from './open-people.ts';
import type { Domain } from './open-services.ts';
import type { Storage } from './open-storage.ts';
import type { Start } from './start.ts';

/** Sessions created by links without a key, per minute: of one address, and of all addresses in one project. */
const REDIRECTS_PER_MINUTE = 30;
const REDIRECTS_PER_PROJECT = 3000;

export type Http = ReturnType<typeof openHttp>;

/** Creates the HTTP and WebSocket interfaces of the services; no request is served yet. */
export function openHttp(start: Start, storage: Storage, domain: Domain, hub: EventHub) {
  const { config, options, log, opened } = start;
  const { access, projects } = storage;
  const { services } = domain;
  const { profiles } = domain;
  const persons = openPeople(start, storage);
  const graphql = createGraphQLOverHttp(profiles);
  const documents = createPersistedDocuments(services.operations, createSentDocuments());
  const subscriptions = createSubscriptions({ hub, services, getProject: access.findProjectById, log });
  const watch = createViewerWatch();
  const { heartbeatMs = HEARTBEAT_MS, pingMs = PING_MS, maxExcessMs } = options.realtime ?? {};
  const openSockets = countOpenSockets(config.maxSocketsPerKey);
  const streams = createEventStreams({ subscriptions, watch, log, heartbeatMs, openSockets });
  const keyLimit = createRateLimit(config.rateLimitPerMinute);
  const failedAttempts = createFailedAttempts(createRateLimit(config.failedKeyLimitPerMinute));
  const clientAddress = createClientAddress(config.trustedProxies);
  const { server, drain } = start.bound;
  const showsLink = options.showsSandboxLink === true && isOfThisMachine(config);
  const readSandboxKey = showsLink ? options.readSandboxKey : undefined;
  const sandboxKey = createSandboxKey({ access, projects, clock: start.clock, readSandboxKey });
  const handle = createHandler(start, storage, domain, {
    sandboxKey,
    graphql,
    documents,
    streams,
    keyLimit,
    failedAttempts,
    clientAddress,
    persons,
  });
  const sockets = serveWebSockets(server, {
    access,
    persons,
    services,
    subscriptions,
    watch,
    profiles,
    documents,
    countRequest: (limitKey) => keyLimit.take(limitKey),
    addressOf: ({ socket, headers }: IncomingMessage) =>
      clientAddress(socket.remoteAddress, String(headers['x-forwarded-for'] ?? '')),
    socketLimit: createRateLimit(config.socketLimitPerMinute),
    failedAttempts,
    openSockets,
    messages: createMessageBudgets({
      perSocket: config.socketMessagesPerSecond,
      perKey: config.keyMessagesPerSecond,
      maxExcessMs,
    }),
    log,
    pingMs,
  });
  opened.defer(watch.close);
  // After a stop it is closed already.
  const close = (options?: DrainOptions) => drain.close(server, { streams, sockets }, options);
  opened.defer(close);
  return { handle, streams, sockets, subscriptions, sandboxKey, persons, close };
}

type ServerOptions = Parameters<typeof createRequestHandler>[0];

function createHandler(
  { config, options, log, clock, address, bound }: Start,
  { database, access }: Storage,
  { services, emailProviders }: Domain,
  shared: Pick<
    ServerOptions,
    'graphql' | 'documents' | 'streams' | 'keyLimit' | 'failedAttempts' | 'clientAddress' | 'sandboxKey'
  > & { persons: People },
) {
  const baseUrl = () => address.baseUrl;
  const mediaRoutes = createMediaRoutes({
    access,
    media: services.media,
    reveals: services.reveals,
    keyLimit: shared.keyLimit,
    clock,
  });
  const idempotency = createIdempotencyService({
    clock,
    onDamaged: (error, requestId) => log.error({ requestId, err: error }, 'a stored answer is damaged'),
  });
  const emailImportRoutes = createEmailImportRoutes({
    imports: services.emailImports,
    idempotency,
    keyLimit: shared.keyLimit,
    maxBytes: config.emailImportMaxBytes,
  });
  const captureRoutes = createCaptureRoutes({
    access,
    captures: services.captures,
    verifications: services.verifications,
    bodies: mediaRoutes.bodies,
    pageLimit: createRateLimit(config.rateLimitPerMinute),
    redirectLimit: createRateLimit(REDIRECTS_PER_MINUTE),
    projectRedirectLimit: createRateLimit(REDIRECTS_PER_PROJECT),
    baseUrl,
  });
  const { failedAttempts, persons } = shared;
  const authRoutes = createAuthRoutes({ ...persons, failedAttempts, findProject: access.findProjectById });
  return createRequestHandler({
    ...shared,
    authRoutes,
    sandboxProof: { baseUrl, readSandboxKey: options.readSandboxKey },
    mediaRoutes,
    emailImportRoutes,
    captureRoutes,
    access,
    services,
    emailProviders,
    log,
    idempotency,
    collectorLimit: createRateLimit(config.collectorLimitPerMinute),
    patchLimit: createRateLimit(config.patchLimitPerMinute),
    patchBytes: createByteLimit(config.patchBytesPerMinute),
    pages: createPages(baseUrl),
    checkReady: () => database.findProblem(),
    drain: bound.drain,
  });
}
