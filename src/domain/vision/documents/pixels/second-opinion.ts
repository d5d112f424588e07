import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { createWorker, OEM, PSM } from 'tesseract.js';
import type { Raster } from './raster.ts';

/*
 * Tesseract's older engine compares shapes where the newer one expects words, of which a machine readable zone has none.
 * It runs in a thread of its own that ends with the answer: it is asked about few documents.
 */

/** What a zone's rows read as by Tesseract; empty when it says nothing. */
export async function secondOpinion(band: Raster): Promise<string[]> {
  const { data, width, height, channels } = band;
  const picture = await sharp(data, { raw: { width, height, channels } })
    .extend({ top: 20, bottom: 20, left: 20, right: 20, extendWith: 'copy' })
    // Without a resolution it guesses one, and says so on the error stream.
    .withMetadata({ density: 300 })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const worker = await createWorker('eng', OEM.TESSERACT_ONLY, {
    legacyCore: true,
    legacyLang: true,
    cacheMethod: 'none',
    langPath: join(dirname(fileURLToPath(import.meta.resolve('@tesseract.js-data/eng'))), '4.0.0'),
    errorHandler: () => {},
  });
  try {
    await worker.setParameters({
      tessedit_char_whitelist: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<',
      tessedit_pageseg_mode: PSM.SINGLE_BLOCK,
    });
    const { data: read } = await worker.recognize(picture);
    return read.text
      .split('\n')
      .map((line) => line.replaceAll(/[^A-Z0-9<]/g, ''))
      .filter((line) => line.length >= 20);
  } finally {
    await worker.terminate();
  }
}
