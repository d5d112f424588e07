import sharp, { type Sharp } from 'sharp';

/** Maximum size of a file. */
export const MAX_IMAGE_BYTES = 12 * 1024 * 1024;
/** The most pixels that are decoded: larger than phones take by default, small enough for one worker's memory. */
export const MAX_IMAGE_PIXELS = 50_000_000;

/**
 * The most pixels that are decoded of one face frame, of which there are many, and of one side of a document. Larger
 * images are taken where their format can be decoded at a part of its size.
 */
export const MAX_PIXELS = { face: 12_500_000, document: 25_000_000 } as const;

export type ImageContentType = 'image/jpeg' | 'image/png' | 'image/webp';
export type ImageProblem =
  | 'empty'
  | 'not_an_image'
  | 'unsupported_format'
  | 'heic'
  | 'svg'
  | 'animated'
  | 'too_large'
  | 'too_many_pixels';
export type ImageCheck =
  | { ok: true; contentType: ImageContentType; width: number; height: number }
  | { ok: false; problem: ImageProblem };

/** Upright pixels, three bytes (red, green, blue) each. */
export type RgbImage = { data: Uint8Array; width: number; height: number };

const READ_OPTIONS = { failOn: 'error', limitInputPixels: MAX_IMAGE_PIXELS, sequentialRead: true } as const;

const HEIC_BRANDS = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'];
/** How files of other image formats begin: GIF, BMP, TIFF in both byte orders, JPEG XL with and without container. */
const OTHER_FORMATS = ['GIF87a', 'GIF89a', 'BM', 'II*\0', 'MM\0*', '\xff\x0a', '\0\0\0\x0cJXL '];
const HEAD_BYTES = 1024;
const MAX_PART_SIDE = 1280;

/**
 * Whether the bytes are a still JPEG, PNG or WebP image that decodes completely, judged by content only. Sizes are those
 * of the upright image. Decoding runs on libvips' threads and never blocks the event loop.
 */
export async function checkImage(bytes: Uint8Array): Promise<ImageCheck> {
  const header = await checkHeader(bytes);
  if (!header.ok) return header;
  const small = await decoded(() => sharp(bytes, READ_OPTIONS).resize(32, 32, { fit: 'inside' }));
  const { isShrunkOnLoad, ...check } = header;
  return small ? check : refused('not_an_image');
}

/**
 * Upright by EXIF, without transparency, its longer side at most `maxSide`. What `checkImage` refuses is null, so
 * that a worker can be given any bytes; likewise what would take more than `maxPixels` to be decoded.
 */
export async function decodeUpright(
  bytes: Uint8Array,
  maxSide: number,
  maxPixels = MAX_IMAGE_PIXELS,
): Promise<RgbImage | null> {
  const check = await checkHeader(bytes);
  if (!check.ok || (check.width * check.height > maxPixels && !check.isShrunkOnLoad)) return null;
  const image = await decoded(() =>
    sharp(bytes, READ_OPTIONS)
      .autoOrient()
      .resize(maxSide, maxSide, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb'),
  );
  return image?.channels === 3 ? image : null;
}

/**
 * Brightness in the image's own resolution, of at most 1,280 by 1,280 pixels around a position (fractions of the upright
 * image's width and height); null for a rejected image.
 */
export async function decodeGrayAround(
  bytes: Uint8Array,
  middle: { x: number; y: number },
): Promise<{ data: Uint8Array; width: number; height: number } | null> {
  const check = await checkHeader(bytes);
  if (!check.ok) return null;
  const span = (part: number, length: number) => {
    const size = Math.min(length, MAX_PART_SIDE);
    return [Math.max(0, Math.min(length - size, Math.round(part * length - size / 2))), size] as const;
  };
  const [left, width] = span(middle.x, check.width);
  const [top, height] = span(middle.y, check.height);
  return decoded(() =>
    sharp(bytes, READ_OPTIONS)
      .autoOrient()
      .extract({ left, top, width, height })
      .flatten({ background: '#ffffff' })
      .toColourspace('b-w')
      .extractChannel(0),
  );
}

type HeaderCheck =
  | (Extract<ImageCheck, { ok: true }> & { isShrunkOnLoad: boolean })
  | Extract<ImageCheck, { ok: false }>;

/** All of the check that the first bytes allow, so that a bomb is weighed before any of it is decoded. */
async function checkHeader(bytes: Uint8Array): Promise<HeaderCheck> {
  if (bytes.byteLength === 0) return refused('empty');
  if (bytes.byteLength > MAX_IMAGE_BYTES) return refused('too_large');
  const format = formatOf(bytes);
  if (format !== 'jpeg' && format !== 'png' && format !== 'webp') return refused(format);
  if (format === 'png' && isAnimatedPng(bytes)) return refused('animated');
  try {
    const header = await sharp(bytes, { ...READ_OPTIONS, limitInputPixels: false }).metadata();
    if ((header.pages ?? 1) > 1) return refused('animated');
    if (header.width * header.height > MAX_IMAGE_PIXELS) return refused('too_many_pixels');
    // A progressive JPEG is decoded as a whole, at its full size.
    const isShrunkOnLoad = format === 'jpeg' && header.isProgressive !== true;
    return { ok: true, contentType: `image/${format}`, ...header.autoOrient, isShrunkOnLoad };
  } catch {
    return refused('not_an_image');
  }
}

/** Its bytes, one for each channel; null when the image is broken. */
async function decoded(
  pipeline: () => Sharp,
): Promise<{ data: Uint8Array; width: number; height: number; channels: number } | null> {
  try {
    const { data, info } = await pipeline().raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height, channels: info.channels };
  } catch {
    return null;
  }
}

function refused(problem: ImageProblem): Extract<ImageCheck, { ok: false }> {
  return { ok: false, problem };
}

/** Brightness of each pixel, 0 to 255, by the weights of ITU-R BT.601. */
export function toGray({ data, width, height }: RgbImage): Float32Array {
  const gray = new Float32Array(width * height);
  for (let pixel = 0, at = 0; pixel < gray.length; pixel++, at += 3)
    gray[pixel] = 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!;
  return gray;
}

function formatOf(bytes: Uint8Array): 'jpeg' | 'png' | 'webp' | ImageProblem {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, HEAD_BYTES));
  const text = head.toString('latin1');
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'webp';
  if (text.slice(4, 8) === 'ftyp')
    return HEIC_BRANDS.includes(text.slice(8, 12)) ? 'heic' : unlessAnimated(text);
  if (/^(\xef\xbb\xbf)?\s*<(\?xml|!--|!DOCTYPE|svg)/i.test(text) && /<svg[\s/>]/i.test(text)) return 'svg';
  return OTHER_FORMATS.some((start) => text.startsWith(start)) ? 'unsupported_format' : 'not_an_image';
}

/** The container of HEIC holds other images (AVIF), and films. */
function unlessAnimated(head: string): ImageProblem {
  return /^avi[fs]$/.test(head.slice(8, 12)) ? 'unsupported_format' : 'not_an_image';
}

/** An animated PNG has a chunk for it before its first pixels. libvips would silently read only the first image. */
function isAnimatedPng(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 8; at + 8 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const kind = view.getUint32(at + 4);
    if (kind === 0x6163544c) return true; // acTL
    if (kind === 0x49444154) return false; // IDAT
  }
  return false;
}
