import sharp from 'sharp';
import type { RgbImage } from '../image-check.ts';

/** Side of the portrait as a multiple of the larger side of the face. */
const MARGIN = 1.8;
/** Maximum side in pixels. */
const MAX_SIDE = 480;

/** JPEG of the face with hair and chin, square if the image is large enough. */
export async function cropPortrait(
  { data, width, height }: RgbImage,
  face: { x: number; y: number; width: number; height: number },
): Promise<Uint8Array> {
  const side = MARGIN * Math.max(face.width, face.height);
  const span = (middle: number, length: number) => {
    const from = Math.max(0, Math.floor(middle - side / 2));
    return [from, Math.max(1, Math.min(length, Math.ceil(middle + side / 2)) - from)] as const;
  };
  const [left, across] = span(face.x + face.width / 2, width);
  const [top, down] = span(face.y + face.height / 2, height);
  return sharp(data, { raw: { width, height, channels: 3 } })
    .extract({ left, top, width: across, height: down })
    .resize(MAX_SIDE, MAX_SIDE, { fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 88 })
    .toBuffer();
}
