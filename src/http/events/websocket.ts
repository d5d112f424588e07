import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, type GraphQLError, getOperationAST } from 'graphql';
import {
  CloseCode,
  type Context,
  handleProtocols,
  MessageType,
  makeServer,
  type ServerOptions,
  type SubscribePayload,
  stringifyMessage,
} from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { AccessService, Viewer } from '../../domain/projects/access-service.ts';
import { credentialMissing } from '../../domain/projects/credential-errors.ts';
import { mayAskFrom } from '../../domain/projects/page-origin.ts';
import { createContext, type GraphQLContext, type Services } from '../../graphql/context.ts';
import { schema } from '../../graphql/schema.ts';
import { AppError } from '../../platform/errors.ts';
import { HttpError } from '../../platform/http.ts';
import { newId } from '../../platform/ids.ts';
import { checkParsedJson } from '../../platform/json.ts';
import { LIMITS } from '../../platform/limits.ts';
import type { Logger } from '../../platform/logger.ts';
import { readBearer, refuseKeyAsToken } from '../access.ts';
import type { FailedAttempts } from '../failed-attempts.ts';
import { presentError } from '../graphql/errors.ts';
import { runDocument } from '../graphql/execute.ts';
import type { PersistedDocuments } from '../graphql/persisted-documents.ts';
import { type GraphQLProfile, type ProfileName, profileOf } from '../graphql/profiles.ts';
import type { RateLimit } from '../rate-limit.ts';
import { GuardedSocket } from './guarded-socket.ts';
import type { OpenSockets } from './open-sockets.ts';
import { closeSlow, type HeldSubscription, SocketLine } from './socket-line.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { ViewerWatch } from './viewer-watch.ts';

/** Pings keep proxies from closing a quiet socket, and find those that are gone. */
export const PING_MS = 12_000;
const INIT_TIMEOUT_MS = 5_000;
/** Too many sockets, or too many failed attempts: RFC 6455's registry calls it "Try Again Later", and clients do. */
const TRY_AGAIN_LATER = 1013;
/** A client that does not answer a close may not hold up the end of the service. */
const CLOSE_TIMEOUT_MS = 5_000;

type Extra = { socket: WebSocket; guarded: GuardedSocket; request?: IncomingMessage; line?: SocketLine };

export type WebSocketDeps = {
  access: AccessService;
  services: Services;
  subscriptions: Subscriptions;
  watch: ViewerWatch;
  profiles: Record<ProfileName, GraphQLProfile>;
  documents: PersistedDocuments;
  /** Counts one operation against the limit of its key; throws when there were too many. */
  countRequest: (limitKey: string) => Promise<void>;
  /** What limits count the client of a request by. */
  addressOf: (request: IncomingMessage) => string;
  /** New sockets, by address. */
  socketLimit: Pick<RateLimit, 'check' | 'count'>;
  /** Keys and tokens that are not valid, by address. */
  failedAttempts: FailedAttempts;
  openSockets: OpenSockets;
  log: Logger;
  pingMs: number;
};

export type WebSocketFace = {
  readonly open: number;
  /** Closes all sockets with 1001, and waits for them and for what they have begun. */
  close(): Promise<void>;
  /** Ends the connections that are still open. */
  terminate(): void;
};

/** Whether a request asks for a WebSocket where there is one. */
export function isSocketRequest({ url = '', headers }: IncomingMessage): boolean {
  return pathOf(url) === '/graphql' && headers.upgrade?.toLowerCase() === 'websocket';
}

function pathOf(url: string): string {
  return url.split('?', 1)[0]!;
}

/**
 * GraphQL over WebSocket (graphql-transport-ws) on /graphql. A client authenticates with
 * `connectionParams: {"x-api-key": KEY}` or `{"authorization": "Bearer TOKEN"}`; without either the socket closes
 * with 4403 and the reason. One more than a key may have closes with 1013. The key is looked up again for every operation, and every
 * other second: a revoked one closes its sockets.
 */
export function serveWebSockets(server: Server, deps: WebSocketDeps): WebSocketFace {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LIMITS.requestBodyBytes,
    autoPong: false,
    handleProtocols: (protocols) => handleProtocols(protocols),
    // Not in the types yet.
    ...({ closeTimeout: CLOSE_TIMEOUT_MS } as object),
  });
  const guarded = new Set<GuardedSocket>();
  const protocol = makeServer(serverOptions(deps));

  function serve(socket: WebSocket, stream: Duplex, request: IncomingMessage): void {
    const one = new GuardedSocket(socket, stream, {
      log: deps.log,
      onSlow: () => (extra.line ? extra.line.endSlow() : closeSlow(socket)),
    });
    const extra: Extra = { socket, guarded: one, request };
    guarded.add(one);
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: async (text) => one.send(text),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (handle) => one.onMessage(handle),
        onPing: async (payload) => one.pong(stringifyMessage({ type: MessageType.Pong, payload })),
      },
      extra,
    );
    socket.once('close', (code, reason) => {
      guarded.delete(one);
      closed(code, String(reason)).catch((error: unknown) => {
        deps.log.error({ err: error }, 'closing a WebSocket failed');
      });
    });
  }

  server.on('upgrade', (request, socket, head) => {
    destroyOnError(socket);
    // Versions of Node before 24.9 hand over requests of any kind.
    if (!isSocketRequest(request)) {
      refuse(socket, 'HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
      return;
    }
    const refusal = refusalOf(deps, request);
    if (refusal) {
      refuse(socket, refusal);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => serve(opened, socket, request));
  });
  const heartbeat = setInterval(() => {
    for (const one of guarded) one.beat();
  }, deps.pingMs);
  heartbeat.unref();

  return {
    get open() {
      return sockets.clients.size;
    },
    async close() {
      clearInterval(heartbeat);
      const begun = [...guarded];
      const closed = new Promise<void>((resolve) => sockets.close(() => resolve()));
      for (const client of sockets.clients) client.close(1001, 'Going away');
      await closed;
      await Promise.all(begun.map((one) => one.settled()));
    },
    terminate() {
      for (const client of sockets.clients) client.terminate();
    },
  };
}

/** Sends an answer and ends the connection, also when the client does not close its side. */
function refuse(socket: Duplex, answer: string): void {
  socket.once('finish', () => socket.destroy());
  socket.end(answer);
}

/** The answer to a client with too many new sockets; null where it may open one. */
function refusalOf({ socketLimit, addressOf }: WebSocketDeps, request: IncomingMessage): string | null {
  const address = addressOf(request);
  try {
    socketLimit.check(address);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const headers = {
      ...error.headers,
      'cache-control': 'no-store',
      'content-length': '0',
      connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return ['HTTP/1.1 429 Too Many Requests', ...lines, '', ''].join('\r\n');
  }
  socketLimit.count(address);
  return null;
}

/** The server no longer listens for errors of an upgraded socket: a reset would end the process. */
function destroyOnError(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
}

function serverOptions(deps: WebSocketDeps): ServerOptions<Record<string, unknown>, Extra> {
  return {
    connectionInitWaitTimeout: INIT_TIMEOUT_MS,
    async onConnect(connection) {
      const { request, socket } = connection.extra;
      try {
        const viewer = await deps.failedAttempts.guard(
          deps.addressOf(request!),
          credentialOf(connection.connectionParams),
          () => authenticate(deps.access, connection.connectionParams),
        );
        const { origin = '', host = '' } = request!.headers;
        // What opened the socket is not kept for as long as it is open.
        connection.extra.request = undefined;
        if (!mayAskFrom(viewer, origin, host)) {
          socket.close(CloseCode.Forbidden, viewer.kind === 'key' ? KEY_IN_PAGE : FOREIGN_PAGE);
          return false;
        }
        // A socket that closed meanwhile would be watched for ever.
        if (socket.readyState !== socket.CLOSED) connection.extra.line = openLine(deps, connection, viewer);
        connection.extra.guarded.acknowledge();
        return true;
      } catch (error) {
        if (error instanceof AppError && error.kind === 'rate_limited') {
          socket.close(TRY_AGAIN_LATER, error.message);
          return false;
        }
        if (error instanceof AppError && error.kind === 'unauthenticated') {
          socket.close(CloseCode.Forbidden, error.message);
          return false;
        }
        if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error;
        // Clients connect again after this code; after that of an internal error they give up.
        connection.extra.socket.close(TRY_AGAIN_LATER, 'Service unavailable');
        return false;
      }
    },
    onClose: ({ extra }) => extra.line?.close(),
    onSubscribe: (connection, id, payload) =>
      connection.extra.guarded.run(() => prepareOperation(deps, connection, id, payload)),
    subscribe: ({ contextValue }) => contextValue as HeldSubscription,
    onError: (_connection, _id, _payload, errors) =>
      errors.map((error) => presentError(error, deps.log, '').toJSON()),
    execute: (args) => {
      const { document, variableValues, operationName, contextValue } = args as unknown as ExecutionArgs;
      const { context, guarded } = contextValue as Execution;
      const variables = variableValues as Record<string, unknown> | undefined;
      return guarded.run(() =>
        runDocument(document, variables, operationName ?? undefined, context, deps.log),
      );
    },
  };
}

const KEY_IN_PAGE = 'API keys of production projects may not be used from pages';
const FOREIGN_PAGE = 'The origin of the page is not an allowed origin of the project';

type Parameters = Readonly<Record<string, unknown>>;

type Execution = { context: GraphQLContext; guarded: GuardedSocket };

/** What is executed for a `subscribe` message, or the errors that refuse it. */
async function prepareOperation(
  deps: WebSocketDeps,
  connection: Context<Parameters, Extra>,
  id: string,
  payload: SubscribePayload,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  // Each operation asks again who it is for: the answer is remembered for less than a second.
  const requestId = newId();
  const viewer = await viewerOfOperation(deps, connection.connectionParams).catch((error: unknown) => error);
  if (!isViewer(viewer)) {
    if (viewer instanceof AppError && viewer.kind === 'unauthenticated')
      closeForbidden(connection.extra, viewer);
    return [presentError(viewer, deps.log, requestId)];
  }
  const context = createContext(deps.services, {
    viewer,
    requestId,
    connection: { ip: '', headers: {}, edge: {}, browserId: '' },
  });
  let source: string;
  try {
    source = await textOf(deps, viewer, payload);
    checkParsedJson(payload.variables, LIMITS.requestBodyDepth);
  } catch (error) {
    return [presentError(error, deps.log, requestId)];
  }
  const checked = deps.profiles[profileOf(viewer)].check(source, context);
  if ('errors' in checked) return checked.errors;
  const { document } = checked;
  const operationName = payload.operationName ?? undefined;
  if (getOperationAST(document, operationName)?.operation === 'subscription') {
    const variables = payload.variables ?? undefined;
    const request = { source, document, operationName, variables, context };
    const held = await connection.extra.line!.subscribe(deps.subscriptions, id, request);
    // What runs is held by its line; what GraphQL would need for it is not kept for as long as it runs.
    return 'errors' in held ? held.errors : { schema, document, operationName, contextValue: held };
  }
  return {
    schema,
    document,
    variableValues: payload.variables,
    operationName: payload.operationName,
    contextValue: { context, guarded: connection.extra.guarded } satisfies Execution,
  };
}

/**
 * The text of a document. The protocol requires the parameter `query`: one that is empty stands for a document that is
 * named by its hash.
 */
async function textOf(
  { documents }: WebSocketDeps,
  viewer: Viewer,
  { query, extensions, ...others }: SubscribePayload,
): Promise<string> {
  const { documentId } = { ...extensions, ...others } as { documentId?: unknown };
  const resolved = await documents.resolve(viewer, { query, extensions, documentId });
  return (resolved as { query: string }).query;
}

/** Who an operation is for, counted like a request. */
async function viewerOfOperation(deps: WebSocketDeps, parameters: Parameters | undefined): Promise<Viewer> {
  const viewer = await authenticate(deps.access, parameters);
  await deps.countRequest(viewer.limitKey);
  return viewer;
}

function isViewer(value: unknown): value is Viewer {
  return typeof value === 'object' && value !== null && 'limitKey' in value;
}

function openLine(
  { access, watch, services, openSockets }: WebSocketDeps,
  { extra: { socket }, connectionParams }: { extra: Extra; connectionParams?: Parameters },
  viewer: Viewer,
): SocketLine {
  const release = openSockets.add(viewer.keyId ?? viewer.limitKey);
  const unwatch = watch.watch(
    JSON.stringify(connectionParams),
    () => authenticate(access, connectionParams),
    (error) => closeForbidden({ socket }, error),
  );
  const onClose = () => {
    unwatch();
    release();
  };
  const { cursorAt } = services.events;
  return new SocketLine(socket, {
    cursorAt: (position) => cursorAt(viewer.project, position),
    unwatch: onClose,
  });
}

/** Messages of errors of this kind have at most 123 bytes, as the protocol requires. */
function closeForbidden({ socket }: Pick<Extra, 'socket'>, { message }: AppError): void {
  socket.close(CloseCode.Forbidden, message);
}

/** The key or token that a client sends when it connects, '' when it sends none. A key goes before a token. */
function credentialsOf(parameters: Parameters | undefined): { key: string; bearer: string } {
  const entries = Object.entries(parameters ?? {}).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const given = new Map(entries);
  const key = given.get('x-api-key');
  if (typeof key === 'string') return { key, bearer: '' };
  return { key: '', bearer: readBearer(String(given.get('authorization') ?? '')) };
}

function credentialOf(parameters: Parameters | undefined): string {
  const { key, bearer } = credentialsOf(parameters);
  return key || bearer;
}

async function authenticate(access: AccessService, parameters: Parameters | undefined): Promise<Viewer> {
  const { key, bearer } = credentialsOf(parameters);
  if (key !== '') return access.viewerOfKey(key);
  refuseKeyAsToken(bearer);
  if (bearer !== '') return access.viewerOfBrowserToken(bearer);
  throw credentialMissing();
}
