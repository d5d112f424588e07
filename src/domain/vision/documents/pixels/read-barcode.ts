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
  // The default writes control characters as words, which a licence's own parser takes for data.
  textMode: 'Plain',
  returnErrors: true,
};

let ready: Promise<unknown> | null = null;

/** A pattern that is no barcode is reported as a point. */
const MIN_SHARE = 0.1;

/**
 * The PDF417 on one of these pictures, tried in turn; 'error' where one was found that could not be read. Grain is then
 * taken out of the first picture in several ways, without a trace of a barcode too where one is `likely`.
 */
export async function readBarcode(
  pictures: readonly Raster[],
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
  for (const picture of pictures) {
    const found = await decode(picture);
    if (found?.isValid) return { text: found.text };
    isSeen ||= found !== null;
  }
  if (!isSeen && !likely) return null;
  for (const smoothed of withoutGrain(pictures[0]!)) {
    const found = await decode(smoothed);
    if (found?.isValid) return { text: found.text };
    isSeen ||= found !== null;
  }
  return isSeen ? 'error' : null;
}

async function decode(picture: Raster): Promise<{ isValid: boolean; text: string } | null> {
  const image = { data: withOpacity(picture), width: picture.width, height: picture.height };
  const [found] = await readBarcodes(image as ImageData, OPTIONS);
  if (!found || !hasSize(found, picture)) return null;
  return { isValid: found.isValid && found.text !== '', text: found.text };
}

/** Bars stay where they are while the sensor's grain goes. */
function* withoutGrain(picture: Raster): Generator<Raster> {
  yield smoothed(picture, (from, to) => cv.medianBlur(from, to, 3));
  yield smoothed(picture, (from, to) => cv.GaussianBlur(from, to, new cv.Size(0, 0), 0.8));
  const large = resized(picture, picture.width * 2, picture.height * 2);
  yield smoothed(large, (from, to) => cv.GaussianBlur(from, to, new cv.Size(0, 0), 1.5));
}

function smoothed(picture: Raster, smooth: (from: Mat, to: Mat) => void): Raster {
  return scoped((keep) => {
    const type = picture.channels === 3 ? cv.CV_8UC3 : cv.CV_8UC1;
    const from = keep(cv.matFromArray(picture.height, picture.width, type, picture.data as never));
    const to = keep(new cv.Mat());
    smooth(from, to);
    return { ...picture, data: new Uint8Array(to.data) };
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
