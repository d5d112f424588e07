import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type HttpAnswer, headerOf } from './http.ts';

/** The answer to a request for a file that is the same for all clients. */
export type StaticFile = (request: IncomingMessage) => Promise<HttpAnswer>;

type Loaded = { plain: HttpAnswer; compressed: HttpAnswer };

/**
 * A file that is loaded and compressed with the first request. All clients are sent the same two buffers, so that a
 * client that reads slowly costs no copy. The entity tag is the hash of the content and of its encoding.
 */
export function createStaticFile(load: () => Promise<HttpAnswer>): StaticFile {
  let loaded: Promise<Loaded> | undefined;
  return async (request) => {
    loaded ??= prepare(load);
    const { plain, compressed } = await loaded.catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return unlessKnown(acceptsGzip(headerOf(request, 'accept-encoding')) ? compressed : plain, request);
  };
}

const compress = promisify(gzip);

async function prepare(load: () => Promise<HttpAnswer>): Promise<Loaded> {
  const answer = await load();
  const body = Buffer.from(answer.body);
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const headers = { ...answer.headers, vary: 'accept-encoding' };
  return {
    plain: { ...answer, body, headers: { ...headers, etag: `"${tag}"` } },
    compressed: {
      ...answer,
      body: await compress(body),
      headers: { ...headers, etag: `"${tag}-gzip"`, 'content-encoding': 'gzip' },
    },
  };
}

function acceptsGzip(header: string): boolean {
  return header.split(',').some((each) => {
    const [coding = '', ...parameters] = each.toLowerCase().split(';');
    return coding.trim() === 'gzip' && !parameters.some((parameter) => /^\s*q=0(\.0*)?\s*$/.test(parameter));
  });
}

/** A client that has the current version is sent no body (RFC 9110 section 13.1.2). */
function unlessKnown(answer: HttpAnswer, request: IncomingMessage): HttpAnswer {
  const known = headerOf(request, 'if-none-match').split(/\s*,\s*/);
  const isKnown = known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === answer.headers?.etag);
  if (!isKnown) return answer;
  const { 'content-encoding': _, ...headers } = answer.headers ?? {};
  return { ...answer, headers, status: 304, body: '' };
}
