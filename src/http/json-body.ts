import type { IncomingMessage } from 'node:http';
import { HttpError, headerOf, readBody, rejectEncodedBody } from '@vouchgraph/platform/http';
import { parseJson } from '@vouchgraph/platform/json';
import { LIMITS } from '@vouchgraph/platform/limits';

/** A body, parsed and checked once. */
export type JsonBody = {
  readonly text: string;
  /** Undefined when the text is not JSON, which each protocol refuses in its own form. */
  readonly value: unknown;
};

export type JsonBodyOptions = {
  /** Accepted content types; '' is the type of a request without that header. */
  types: RegExp;
  /** Largest body in bytes; 256 KB by default. */
  maxBytes?: number;
  /** Text that is parsed in the place of an empty body, or throws. */
  whenEmpty?: () => string;
  /** Receives the number of bytes before they are parsed; throws to refuse them. */
  count?: (bytes: number) => Promise<void>;
};

/**
 * Reads and parses the JSON body of a request, for every protocol. Throws 415 for another content type, and
 * `input.invalid` for text that could be read in two ways or that cannot be stored (see `parseJson`).
 */
export async function readJsonBody(
  request: IncomingMessage,
  { types, maxBytes = LIMITS.requestBodyBytes, whenEmpty, count }: JsonBodyOptions,
): Promise<JsonBody> {
  rejectEncodedBody(request);
  requireType(request, types);
  const sent = await readBody(request, maxBytes);
  const text = whenEmpty && sent.trim() === '' ? whenEmpty() : sent;
  await count?.(Buffer.byteLength(text));
  return { text, value: parseJson(text, LIMITS.requestBodyDepth) };
}

/** A page of another site can post forms and plain text without asking first: both are refused here. */
function requireType(request: IncomingMessage, types: RegExp): void {
  if (types.test(headerOf(request, 'content-type'))) return;
  request.resume();
  throw new HttpError(415, 'Unsupported Media Type: send application/json');
}
