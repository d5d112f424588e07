import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  addressKey,
  type FailedAttempts,
  Heartbeats,
  type MessageBudgets,
  type OpenSockets,
  type RateLimit,
} from '@vouchgraph/pacing';
import { AppError } from '@vouchgraph/platform/errors';
import { HttpError } from '@vouchgraph/platform/http';
import { newId } from '@vouchgraph/platform/ids';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { Logger } from '@vouchgraph/platform/logger';
import { type ExecutionArgs, type GraphQLError, getOperationAST } from 'graphql';
import {
  CloseCode,
  type Context,
  handleProtocols,
  makeServer,
  type ServerOptions,
  type SubscribePayload,
} from 'graphql-ws';
import { WebSocket, WebSocketServer } from 'ws';
import type { AccessService, Viewer } from '../../domain/projects/access-service.ts';
import { isAllowedOrigin } from '../../domain/projects/page-origin.ts';
import { createContext, type GraphQLContext, type Services } from '../../graphql/kernel/context.ts';
import { schema } from '../../graphql/schema.ts';
import type { PersonAccess } from '../access.ts';
import { presentError } from '../graphql/errors.ts';
import { runDocument } from '../graphql/execute.ts';
import type { PersistedDocuments } from '../graphql/persisted-documents.ts';
import { type GraphQLProfile, type ProfileName, profileOf } from '../graphql/profiles.ts';
import {
  AuthenticatedSocket,
  type SocketDeps,
  type SocketSubscription,
  socketKeyOf,
} from './authenticated-socket.ts';
import { ClientSocket, GuardedSocket } from './guarded-socket.ts';
import { authenticate, type Credentials, credentialsOf } from './socket-credentials.ts';
import { checkVariables } from './socket-message.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { ViewerWatch } from './viewer-watch.ts';

/** Pings keep proxies from closing an idle socket, and detect disconnected ones. */
export const PING_MS = 12_000;
/** Too many sockets, or too many failed attempts: RFC 6455's registry calls it "Try Again Later", and clients do. */
const TRY_AGAIN_LATER = 1013;
/** A client that does not answer a close may not hold up the end of the service. */
const CLOSE_TIMEOUT_MS = 5_000;

type Extra = {
  readonly guarded: GuardedSocket;
  request: IncomingMessage | null;
  /** Of the client. */
  address: string;
  socket: AuthenticatedSocket | null;
};

export type WebSocketDeps = {
  access: AccessService;
  persons: PersonAccess;
  services: Services;
  subscriptions: Subscriptions;
  watch: ViewerWatch;
  profiles: Record<ProfileName, GraphQLProfile>;
  documents: PersistedDocuments;
  /** Counts one operation against the limit of its key; throws when there were too many. */
  countRequest: (limitKey: string) => Promise<void>;
  /** Address of a client. */
  addressOf: (request: IncomingMessage) => string;
  /** New sockets, by address. */
  socketLimit: Pick<RateLimit, 'check' | 'count'>;
  /** Keys and tokens that are not valid, by address. */
  failedAttempts: FailedAttempts;
  openSockets: OpenSockets;
  messages: MessageBudgets;
  log: Logger;
  pingMs: number;
};

export type WebSocketInterface = {
  readonly open: number;
  /** Closes all sockets with 1001, and waits for them and their running operations. */
  close(): Promise<void>;
  /** Ends the connections that are still open. */
  terminate(): void;
};

/** Whether a request is a WebSocket upgrade on a supported path. */
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
export function serveWebSockets(server: Server, deps: WebSocketDeps): WebSocketInterface {
  const upgrades = new WebSocketServer({
    noServer: true,
    WebSocket: ClientSocket,
    clientTracking: false,
    maxPayload: LIMITS.requestBodyBytes,
    autoPong: false,
    handleProtocols: (protocols) => handleProtocols(protocols),
    // Not in the types yet.
    ...({ closeTimeout: CLOSE_TIMEOUT_MS } as object),
  });
  const sockets = new Heartbeats<GuardedSocket>(deps.pingMs);
  const host = { log: deps.log, sockets, messages: deps.messages };
  const protocol = makeServer(serverOptions(deps));

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', destroy);
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
    upgrades.handleUpgrade(request, socket, head, (opened) => {
      // The library listens itself from here on.
      socket.off('error', destroy);
      const guarded = new GuardedSocket(opened, socket, host);
      guarded.onClosed(protocol.opened(guarded, { guarded, request, address: '', socket: null }));
    });
  });
  const heartbeat = setInterval(() => {
    for (const one of sockets.tick()) one.beat();
  }, sockets.tickMs);
  heartbeat.unref();

  return {
    get open() {
      return sockets.size;
    },
    async close() {
      clearInterval(heartbeat);
      // Refuses upgrades from now on.
      upgrades.close();
      const begun = sockets.all();
      for (const one of begun) one.close(1001, 'Going away');
      await Promise.all(begun.map((one) => untilClosed(one)));
      await Promise.all(begun.map((one) => one.settled()));
    },
    terminate() {
      for (const { socket } of sockets.all()) socket.terminate();
    },
  };
}

function untilClosed({ socket }: GuardedSocket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** Sends an answer and ends the connection, also when the client does not close its side. */
function refuse(socket: Duplex, answer: string): void {
  socket.once('finish', () => socket.destroy());
  socket.end(answer);
}

/** The answer to a client with too many new sockets; null where it may open one. */
function refusalOf({ socketLimit, addressOf }: WebSocketDeps, request: IncomingMessage): string | null {
  const address = addressKey(addressOf(request));
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
function destroy(this: Duplex): void {
  this.destroy();
}

function serverOptions(deps: WebSocketDeps): ServerOptions<Parameters, Extra> {
  const socketDeps = { cursorAt: deps.services.events.cursorAt, log: deps.log };
  return {
    // The socket has its own timer, which ends with the authentication.
    connectionInitWaitTimeout: 0,
    onConnect: (connection) => connect(deps, socketDeps, connection),
    onClose: ({ extra: { socket } }) => {
      if (socket) removeSocket(deps, socket);
    },
    onSubscribe: (connection, id, payload) =>
      connection.extra.guarded.run(() => prepareOperation(deps, connection, id, payload)),
    subscribe: ({ contextValue }) => contextValue as SocketSubscription,
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

const KEY_IN_PAGE = 'API keys of production projects must not be used from web pages';
const FOREIGN_PAGE = 'The origin of the page is not an allowed origin of the project';

type Parameters = Record<string, unknown>;
type Connection = Context<Parameters, Extra>;

type Execution = { context: GraphQLContext; guarded: GuardedSocket };

/** Whether a client that introduces itself is accepted; a refused one is closed with the reason. */
async function connect(
  deps: WebSocketDeps,
  socketDeps: SocketDeps,
  connection: Connection,
): Promise<boolean> {
  const { guarded } = connection.extra;
  const request = connection.extra.request!;
  const credentials = credentialsOf(deps.persons, connection.connectionParams, request);
  // What opened the socket is not kept for as long as it is open.
  connection.extra.request = null;
  connection.extra.address = deps.addressOf(request);
  Object.assign(connection, { connectionParams: undefined });
  guarded.introduced();
  try {
    const viewer = await deps.failedAttempts.guard(
      addressKey(connection.extra.address),
      credentials.key || credentials.bearer,
      () => authenticate(deps.access, credentials),
    );
    const { origin = '', host = '' } = request.headers;
    if (!isAllowedOrigin(viewer, origin, host)) {
      guarded.close(CloseCode.Forbidden, viewer.kind === 'key' ? KEY_IN_PAGE : FOREIGN_PAGE);
      return false;
    }
    // A socket that closed meanwhile would be watched forever.
    if (guarded.socket.readyState !== WebSocket.CLOSED)
      connection.extra.socket = addSocket(
        deps,
        new AuthenticatedSocket(guarded, viewer, connection, socketDeps),
        credentials,
      );
    guarded.acknowledge(socketKeyOf(viewer));
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.kind === 'rate_limited') guarded.close(TRY_AGAIN_LATER, error.message);
    else if (error.kind === 'unauthenticated' || error.kind === 'forbidden')
      guarded.close(CloseCode.Forbidden, error.message);
    // Clients connect again after this code; after that of an internal error they give up.
    else if (error.kind === 'unavailable') guarded.close(TRY_AGAIN_LATER, 'Service unavailable');
    else throw error;
    return false;
  }
}

/** Execution arguments of a `subscribe` message, or the errors that reject it. */
async function prepareOperation(
  deps: WebSocketDeps,
  connection: Connection,
  id: string,
  payload: SubscribePayload,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  // Each operation resolves its viewer again: the result is cached for less than a second.
  const requestId = newId();
  const socket = connection.extra.socket!;
  const viewer = await viewerOfOperation(deps, socket).catch((error: unknown) => error);
  if (!isViewer(viewer)) {
    if (viewer instanceof AppError && viewer.kind === 'unauthenticated') socket.endAccess(viewer);
    return [presentError(viewer, deps.log, requestId)];
  }
  const context = createContext(deps.services, {
    viewer: { ...viewer, address: connection.extra.address },
    requestId,
    connection: { ip: '', headers: {}, edge: {}, browserId: '' },
  });
  let source: string;
  try {
    source = await textOf(deps, viewer, payload);
    checkVariables(payload);
  } catch (error) {
    return [presentError(error, deps.log, requestId)];
  }
  const checked = deps.profiles[profileOf(viewer)].check(source, context);
  if ('errors' in checked) return checked.errors;
  const { document } = checked;
  const operationName = payload.operationName || undefined;
  if (getOperationAST(document, operationName)?.operation === 'subscription') {
    const variables = payload.variables ?? undefined;
    const request = { source, document, operationName, variables, context };
    const opened = await socket.subscribe(deps.subscriptions, id, request);
    // The socket owns the running subscription; what GraphQL needs to execute it is garbage from here on.
    return 'errors' in opened ? opened.errors : { schema, document, operationName, contextValue: opened };
  }
  return {
    schema,
    document,
    variableValues: payload.variables,
    operationName,
    contextValue: { context, guarded: connection.extra.guarded } satisfies Execution,
  };
}

/**
 * The text of a document. The protocol requires the parameter `query`: an empty one means a document that is named by its
 * hash.
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

/** Viewer of an operation, which counts like a request. */
async function viewerOfOperation(deps: WebSocketDeps, { watched }: AuthenticatedSocket): Promise<Viewer> {
  const viewer = await watched!.find();
  await deps.countRequest(viewer.limitKey);
  return viewer;
}

function isViewer(value: unknown): value is Viewer {
  return typeof value === 'object' && value !== null && 'limitKey' in value;
}

/** Counts and watches a socket; throws when its key or token has too many sockets. */
function addSocket(
  deps: WebSocketDeps,
  socket: AuthenticatedSocket,
  credentials: Credentials,
): AuthenticatedSocket {
  deps.openSockets.add(socket.limitKey);
  const name = JSON.stringify([credentials.key, credentials.bearer, credentials.person?.name]);
  socket.watched = deps.watch.watch(name, () => authenticate(deps.access, credentials), socket);
  socket.guarded.subscriptions = socket;
  return socket;
}

function removeSocket({ openSockets }: WebSocketDeps, socket: AuthenticatedSocket): void {
  socket.watched?.leave(socket);
  openSockets.remove(socket.limitKey);
}
