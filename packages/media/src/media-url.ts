import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { UUID } from './media-key.ts';

/** Lifetime of signed URLs in seconds: in responses, in webhooks, and for uploads. */
export const READ_URL_SECONDS = 15 * 60;
export const WEBHOOK_URL_SECONDS = 7 * 24 * 3600;
export const UPLOAD_URL_SECONDS = 3600;

export type MediaMethod = 'GET' | 'PUT';

export type MediaAddress = {
  readonly projectId: string;
  readonly objectId: string;
  readonly expiresAt: Date;
  /** The only method for which the URL is valid; GET by default. */
  readonly method?: MediaMethod;
  /** Public base URL; without it the result is a path. */
  readonly baseUrl?: string;
};

const PURPOSE = 'media address';
const PATH = new RegExp(`^/media/(${UUID})/(${UUID})$`);

/** Signed URL of an image or video. It needs no further authorization until it expires. */
export function signedMediaUrl(cipher: ProjectCipher, address: MediaAddress): string {
  const { projectId, objectId, expiresAt, method = 'GET', baseUrl = '' } = address;
  const expires = String(Math.floor(expiresAt.getTime() / 1000));
  const signature = cipher.sign(PURPOSE, signedText(method, projectId, objectId, expires));
  return `${baseUrl}/media/${projectId}/${objectId}?expires=${expires}&signature=${signature}`;
}

/** Parses the ids of a media path; null for any other path. */
export function parseMediaPath(path: string): { projectId: string; objectId: string } | null {
  const match = PATH.exec(path);
  return match && { projectId: match[1]!, objectId: match[2]! };
}

/** Whether a URL has a valid signature for this method, and has not expired. */
export function isValidMediaUrl(
  cipher: ProjectCipher,
  asked: { method: MediaMethod; projectId: string; objectId: string; query: URLSearchParams },
  now: Date,
): boolean {
  const { method, projectId, objectId, query } = asked;
  const expires = query.get('expires') ?? '';
  const signature = query.get('signature') ?? '';
  const isSigned = cipher.verify(PURPOSE, signedText(method, projectId, objectId, expires), signature);
  return isSigned && Number(expires) * 1000 > now.getTime();
}

function signedText(method: MediaMethod, projectId: string, objectId: string, expires: string): string {
  return [method, projectId, objectId, expires].join('\n');
}
