import type { IncomingMessage, Server } from 'node:http';
import type { ExecutionArgs } from 'graphql';
import { CloseCode, type ServerOptions } from 'graphql-ws';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
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

/** Pings keep proxies from closing a quiet socket, and find those that are gone. */
const PING_MS = 12_000;
const INIT_TIMEOUT_MS = 5_000;
/** A client that does not answer a close may not hold up the end of the service. */
const CLOSE_TIMEOUT_MS = 5_000;

type Extra = Record<never, unknown>;

export type WebSocketDeps = {
  access: AccessService;
  services: Services;
  profiles: Record<ProfileName, GraphQLProfile>;
  /** Counts one operation against the limit of its key; throws when there were too many. */
  countRequest: (limitKey: string) => Promise<void>;
  log: Logger;
};

/**
 * GraphQL over WebSocket (graphql-transport-ws) on /graphql. A client authenticates with
 * `connectionParams: {"x-api-key": KEY}` or `{"authorization": "Bearer TOKEN"}`; without either the socket closes
 * with 4403. The key is looked up again for every operation, so that a revoked one ends with the next.
 */
export function serveWebSockets(server: Server, deps: WebSocketDeps): { close(): Promise<void> } {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LIMITS.requestBodyBytes,
    // Not in the types yet.
    ...({ closeTimeout: CLOSE_TIMEOUT_MS } as object),
  });
  server.on('upgrade', (request, socket, head) => {
    // The server no longer listens for errors of an upgraded socket: a reset would end the process.
    socket.on('error', () => socket.destroy());
    const path = (request.url ?? '').split('?', 1)[0];
    if (path !== '/graphql') {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, request));
  });
  // isProd: a socket that closes for an error of ours does not tell it.
  const served = useServer({ ...serverOptions(deps), isProd: true }, sockets, PING_MS);
  return {
    close: async () => {
      await served.dispose();
    },
  };
}

function serverOptions(deps: WebSocketDeps): ServerOptions<Record<string, unknown>, Extra> {
  return {
    connectionInitWaitTimeout: INIT_TIMEOUT_MS,
    async onConnect(connection) {
      try {
        const viewer = await authenticate(deps.access, connection.connectionParams);
        const { origin = '', host = '' } = requestOf(connection.extra).headers;
        return mayAskFrom(viewer, origin, host);
      } catch (error) {
        if (error instanceof AppError && error.kind === 'unauthenticated') return false;
        throw error;
      }
    },
    async onSubscribe(connection, _id, payload) {
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
      return {
        schema,
        document: checked.document,
        variableValues: payload.variables,
        operationName: payload.operationName,
        contextValue: context,
      };
    },
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

/** Who an operation is for, counted like a request. */
async function viewerOfOperation(
  deps: WebSocketDeps,
  parameters: Readonly<Record<string, unknown>> | undefined,
): Promise<Viewer> {
  const viewer = await authenticate(deps.access, parameters);
  await deps.countRequest(viewer.limitKey);
  return viewer;
}

function isViewer(value: unknown): value is Viewer {
  return typeof value === 'object' && value !== null && 'limitKey' in value;
}

/** The request that opened the socket. */
function requestOf(extra: unknown): IncomingMessage {
  return (extra as { request: IncomingMessage }).request;
}

function closeForbidden(extra: unknown): void {
  const { socket } = extra as { socket: { close(code: number, reason: string): void } };
  socket.close(CloseCode.Forbidden, 'Forbidden');
}

function authenticate(
  access: AccessService,
  parameters: Readonly<Record<string, unknown>> | undefined,
): Promise<Viewer> {
  const entries = Object.entries(parameters ?? {}).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const given = new Map(entries);
  const key = given.get('x-api-key');
  if (typeof key === 'string') return access.viewerOfKey(key);
  const bearer = /^Bearer (\S+)$/i.exec(String(given.get('authorization') ?? ''))?.[1];
  return access.viewerOfBrowserToken(bearer ?? '');
}
