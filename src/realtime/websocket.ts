import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, getOperationAST } from 'graphql';
import { CloseCode, type ServerOptions } from 'graphql-ws';
import { useServer } from 'graphql-ws/use/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { AccessService, Viewer } from '../domain/projects/access-service.ts';
import { mayAskFrom } from '../domain/projects/page-origin.ts';
import { createContext, type GraphQLContext, type Services } from '../graphql/context.ts';
import { presentError } from '../graphql/errors.ts';
import { runDocument } from '../graphql/execute.ts';
import { type GraphQLProfile, type ProfileName, profileOf } from '../graphql/profiles.ts';
import { schema } from '../graphql/schema.ts';
import { AppError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { checkParsedJson } from '../platform/json.ts';
import { LIMITS } from '../platform/limits.ts';
import type { Logger } from '../platform/logger.ts';
import { type HeldSubscription, SocketLine } from './socket-line.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { ViewerWatch } from './viewer-watch.ts';

/** Pings keep proxies from closing a quiet socket, and find those that are gone. */
export const PING_MS = 12_000;
const INIT_TIMEOUT_MS = 5_000;
/** A client that does not answer a close may not hold up the end of the service. */
const CLOSE_TIMEOUT_MS = 5_000;

type Extra = { socket: WebSocket; request?: IncomingMessage; line?: SocketLine };

export type WebSocketDeps = {
  access: AccessService;
  services: Services;
  subscriptions: Subscriptions;
  watch: ViewerWatch;
  profiles: Record<ProfileName, GraphQLProfile>;
  /** Counts one operation against the limit of its key; throws when there were too many. */
  countRequest: (limitKey: string) => Promise<void>;
  log: Logger;
  pingMs: number;
};

export type WebSocketFace = {
  readonly open: number;
  close(): Promise<void>;
};

/**
 * GraphQL over WebSocket (graphql-transport-ws) on /graphql. A client authenticates with
 * `connectionParams: {"x-api-key": KEY}` or `{"authorization": "Bearer TOKEN"}`; without either the socket closes
 * with 4403. The key is looked up again for every operation, and every other second: a revoked one closes its sockets.
 */
export function serveWebSockets(server: Server, deps: WebSocketDeps): WebSocketFace {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LIMITS.requestBodyBytes,
    // Not in the types yet.
    ...({ closeTimeout: CLOSE_TIMEOUT_MS } as object),
  });
  server.on('upgrade', (request, socket, head) => {
    destroyOnError(socket);
    const path = (request.url ?? '').split('?', 1)[0];
    if (path !== '/graphql') {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, request));
  });
  // isProd: a socket that closes for an error of ours does not tell it.
  const served = useServer({ ...serverOptions(deps), isProd: true }, sockets, deps.pingMs);
  return {
    get open() {
      return sockets.clients.size;
    },
    close: async () => {
      await served.dispose();
    },
  };
}

/** The server no longer listens for errors of an upgraded socket: a reset would end the process. */
function destroyOnError(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
}

function serverOptions(deps: WebSocketDeps): ServerOptions<Record<string, unknown>, Extra> {
  return {
    connectionInitWaitTimeout: INIT_TIMEOUT_MS,
    async onConnect(connection) {
      try {
        const viewer = await authenticate(deps.access, connection.connectionParams);
        const { request, socket } = connection.extra;
        const { origin = '', host = '' } = request!.headers;
        // What opened the socket is not kept for as long as it is open.
        connection.extra.request = undefined;
        if (!mayAskFrom(viewer, origin, host)) return false;
        // A socket that closed meanwhile would be watched for ever.
        if (socket.readyState !== socket.CLOSED) connection.extra.line = openLine(deps, connection);
        return true;
      } catch (error) {
        if (error instanceof AppError && error.kind === 'unauthenticated') return false;
        if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error;
        // Clients connect again after this code; after that of an internal error they give up.
        connection.extra.socket.close(TRY_AGAIN_LATER, 'Service unavailable');
        return false;
      }
    },
    onClose: ({ extra }) => extra.line?.close(),
    async onSubscribe(connection, id, payload) {
      // Each operation asks again who it is for: the answer is remembered for less than a second.
      const requestId = newId();
      const viewer = await viewerOfOperation(deps, connection.connectionParams).catch(
        (error: unknown) => error,
      );
      if (!isViewer(viewer)) {
        if (viewer instanceof AppError && viewer.kind === 'unauthenticated') closeForbidden(connection.extra);
        return [presentError(viewer, deps.log, requestId)];
      }
      const context = createContext(deps.services, {
        viewer,
        requestId,
        connection: { ip: '', headers: {}, edge: {}, browserId: '' },
      });
      const checked = deps.profiles[profileOf(viewer)].check(payload.query, context);
      if ('errors' in checked) return checked.errors;
      try {
        checkParsedJson(payload.variables, LIMITS.requestBodyDepth);
      } catch (error) {
        return [presentError(error, deps.log, requestId)];
      }
      const { document } = checked;
      const operationName = payload.operationName ?? undefined;
      if (getOperationAST(document, operationName)?.operation === 'subscription') {
        const variables = payload.variables ?? undefined;
        const request = { source: payload.query, document, operationName, variables, context };
        const held = await connection.extra.line!.subscribe(deps.subscriptions, id, request);
        // What runs is held by its line; what GraphQL would need for it is not kept for as long as it runs.
        return 'errors' in held ? held.errors : { schema, document, operationName, contextValue: held };
      }
      return {
        schema,
        document,
        variableValues: payload.variables,
        operationName: payload.operationName,
        contextValue: context,
      };
    },
    subscribe: ({ contextValue }) => contextValue as HeldSubscription,
    onError: (_connection, _id, _payload, errors) =>
      errors.map((error) => presentError(error, deps.log, '').toJSON()),
    execute: (args) => {
      const { document, variableValues, operationName, contextValue } = args as unknown as ExecutionArgs;
      return runDocument(
        document,
        variableValues as Record<string, unknown> | undefined,
        operationName ?? undefined,
        contextValue as GraphQLContext,
        deps.log,
      );
    },
  };
}

/** RFC 6455's registry. */
const TRY_AGAIN_LATER = 1013;

type Parameters = Readonly<Record<string, unknown>>;

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
  { access, watch, services }: WebSocketDeps,
  { extra: { socket }, connectionParams }: { extra: Extra; connectionParams?: Parameters },
): SocketLine {
  const unwatch = watch.watch(
    JSON.stringify(connectionParams),
    () => authenticate(access, connectionParams),
    () => closeForbidden({ socket }),
  );
  return new SocketLine(socket, { cursorAt: services.events.cursorAt, unwatch });
}

function closeForbidden({ socket }: Pick<Extra, 'socket'>): void {
  socket.close(CloseCode.Forbidden, 'Forbidden');
}

function authenticate(access: AccessService, parameters: Parameters | undefined): Promise<Viewer> {
  const entries = Object.entries(parameters ?? {}).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const given = new Map(entries);
  const key = given.get('x-api-key');
  if (typeof key === 'string') return access.viewerOfKey(key);
  const bearer = /^Bearer (\S+)$/i.exec(String(given.get('authorization') ?? ''))?.[1];
  return access.viewerOfBrowserToken(bearer ?? '');
}
