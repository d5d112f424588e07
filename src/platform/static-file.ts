import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type ContentEncoding, encodeContent, negotiateEncoding } from './content-encoding.ts';
import { type HttpAnswer, headerOf } from './http.ts';

/** The answer to a request for a file that is the same for all clients. */
export type StaticFile = (request: IncomingMessage) => Promise<HttpAnswer>;

/** Shorter files are sent as they are. */
const MIN_COMPRESSED_BYTES = 1024;

/**
 * A file that is loaded with the first request, and compressed with the first one that accepts the encoding. All clients
 * are sent the same buffers, so that a client that reads slowly costs no copy. The entity tag is the hash of the content
 * and of its encoding.
 */
export function createStaticFile(load: () => Promise<HttpAnswer>): StaticFile {
  const plain = once(() => describe(load));
  const encoded = {
    br: once(async () => encode(await plain(), 'br')),
    gzip: once(async () => encode(await plain(), 'gzip')),
  };
  return async (request) => {
    const encoding = negotiateEncoding(headerOf(request, 'accept-encoding'));
    return unlessKnown(await (encoding === null ? plain() : encoded[encoding]()), request);
  };
}

/** Remembers the result; a failure is tried again with the next call. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work().catch((error: unknown) => {
      result = undefined;
      throw error;
    });
    return result;
  };
}

type FileAnswer = HttpAnswer & { body: Buffer; headers: { etag: string } };

async function describe(load: () => Promise<HttpAnswer>): Promise<FileAnswer> {
  const answer = await load();
  const body = Buffer.from(answer.body);
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return { ...answer, body, headers: { ...answer.headers, vary: 'accept-encoding', etag: `"${tag}"` } };
}

async function encode(plain: FileAnswer, encoding: ContentEncoding): Promise<FileAnswer> {
  if (plain.body.length < MIN_COMPRESSED_BYTES) return plain;
  const etag = plain.headers.etag.replace(/"$/, `-${encoding}"`);
  const headers = { ...plain.headers, etag, 'content-encoding': encoding };
  return { ...plain, body: await encodeContent(plain.body, encoding, 'small'), headers };
}

/** A client that has the current version is sent no body (RFC 9110 section 13.1.2). */
function unlessKnown(answer: HttpAnswer, request: IncomingMessage): HttpAnswer {
  const known = headerOf(request, 'if-none-match').split(/\s*,\s*/);
  const isKnown = known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === answer.headers?.etag);
  if (!isKnown) return answer;
  const { 'content-encoding': _, ...headers } = answer.headers ?? {};
  return { ...answer, headers, status: 304, body: '' };
}
