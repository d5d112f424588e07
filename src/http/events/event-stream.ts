import type { IncomingMessage, ServerResponse } from 'node:http';
import { Heartbeats, type OpenSockets } from '@vouchgraph/pacing';
import { HttpError, headerOf } from '@vouchgraph/platform/http';
import type { Logger } from '@vouchgraph/platform/logger';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { presentError } from '../graphql/errors.ts';
import type { Operation } from '../graphql/operation.ts';
import { socketKeyOf } from './authenticated-socket.ts';
import type { Sink } from './subscriber.ts';
import type { OpenedSubscription, Subscriptions } from './subscriptions.ts';
import type { ViewerWatch } from './viewer-watch.ts';

/*
 * Subscriptions as text/event-stream, one to a request ("distinct connections mode" of GraphQL over SSE): events `next`
 * with a result, and `complete` at the end. A stream that ends without `complete` was interrupted, and the client
 * resumes after the last cursor.
 */

/** A comment keeps proxies from closing a quiet stream. */
export const HEARTBEAT_MS = 12_000;
const HEARTBEAT = ':\n\n';
const COMPLETE = 'event: complete\ndata:\n\n';

export type StreamRequest = {
  request: IncomingMessage;
  response: ServerResponse;
  operation: Operation;
  /** Authenticates the request again. */
  findViewer: () => Promise<Viewer>;
};

export type EventStreams = {
  /** Answers a subscription; false for anything else. */
  answer(asked: StreamRequest): Promise<boolean>;
  readonly open: number;
  /** Ends all streams without `complete`, also those that are requested later. */
  close(): void;
};

export type EventStreamDeps = {
  subscriptions: Subscriptions;
  watch: ViewerWatch;
  log: Logger;
  heartbeatMs: number;
  openSockets: OpenSockets;
};

type Stream = { response: ServerResponse; wasWaiting: boolean };

export function createEventStreams(deps: EventStreamDeps): EventStreams {
  const { subscriptions, watch, log, heartbeatMs, openSockets } = deps;
  const streams = new Heartbeats<Stream>(heartbeatMs);
  let isClosed = false;

  async function answer(asked: StreamRequest): Promise<boolean> {
    const { operation, request, response } = asked;
    const { context } = operation;
    const checked = operation.check();
    const accepted = headerOf(request, 'accept');
    if ('errors' in checked || operation.kind() !== 'subscription') return false;
    if (!accepted.includes('text/event-stream')) {
      throw new HttpError(406, 'Subscriptions require a WebSocket or Accept: text/event-stream');
    }
    const { document } = checked;
    const { query, operationName, variables } = operation.parameters;
    // Disconnected during the look-up: nothing would release its slot.
    if (response.destroyed) return true;
    const socketKey = socketKeyOf(context.viewer);
    openSockets.add(socketKey);
    response.once('close', () => openSockets.remove(socketKey));
    const opened = await subscriptions.open({ source: query, document, operationName, variables, context });
    // Disconnected during the look-up.
    if (response.destroyed) return true;
    begin(response);
    if ('errors' in opened) finish(response, opened.errors);
    else if (isClosed) response.end();
    else serve(asked, opened);
    return true;
  }

  function serve(
    { request, response, operation, findViewer }: StreamRequest,
    opened: OpenedSubscription,
  ): void {
    const stream: Stream = { response, wasWaiting: false };
    const end = (error: unknown) => finish(response, [presentError(error, log, operation.context.requestId)]);
    const holder = { endAccess: end };
    const watched = watch.watch(credentialOf(request), findViewer, holder);
    const subscriber = opened.start(sinkOf(response, end));
    streams.add(stream);
    response.once('close', () => {
      subscriber.stop();
      watched.leave(holder);
      streams.delete(stream);
    });
  }

  const heartbeat = setInterval(() => {
    for (const stream of streams.tick()) beat(stream);
  }, streams.tickMs);
  heartbeat.unref();

  return {
    answer,
    get open() {
      return streams.size;
    },
    close() {
      isClosed = true;
      clearInterval(heartbeat);
      for (const { response } of streams.all()) response.end();
    },
  };
}

function begin(response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    // Some proxies gather an answer before they pass it on.
    'x-accel-buffering': 'no',
  });
  // Some clients process the head only after the first bytes of the body.
  response.write(HEARTBEAT);
}

/** Sends errors and the `complete` event, then ends the stream. */
function finish(response: ServerResponse, errors: readonly unknown[]): void {
  if (response.writableEnded || response.destroyed) return;
  response.end(`event: next\ndata: ${JSON.stringify({ errors })}\n\n${COMPLETE}`);
}

function sinkOf(response: ServerResponse, fail: (error: unknown) => void): Sink {
  const isGone = () => response.writableEnded || response.destroyed;
  return {
    send(result) {
      if (!isGone()) response.write(result.event());
    },
    get waitingBytes() {
      return isGone() ? 0 : response.writableLength;
    },
    flushed: () =>
      new Promise((resolve) => {
        if (isGone() || !response.writableNeedDrain) return resolve();
        const done = () => {
          response.off('drain', done);
          response.off('close', done);
          resolve();
        };
        response.on('drain', done);
        response.on('close', done);
      }),
    // The stream has one subscription.
    inTurn: (work) => work(),
    fail,
    disconnectSlow: () => response.destroy(),
  };
}

/** Closes a stream whose data has not been read since the last heartbeat. */
function beat(stream: Stream): void {
  const isWaiting = stream.response.writableLength > 0;
  if (isWaiting && stream.wasWaiting) stream.response.destroy();
  else stream.response.write(HEARTBEAT);
  stream.wasWaiting = isWaiting;
}

function credentialOf(request: IncomingMessage): string {
  const names = ['x-api-key', 'authorization', 'origin', 'cookie', 'x-project-id'];
  return JSON.stringify(names.map((name) => headerOf(request, name)));
}
