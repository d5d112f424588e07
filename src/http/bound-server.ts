import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { limitPipelining } from '@vouchgraph/pacing';
import { unavailable } from '@vouchgraph/platform/errors';
import { jsonAnswer, sendAnswer } from '@vouchgraph/platform/http';
import { Drain } from './drain.ts';
import { isSocketRequest } from './events/websocket.ts';
import { setCommonHeaders } from './exchange.ts';
import { presentRestError } from './rest/errors.ts';

/** The one HTTP server, which listens before the gateway can serve requests. */
export type BoundServer = {
  readonly server: Server;
  readonly drain: Drain;
  /** Passes requests to the gateway from now on. */
  serve(handle: RequestListener): void;
  /** Closes a server that never served, with its connections. */
  abandon(): void;
};

/** Time for an imported file, which is streamed. Other bodies have far less time: see limitBodyTime. */
const MAX_STREAM_MS = 3_600_000;

/** Creates the server. Until `serve` is called, `/livez` returns 200 and every other request 503. */
export function createBoundServer(): BoundServer {
  const drain = new Drain();
  let serving: RequestListener | undefined;
  const server = createServer(
    {
      maxHeaderSize: 32 * 1024,
      requestTimeout: MAX_STREAM_MS,
      headersTimeout: 15_000,
      // All other values of Upgrade are ignored, as RFC 9110 section 7.8 allows.
      shouldUpgradeCallback: (request) => serving !== undefined && isSocketRequest(request),
    },
    (request, response) => {
      pipelining.begin(request, response);
      (serving ?? answerWhileStarting)(request, response);
    },
  );
  server.keepAliveTimeout = 65_000;
  drain.watch(server);
  const pipelining = limitPipelining(server);
  return {
    server,
    drain,
    serve(handle) {
      serving = handle;
    },
    abandon() {
      if (serving || !server.listening) return;
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The connection closes with the answer, so that the drain knows every connection that it counts. */
function answerWhileStarting(request: IncomingMessage, response: ServerResponse): void {
  setCommonHeaders(response);
  response.setHeader('connection', 'close');
  request.resume();
  const path = request.url?.split('?')[0];
  if (path === '/livez') sendAnswer(response, jsonAnswer(200, { status: 'ok' }));
  else if (path === '/readyz')
    sendAnswer(response, jsonAnswer(503, { status: 'starting' }, { 'retry-after': '1' }));
  else sendAnswer(response, presentRestError(unavailable()));
}
