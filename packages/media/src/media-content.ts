import type { AppError } from '@vouchgraph/platform/errors';
import { mediaEmpty, mediaTooLarge, mediaTypeMismatch, mediaUnusable } from './errors.ts';

/** Checks an image's bytes. */
export type CheckImage = (
  bytes: Uint8Array,
) => Promise<{ ok: true; contentType: string } | { ok: false; problem: string }>;

const UNUSABLE: Readonly<Record<string, string>> = {
  not_an_image: 'The image is damaged or incomplete',
  animated: 'The image must not be animated',
  too_many_pixels: 'The image must have at most 50 million pixels',
};

/** Error when the content differs from the announced type or is unusable, by its bytes and not by headers; otherwise null. */
export async function contentProblem(
  bytes: Uint8Array,
  expected: string,
  checkImage: CheckImage,
): Promise<AppError | null> {
  if (bytes.byteLength === 0) return mediaEmpty();
  if (expected.startsWith('video/'))
    return videoType(bytes) === expected ? null : mediaTypeMismatch(expected);
  const check = await checkImage(bytes);
  if (check.ok) return check.contentType === expected ? null : mediaTypeMismatch(expected);
  if (check.problem === 'too_large') return mediaTooLarge();
  const isTypeRight = imageType(bytes) === expected;
  return isTypeRight
    ? mediaUnusable(UNUSABLE[check.problem] ?? UNUSABLE.not_an_image!)
    : mediaTypeMismatch(expected);
}

/** Type of a video by its first bytes: the EBML header of Matroska, or the `ftyp` box of MP4. */
export function videoType(bytes: Uint8Array): 'video/webm' | 'video/mp4' | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 64)).toString('latin1');
  // The container is also used for other formats, which its header names.
  if (head.startsWith('\x1aE\xdf\xa3')) return head.includes('webm') ? 'video/webm' : null;
  const isImage = /^(hei[cmsx]|hev[cmsx]|mif1|msf1|avi[fs])/.test(head.slice(8));
  return head.slice(4, 8) === 'ftyp' && !isImage ? 'video/mp4' : null;
}

/** Type of an image by its first bytes. */
function imageType(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('latin1');
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  return head.startsWith('RIFF') && head.slice(8) === 'WEBP' ? 'image/webp' : null;
}
