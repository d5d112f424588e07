import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Mat } from '@techstark/opencv-js';
import { prepareZXingModule, type ReaderOptions, type ReadResult, readBarcodes } from 'zxing-wasm/reader';
import type { SideReading } from '../../readings.ts';
import { cv, scoped } from './opencv.ts';
import type { Raster } from './raster.ts';
import { resized } from './rectify.ts';

const OPTIONS: ReaderOptions = {
  formats: ['PDF417'],
  tryHarder: true,
  tryRotate: true,
  tryInvert: false,
  maxNumberOfSymbols: 1,
  // The default writes control characters as words, which the parser of licenses would read as data.
  textMode: 'Plain',
  returnErrors: true,
};

let ready: Promise<unknown> | null = null;

/** A false detection is reported as a point. */
const MIN_SHARE = 0.1;

/**
 * The PDF417 barcode in the first of these images that has one; 'error' if one was found but could not be read. Then noise
 * is removed from the first image in several ways; if a barcode is `likely`, also without a detection.
 */
export async function readBarcode(
  images: readonly Raster[],
  likely: boolean,
): Promise<SideReading['barcode']> {
  ready ??= prepareZXingModule({
    overrides: {
      wasmBinary: new Uint8Array(
        readFileSync(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'))),
      ).buffer,
    },
    fireImmediately: true,
  });
  await ready;
  let isSeen = false;
  for (const image of images) {
    const found = await decode(image);
    if (found?.isValid) return { text: found.text };
    isSeen ||= found !== null;
  }
  if (!isSeen && !likely) return null;
  for (const smoothed of withoutGrain(images[0]!)) {
    const found = await decode(smoothed);
    if (found?.isValid) return { text: found.text };
    isSeen ||= found !== null;
  }
  return isSeen ? 'error' : null;
}

async function decode(image: Raster): Promise<{ isValid: boolean; text: string } | null> {
  const pixels = { data: withOpacity(image), width: image.width, height: image.height };
  const [found] = await readBarcodes(pixels as ImageData, OPTIONS);
  if (!found || !hasSize(found, image)) return null;
  return { isValid: found.isValid && found.text !== '', text: found.text };
}

/** Removes the noise of the sensor and keeps the bars. */
function* withoutGrain(image: Raster): Generator<Raster> {
  yield smoothed(image, (from, to) => cv.medianBlur(from, to, 3));
  yield smoothed(image, (from, to) => cv.GaussianBlur(from, to, new cv.Size(0, 0), 0.8));
  const large = resized(image, image.width * 2, image.height * 2);
  yield smoothed(large, (from, to) => cv.GaussianBlur(from, to, new cv.Size(0, 0), 1.5));
}

function smoothed(image: Raster, smooth: (from: Mat, to: Mat) => void): Raster {
  return scoped((keep) => {
    const type = image.channels === 3 ? cv.CV_8UC3 : cv.CV_8UC1;
    const from = keep(cv.matFromArray(image.height, image.width, type, image.data as never));
    const to = keep(new cv.Mat());
    smooth(from, to);
    return { ...image, data: new Uint8Array(to.data) };
  });
}

function hasSize({ position: { topLeft, bottomRight } }: ReadResult, { width, height }: Raster): boolean {
  const diagonal = Math.hypot(bottomRight.x - topLeft.x, bottomRight.y - topLeft.y);
  return diagonal > MIN_SHARE * Math.max(width, height);
}

function withOpacity({ data, width, height, channels }: Raster): Uint8ClampedArray {
  const out = new Uint8ClampedArray(width * height * 4);
  const green = channels === 3 ? 1 : 0;
  const blue = channels === 3 ? 2 : 0;
  for (let to = 0, from = 0; to < out.length; to += 4, from += channels) {
    out[to] = data[from]!;
    out[to + 1] = data[from + green]!;
    out[to + 2] = data[from + blue]!;
    out[to + 3] = 255;
  }
  return out;
}
