import type { IncomingMessage } from 'node:http';
import {
  isValidMediaUrl,
  MEDIA_BYTES,
  type MediaMethod,
  mediaNotFound,
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
import type { MediaService } from '../../domain/media/media-service.ts';
import type { AccessService, Viewer } from '../../domain/projects/access-service.ts';
import type { Project } from '../../domain/projects/project.ts';
import { expectBody } from '../body-time.ts';
import { allowAnyOrigin, allowOrigin } from '../cors.ts';
import type { Exchange } from '../exchange.ts';
import { presentRestError } from '../rest/errors.ts';
import { answerRevealed, type RevealedMediaDeps } from './revealed-media.ts';
import { sendMedia } from './send-media.ts';

export type MediaRoutes = {
  readonly bodies: UploadBodies;
  answer(exchange: Exchange): Promise<void>;
  /** `/media/of/{session_id}/{kind}`: an image or a video of a verification that a person has revealed. */
  answerRevealed(exchange: Exchange, findViewer: () => Promise<Viewer>): Promise<void>;
};

/**
 * `/media/{project}/{object}`: reading and uploading by signed URL. A forged or expired URL, or one of another project's
 * object, is answered like one of an unknown object: 404.
 */
export function createMediaRoutes(
  deps: {
    access: AccessService;
    media: MediaService;
    clock: Clock;
  } & RevealedMediaDeps,
): MediaRoutes {
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

  return {
    bodies,
    answer,
    answerRevealed: (exchange, findViewer) => answerRevealed(deps, exchange, findViewer),
  };
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
