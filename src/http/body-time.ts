import type { IncomingMessage, ServerResponse } from 'node:http';
import { isPaced, isStreamed } from '@vouchgraph/pacing';
import { hasBody, sendAnswer } from '@vouchgraph/platform/http';
import { LIMITS } from '@vouchgraph/platform/limits';
import { errorAnswer } from '@vouchgraph/rest';

/** Time limit for receiving a body, even if it is not read. Uploads have their own minimum rate. */
const BODY_MS = 30_000;
/** An upload of 12 MB takes two minutes at 1 Mbit/s; streamed bodies have no limit but that of the server. */
const MAX_UPLOAD_MS = 300_000;

/**
 * Bytes of a body that are read after the answer. Clients that read nothing before they have sent all of a body of this
 * size receive the answer.
 */
const MAX_DROPPED_BYTES = 8 * LIMITS.requestBodyBytes;
/** The same for routes with larger bodies. */
const droppedBytes = new WeakMap<IncomingMessage, number>();

/** Lets a request on a route with bodies of up to `limit` bytes send twice as much after an early answer. */
export function expectBody(request: IncomingMessage, limit: number): void {
  droppedBytes.set(request, Math.max(2 * limit, MAX_DROPPED_BYTES));
}

/** Disconnects a client that takes too long to send its body, or continues to send one that was answered. */
export function limitBodyTime(request: IncomingMessage, response: ServerResponse): void {
  if (!hasBody(request)) return;
  const end = (mayContinue: (request: IncomingMessage) => boolean) => {
    if (request.complete || mayContinue(request)) return;
    if (response.headersSent) request.destroy();
    else sendAnswer(response, errorAnswer(408, 'Request body timed out', { connection: 'close' }));
  };
  response.once('finish', () => dropRest(request));
  const timers = [setTimeout(end, BODY_MS, isPaced), setTimeout(end, MAX_UPLOAD_MS, isStreamed)];
  const stop = () => timers.forEach(clearTimeout);
  for (const event of ['end', 'close'] as const) request.once(event, stop);
}

/** Counts what the connection receives, because a parser drops the data of an answered request. */
function dropRest(request: IncomingMessage): void {
  const { socket } = request;
  if (request.complete || socket.destroyed) return;
  const limit = socket.bytesRead + (droppedBytes.get(request) ?? MAX_DROPPED_BYTES);
  const count = () => {
    if (!request.complete && socket.bytesRead > limit) socket.destroy();
  };
  const stop = () => socket.removeListener('data', count);
  socket.on('data', count);
  for (const event of ['end', 'close'] as const) request.once(event, stop);
}
