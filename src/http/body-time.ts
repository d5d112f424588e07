import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody, sendAnswer } from '../platform/http.ts';
import { errorAnswer } from './rest/errors.ts';
import { isPaced, isStreamed } from './upload-body.ts';

/** Time limit for receiving a body, even if it is not read. Uploads have their own minimum rate. */
const BODY_MS = 30_000;
/** An upload of 12 MB takes two minutes at 1 Mbit/s; streamed bodies have no limit but that of the server. */
const MAX_UPLOAD_MS = 300_000;

/** Disconnects a client that takes too long to send its body. */
export function limitBodyTime(request: IncomingMessage, response: ServerResponse): void {
  if (!hasBody(request)) return;
  const end = (mayContinue: (request: IncomingMessage) => boolean) => {
    if (request.complete || mayContinue(request)) return;
    if (response.headersSent) request.destroy();
    else sendAnswer(response, errorAnswer(408, 'Request body timed out', { connection: 'close' }));
  };
  const timers = [setTimeout(end, BODY_MS, isPaced), setTimeout(end, MAX_UPLOAD_MS, isStreamed)];
  const stop = () => timers.forEach(clearTimeout);
  for (const event of ['end', 'close'] as const) request.once(event, stop);
}
