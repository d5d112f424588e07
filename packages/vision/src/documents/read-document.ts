import sharp from 'sharp';
import { describePortrait } from '../faces/describe-portrait.ts';
import { decodeUpright, MAX_PIXELS } from '../image-check.ts';
import type { DocumentReading, DocumentTask, MrzLines, SideReading } from '../readings.ts';
import { createStopwatch, type Stopwatch } from '../stopwatch.ts';
import { readMrz } from './mrz.ts';
import { opencvReady } from './pixels/opencv.ts';
import type { Raster } from './pixels/raster.ts';
import { readSide, type SideWish } from './pixels/read-side.ts';

/** Maximum longer side in pixels. Larger images show no more of a document. */
const MAX_SIDE = 4000;
/** JPEG quality at which the straightened front is handed to the face's networks. */
const PORTRAIT_QUALITY = 92;

const NOT_AN_IMAGE: SideReading = {
  problem: 'not_an_image',
  hasOutline: false,
  margin: null,
  aspect: null,
  imageAspect: null,
  sharpness: null,
  glare: null,
  recaptureScore: null,
  lines: [],
  mrz: [],
  zone: null,
  barcode: null,
};

/**
 * Reads the photographs of a document: text, machine readable zone, barcode and portrait. Images of other objects have an
 * empty reading. Blocks the calling thread for one or two seconds; the first call loads the models.
 */
export async function readDocument(task: DocumentTask): Promise<DocumentReading> {
  const watch = createStopwatch();
  await watch.time('load', opencvReady);
  const isBackGiven = task.back !== null;
  const front = await readImage(task.front, { isBarcodeWanted: !isBackGiven, mrzHolds }, watch);
  const back =
    task.back === null ? null : await readImage(task.back, { isBarcodeWanted: true, mrzHolds }, watch);
  const portrait = front.image ? await readPortrait(front.image, watch) : null;
  return {
    front: front.reading,
    back: back?.reading ?? null,
    portrait,
    timings: watch.timings,
  };
}

async function readImage(bytes: Uint8Array, wish: SideWish, watch: Stopwatch) {
  const decoded = await watch.time('decode', () => decodeUpright(bytes, MAX_SIDE, MAX_PIXELS.document));
  if (!decoded) return { reading: NOT_AN_IMAGE, image: null };
  return readSide({ ...decoded, channels: 3 }, wish, watch);
}

function mrzHolds(candidates: readonly MrzLines[]): boolean {
  return readMrz(candidates)?.holds ?? false;
}

function readPortrait({ data, width, height, channels }: Raster, watch: Stopwatch) {
  return watch.time('portrait', async () => {
    const jpeg = await sharp(data, { raw: { width, height, channels } })
      .jpeg({ quality: PORTRAIT_QUALITY, chromaSubsampling: '4:4:4' })
      .toBuffer();
    return describePortrait(jpeg);
  });
}
