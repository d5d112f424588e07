import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, invalidInput } from './errors.ts';
import { oneOfText } from './wording.ts';

/** A response before it is sent. */
export type HttpAnswer = {
  status: number;
  /** Text or bytes of the body; '' without a body. */
  body: string | Buffer;
  contentType: string;
  headers?: Readonly<Record<string, string | string[]>>;
};

export const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonAnswer(status: number, value: unknown, headers?: HttpAnswer['headers']): HttpAnswer {
  return { status, body: JSON.stringify(value), contentType: JSON_TYPE, headers };
}

export function sendAnswer(response: ServerResponse, answer: HttpAnswer): void {
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  if (answer.status === 204 || answer.status === 304) {
    response.writeHead(answer.status).end();
    return;
  }
  const length = typeof answer.body === 'string' ? Buffer.byteLength(answer.body) : answer.body.length;
  response.writeHead(answer.status, { 'content-type': answer.contentType, 'content-length': length });
  response.end(answer.body);
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * The body as text; throws when it is not UTF-8, and as soon as it is longer than `limit` bytes. The server reads and drops the rest
 * up to a limit of its own: a closed connection would keep clients that are still sending from seeing the response.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    request.resume();
    return Promise.reject(bodyTooLarge(limit));
  }
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= limit) return void chunks.push(chunk);
    chunks.length = 0;
    reject(bodyTooLarge(limit));
  });
  request.on('end', () => {
    if (length > limit) return;
    const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    try {
      resolve(UTF8.decode(bytes));
    } catch {
      reject(invalidInput('Body must be UTF-8'));
    }
  });
  request.on('error', reject);
  request.on('close', () => {
    if (!request.complete) reject(invalidInput('Request body ended too early'));
  });
  return promise;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  400: 'input.invalid',
  404: 'http.not_found',
  405: 'http.method_not_allowed',
  406: 'http.not_acceptable',
  408: 'http.timeout',
  413: 'http.too_large',
  415: 'http.unsupported_media_type',
  416: 'http.range_not_satisfiable',
  429: 'rate_limit.exceeded',
  503: 'service.busy',
};

/** Code of an HTTP error by its status. */
export function codeOfStatus(status: number): string {
  return CODE_OF_STATUS[status] ?? 'service.internal';
}

/** An error of the HTTP layer, with its status. */
export class HttpError extends AppError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    const retryAfter = headers['retry-after'];
    super(codeOfStatus(status), status === 429 ? 'rate_limited' : 'invalid_input', message, {
      retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter),
    });
    this.status = status;
    this.headers = headers;
  }
}

/** Throws 415 for an encoded body: read as it is, it would be reported as malformed. */
export function rejectEncodedBody(request: IncomingMessage): void {
  const encoding = headerOf(request, 'content-encoding').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return;
  throw new HttpError(415, 'Unsupported Media Type: send the body without content-encoding', {
    'accept-encoding': 'identity',
  });
}

/** A 405 with the allowed methods in its message and in `Allow`. */
export function methodNotAllowed(allowed: readonly string[]): HttpError {
  return new HttpError(405, `Method Not Allowed: ${oneOfText(allowed)}`, { allow: allowed.join(', ') });
}

function bodyTooLarge(limit: number): HttpError {
  return new HttpError(413, `Body is larger than ${limit / 1024} KB`);
}

/** First value of a header; '' when it is absent. */
export function headerOf(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/** The value of a cookie, or null. */
export function cookieOf(request: IncomingMessage, name: string): string | null {
  for (const pair of headerOf(request, 'cookie').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}
