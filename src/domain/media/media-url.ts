import type { ProjectCipher } from '../../platform/crypto.ts';

/** How long addresses live, in seconds: in answers, in webhooks, and for an upload. */
export const READ_URL_SECONDS = 15 * 60;
export const WEBHOOK_URL_SECONDS = 7 * 24 * 3600;
export const UPLOAD_URL_SECONDS = 3600;

export type MediaMethod = 'GET' | 'PUT';

export type MediaAddress = {
  readonly projectId: string;
  readonly objectId: string;
  readonly expiresAt: Date;
  /** An address for reading does not upload, and the other way round; GET by default. */
  readonly method?: MediaMethod;
  /** What clients reach the service by; a path alone without it. */
  readonly baseUrl?: string;
};

const PURPOSE = 'media address';
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const PATH = new RegExp(`^/media/(${UUID})/(${UUID})$`);

/** The address of one picture or clip: whoever holds it may use it until it expires. */
export function signedMediaUrl(cipher: ProjectCipher, address: MediaAddress): string {
  const { projectId, objectId, expiresAt, method = 'GET', baseUrl = '' } = address;
  const expires = String(Math.floor(expiresAt.getTime() / 1000));
  const signature = cipher.sign(PURPOSE, signedText(method, projectId, objectId, expires));
  return `${baseUrl}/media/${projectId}/${objectId}?expires=${expires}&signature=${signature}`;
}

/** The two ids of an address, null for any other path. */
export function parseMediaPath(path: string): { projectId: string; objectId: string } | null {
  const match = PATH.exec(path);
  return match && { projectId: match[1]!, objectId: match[2]! };
}

/** Whether an address is ours for this method, and not over. */
export function isValidMediaUrl(
  cipher: ProjectCipher,
  asked: { method: MediaMethod; projectId: string; objectId: string; query: URLSearchParams },
  now: Date,
): boolean {
  const { method, projectId, objectId, query } = asked;
  const expires = query.get('expires') ?? '';
  const signature = query.get('signature') ?? '';
  const isOurs = cipher.verify(PURPOSE, signedText(method, projectId, objectId, expires), signature);
  return isOurs && Number(expires) * 1000 > now.getTime();
}

function signedText(method: MediaMethod, projectId: string, objectId: string, expires: string): string {
  return [method, projectId, objectId, expires].join('\n');
}
