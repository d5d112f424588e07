import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { prepareZXingModule, type ReaderOptions, type ReadResult, readBarcodes } from 'zxing-wasm/reader';
import type { SideReading } from '../../readings.ts';
import type { Raster } from './raster.ts';

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
const LEAST_PART = 0.1;

/** The PDF417 on one of these pictures, tried in turn; 'error' where one was found that could not be read. */
export async function readBarcode(pictures: Iterable<Raster>): Promise<SideReading['barcode']> {
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
    const image = { data: withOpacity(picture), width: picture.width, height: picture.height };
    const [found] = await readBarcodes(image as ImageData, OPTIONS);
    if (found?.isValid && found.text !== '') return { text: found.text };
    isSeen ||= found !== undefined && hasSize(found, picture);
  }
  return isSeen ? 'error' : null;
}

function hasSize({ position: { topLeft, bottomRight } }: ReadResult, { width, height }: Raster): boolean {
  const diagonal = Math.hypot(bottomRight.x - topLeft.x, bottomRight.y - topLeft.y);
  return diagonal > LEAST_PART * Math.max(width, height);
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
