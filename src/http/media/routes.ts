import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  isValidMediaUrl,
  MEDIA_BYTES,
  type MediaMethod,
  mediaNotFound,
  parseByteRange,
  parseMediaPath,
} from '@vouchgraph/media';
import { createUploadBodies, readUpload, type UploadBodies } from '@vouchgraph/pacing';
import type { Clock } from '@vouchgraph/platform/clock';
import { AppError } from '@vouchgraph/platform/errors';
import {
  type HttpAnswer,
  headerOf,
  jsonAnswer,
  methodNotAllowed,
  sendAnswer,
} from '@vouchgraph/platform/http';
import { errorAnswer } from '@vouchgraph/rest';
import type { MediaService, OpenMedia } from '../../domain/media/media-service.ts';
import type { AccessService } from '../../domain/projects/access-service.ts';
import type { Project } from '../../domain/projects/project.ts';
import { expectBody } from '../body-time.ts';
import { allowAnyOrigin, allowOrigin } from '../cors.ts';
import type { Exchange } from '../exchange.ts';
import { presentRestError } from '../rest/errors.ts';

/** A client that reads nothing for this time is disconnected. */
const STALLED_MS = 30_000;

/** Images are for one pair of eyes, and never a page: nothing in them runs, and no cache keeps them. */
const READ_HEADERS = {
  'accept-ranges': 'bytes',
  'content-disposition': 'inline',
  'content-security-policy': "sandbox; default-src 'none'",
  'referrer-policy': 'no-referrer',
};

export type MediaRoutes = {
  readonly bodies: UploadBodies;
  answer(exchange: Exchange): Promise<void>;
};

/**
 * `/media/{project}/{object}`: reading and uploading by signed URL. A forged or expired URL, or one of another project's
 * object, is answered like one of an unknown object: 404.
 */
export function createMediaRoutes(deps: {
  access: AccessService;
  media: MediaService;
  clock: Clock;
}): MediaRoutes {
  const bodies = createUploadBodies();

  async function answer(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    const method = methodOf(request);
    if (method === 'PUT') expectBody(request, MEDIA_BYTES);
    response.setHeader('cache-control', 'private, no-store');
    exchange.operation = method === 'PUT' ? 'media.upload' : 'media.read';
    const found = await findAddressed(exchange, method);
    if (!found) return sendAnswer(response, errorAnswer(404, 'Not Found'));
    try {
      if (method === 'PUT') await upload(exchange, found);
      else await sendMedia(exchange, await deps.media.open(found.project, found.objectId));
    } catch (error) {
      if (!(error instanceof AppError) || response.headersSent) throw error;
      sendAnswer(response, presentMediaError(error));
    }
  }

  /** The project and object of a valid address. */
  async function findAddressed({ request, response, path, query }: Exchange, method: MediaMethod) {
    const ids = parseMediaPath(path);
    const project = ids && (await deps.access.findProjectById(ids.projectId));
    if (!project) {
      allowAnyOrigin(request, response);
      return null;
    }
    allowOrigin(project, request, response);
    const isValid = isValidMediaUrl(project.cipher, { method, ...ids, query }, deps.clock.now());
    return isValid ? { project, objectId: ids.objectId } : null;
  }

  async function upload(
    { request, response, requestId, ip }: Exchange,
    { project, objectId }: { project: Project; objectId: string },
  ): Promise<void> {
    const contentType = headerOf(request, 'content-type');
    const row = await deps.media.find(project, objectId);
    if (!row) throw mediaNotFound();
    await bodies.track({ sessionId: row.sessionId, ip }, () =>
      deps.media.receive(project, objectId, contentType, () => readUpload(request, MEDIA_BYTES)),
    );
    sendAnswer(response, jsonAnswer(200, { request_id: requestId, success: true }));
  }

  return { bodies, answer };
}

function methodOf(request: IncomingMessage): MediaMethod {
  const { method } = request;
  if (method === 'GET' || method === 'HEAD') return 'GET';
  if (method === 'PUT') return 'PUT';
  throw methodNotAllowed(['GET', 'HEAD', 'PUT', 'OPTIONS']);
}

const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  'media.wrong_type': 415,
  'media.too_large': 413,
};

/** Errors of uploads and of reading, in the envelope of REST; an unknown object is a 404. */
export function presentMediaError(error: AppError): HttpAnswer {
  const status = STATUS_OF_CODE[error.code] ?? (error.kind === 'not_found' ? 404 : undefined);
  return presentRestError(error, status);
}

async function sendMedia({ request, response }: Exchange, media: OpenMedia | null): Promise<void> {
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
