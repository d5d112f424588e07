import type { RateLimit } from '@vouchgraph/pacing';
import { AppError } from '@vouchgraph/platform/errors';
import { HttpError, methodNotAllowed, sendAnswer } from '@vouchgraph/platform/http';
import type { Viewer } from '../../domain/projects/access-service.ts';
import type { RevealService } from '../../domain/reveals/reveal-service.ts';
import { isRevealedMedia } from '../../domain/reveals/revealed-media-service.ts';
import { allowOrigin } from '../cors.ts';
import { type Exchange, isRead } from '../exchange.ts';
import { presentRestError } from '../rest/errors.ts';
import { sendMedia } from './send-media.ts';

const PATH = /^\/media\/of\/([^/]+)\/([a-z_]+)(?:\/(\d{1,3}))?$/;

export type RevealedMediaDeps = { reveals: Pick<RevealService, 'openMedia'>; keyLimit: RateLimit };

/** Whether a path is an image or a video of a revealed verification. */
export function isOfRevealedMedia(path: string): boolean {
  return path.startsWith('/media/of/');
}

/**
 * Answers with an image or a video of a verification, to a person who has revealed the verification or its account. Persons
 * receive no signed URLs: a URL works for everybody who knows it, and its use is not recorded.
 */
export async function answerRevealed(
  { reveals, keyLimit }: RevealedMediaDeps,
  exchange: Exchange,
  findViewer: () => Promise<Viewer>,
): Promise<void> {
  const { request, response, requestId, path } = exchange;
  exchange.operation = 'media.read_revealed';
  if (!isRead(request)) throw methodNotAllowed(['GET', 'HEAD', 'OPTIONS']);
  response.setHeader('cache-control', 'private, no-store');
  const [, sessionId = '', kind = '', position = '0'] = PATH.exec(path) ?? [];
  if (!isRevealedMedia(kind)) throw new HttpError(404, 'Not Found');
  try {
    const viewer = await findViewer();
    allowOrigin(viewer.project, request, response);
    await keyLimit.take(viewer.limitKey, response);
    const asked = { sessionId, kind, position: Number(position) };
    await sendMedia(exchange, await reveals.openMedia(viewer, requestId, asked));
  } catch (error) {
    if (!(error instanceof AppError) || response.headersSent) throw error;
    sendAnswer(response, presentRestError(error));
  }
}
