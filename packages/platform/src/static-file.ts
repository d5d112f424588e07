import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type ContentEncoding, encodeContent, negotiateEncoding } from './content-encoding.ts';
import { type HttpAnswer, headerOf } from './http.ts';
import { once } from './once.ts';

/** Handles requests for a file that is the same for all clients. */
export type StaticFile = (request: IncomingMessage) => Promise<HttpAnswer>;

/** Shorter files are not compressed. */
const MIN_COMPRESSED_BYTES = 1024;

/**
 * A file that is loaded at the first request, and compressed at the first request that accepts the encoding. All clients share the
 * same buffers, so that a slow client needs no copy. The entity tag consists of a hash of the content and the encoding.
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

/** Returns 304 without a body if the client has the current version (RFC 9110 section 13.1.2). */
function unlessKnown(answer: HttpAnswer, request: IncomingMessage): HttpAnswer {
  const known = headerOf(request, 'if-none-match').split(/\s*,\s*/);
  const isKnown = known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === answer.headers?.etag);
  if (!isKnown) return answer;
  const { 'content-encoding': _, ...headers } = answer.headers ?? {};
  return { ...answer, headers, status: 304, body: '' };
}
