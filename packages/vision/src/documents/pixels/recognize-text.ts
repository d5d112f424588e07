import { Tensor } from 'onnxruntime-node';
import {
  type Alphabet,
  alphabetOf,
  decodeLine,
  isLatin,
  isMrzCharacter,
  withDigits,
} from './decode-characters.ts';
import { cornersOf, type TextBox } from './detect-text.ts';
import { recognitionAlphabet, recognitionModel } from './ocr-models.ts';
import { cv, scoped } from './opencv.ts';
import type { Quad, Raster } from './raster.ts';
import { withSpaces } from './word-gaps.ts';

/** Text of a line, and its text as a part of a machine readable zone. */
export type ReadLine = { box: TextBox; text: string; confidence: number; mrz: string; mrzConfidence: number };

/** Height and minimum width of the lines in the network's training, in pixels. */
const LINE_HEIGHT = 48;
const NARROWEST = 64;
/** Wider lines are scaled down: 44 characters of a machine readable zone take about 1,500. */
const WIDEST = 2400;
/** Maximum columns of pixels per run: longer lines are in smaller groups, so that memory stays bounded. */
const COLUMNS_AT_ONCE = 4000;

/** Maximum ratio of widths in a group, since padding costs time too. */
const MAX_WIDER = 1.25;

type Crop = { index: number; width: number; pixels: Uint8Array };

let alphabets: { latin: Alphabet; mrz: Alphabet } | null = null;

/** Reads the lines in these boxes, all upright; the order is kept. */
export async function recognizeText(image: Raster, boxes: readonly TextBox[]): Promise<ReadLine[]> {
  const crops = cropLines(image, boxes).toSorted((a, b) => a.width - b.width);
  const lines: ReadLine[] = new Array(boxes.length);
  for (const group of groups(crops)) await readGroup(group, boxes, lines);
  return lines;
}

/** Lines of similar width together, since all of a group are as wide as its widest. */
function groups(crops: readonly Crop[]): Crop[][] {
  const made: Crop[][] = [];
  let group: Crop[] = [];
  for (const crop of crops) {
    const isFull = (group.length + 1) * crop.width > COLUMNS_AT_ONCE;
    if (group.length > 0 && (isFull || crop.width > MAX_WIDER * group[0]!.width)) {
      made.push(group);
      group = [];
    }
    group.push(crop);
  }
  if (group.length > 0) made.push(group);
  return made;
}

async function readGroup(
  group: readonly Crop[],
  boxes: readonly TextBox[],
  lines: ReadLine[],
): Promise<void> {
  alphabets ??= {
    latin: alphabetOf(recognitionAlphabet(), isLatin),
    mrz: alphabetOf(recognitionAlphabet(), isMrzCharacter),
  };
  const model = await recognitionModel();
  const width = group.at(-1)!.width;
  const input = new Tensor('float32', batch(group, width), [group.length, 3, LINE_HEIGHT, width]);
  const answers = await model.run({ [model.inputNames[0]!]: input });
  const output = answers[model.outputNames[0]!]!;
  const [, columns, outputs] = output.dims as [number, number, number];
  const data = output.data as Float32Array;
  for (const [place, { index, width: own, pixels }] of group.entries()) {
    const offset = place * columns * outputs;
    const latin = decodeLine(data, offset, columns, outputs, alphabets.latin);
    const mrz = decodeLine(data, offset, columns, outputs, alphabets.mrz);
    const places = latin.columns.map((column) => ((column + 0.5) * width) / columns);
    // Fillers represent spaces in a machine readable zone.
    const text = latin.text.includes('<<')
      ? latin.text
      : withSpaces({ characters: latin.characters, places }, { pixels, width: own, height: LINE_HEIGHT });
    lines[index] = {
      box: boxes[index]!,
      text: withDigits(text.trim()),
      confidence: latin.confidence,
      mrz: mrz.text,
      mrzConfidence: mrz.confidence,
    };
  }
}

/** Planes of blue, green and red from -1 to 1, padded with 0 at the right of a narrower line. */
function batch(group: readonly Crop[], width: number): Float32Array {
  const size = LINE_HEIGHT * width;
  const out = new Float32Array(group.length * 3 * size);
  for (const [place, crop] of group.entries()) {
    for (let plane = 0; plane < 3; plane += 1) {
      const base = (place * 3 + plane) * size;
      for (let y = 0; y < LINE_HEIGHT; y += 1) {
        for (let x = 0, from = y * crop.width * 3 + 2 - plane; x < crop.width; x += 1, from += 3) {
          out[base + y * width + x] = crop.pixels[from]! / 127.5 - 1;
        }
      }
    }
  }
  return out;
}

function cropLines(image: Raster, boxes: readonly TextBox[]): Crop[] {
  return scoped((keep) => {
    const source = keep(cv.matFromArray(image.height, image.width, cv.CV_8UC3, image.data as never));
    return boxes.map((box, index) => {
      const natural = Math.round((LINE_HEIGHT * box.width) / Math.max(1, box.height));
      const width = Math.min(WIDEST, Math.max(NARROWEST, natural));
      return { index, width, pixels: cropOne(source, cornersOf(box), width) };
    });
  });
}

function cropOne(source: InstanceType<typeof cv.Mat>, [a, b, , d]: Quad, width: number): Uint8Array {
  return scoped((keep) => {
    const from = keep(cv.matFromArray(3, 1, cv.CV_32FC2, [a.x, a.y, b.x, b.y, d.x, d.y]));
    const to = keep(cv.matFromArray(3, 1, cv.CV_32FC2, [0, 0, width, 0, 0, LINE_HEIGHT]));
    const transform = keep(cv.getAffineTransform(from, to));
    const out = keep(new cv.Mat());
    const size = new cv.Size(width, LINE_HEIGHT);
    cv.warpAffine(source, out, transform, size, cv.INTER_LINEAR, cv.BORDER_REPLICATE, new cv.Scalar());
    return new Uint8Array(out.data);
  });
}
