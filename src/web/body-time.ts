import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendAnswer } from '../platform/http.ts';
import { errorAnswer } from '../rest/errors.ts';
import { isPaced } from './upload-body.ts';

/** A body is there within this time, also one that nobody reads; uploads keep a pace of their own. */
export const BODY_MS = 30_000;

/** Lets go of a client that takes too long to send its body. */
export function limitBodyTime(request: IncomingMessage, response: ServerResponse): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (encoding === undefined && Number(length) === 0) return;
  const timer = setTimeout(() => {
    if (request.complete || isPaced(request)) return;
    if (response.headersSent) request.destroy();
    else sendAnswer(response, errorAnswer(408, 'The body comes too slowly', { connection: 'close' }));
  }, BODY_MS);
  for (const event of ['end', 'close'] as const) request.once(event, () => clearTimeout(timer));
}
