import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseByteRange } from '@vouchgraph/media';
import { headerOf, sendAnswer } from '@vouchgraph/platform/http';
import { errorAnswer } from '@vouchgraph/rest';
import type { OpenMedia } from '../../domain/media/media-service.ts';
import type { Exchange } from '../exchange.ts';

/** A client that reads nothing for this time is disconnected. */
const STALLED_MS = 30_000;

/** Images are for one pair of eyes, and never a page: nothing in them runs, and no cache keeps them. */
const READ_HEADERS = {
  'accept-ranges': 'bytes',
  'content-disposition': 'inline',
  'content-security-policy': "sandbox; default-src 'none'",
  'referrer-policy': 'no-referrer',
};

/** Sends a file, or a part of it; 404 for one that does not exist. */
export async function sendMedia({ request, response }: Exchange, media: OpenMedia | null): Promise<void> {
  if (!media) return sendAnswer(response, errorAnswer(404, 'Not Found'));
  let pieces: AsyncIterator<Buffer> | undefined;
  try {
    const { size } = media;
    // There is no version to compare with, so that a condition on the version never holds.
    const header = request.headers['if-range'] === undefined ? headerOf(request, 'range') : '';
    const range = parseByteRange(header, size);
    if (range === 'none') {
      return sendAnswer(
        response,
        errorAnswer(416, 'Range Not Satisfiable', { 'content-range': `bytes */${size}` }),
      );
    }
    const span = range === 'all' ? { start: 0, end: size } : range;
    pieces = media.read(span)[Symbol.asyncIterator]();
    // A file that does not open is an error, not an interrupted body.
    const first = await pieces.next();
    for (const [name, value] of Object.entries(READ_HEADERS)) response.setHeader(name, value);
    response.setHeader('content-type', media.contentType);
    response.setHeader('content-length', span.end - span.start);
    if (range !== 'all') response.setHeader('content-range', `bytes ${span.start}-${span.end - 1}/${size}`);
    response.writeHead(range === 'all' ? 200 : 206);
    if (request.method === 'HEAD') response.end();
    else await sendPieces(response, first, pieces);
  } finally {
    await pieces?.return?.();
    await media.close();
  }
}

async function sendPieces(
  response: ServerResponse,
  first: IteratorResult<Buffer>,
  rest: AsyncIterator<Buffer>,
): Promise<void> {
  async function* all() {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
  }
  response.setTimeout(STALLED_MS, () => response.destroy());
  try {
    await pipeline(Readable.from(all(), { objectMode: false }), response);
  } catch (error) {
    // The client disconnected, so no error can be sent.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
