import * as tf from '@tensorflow/tfjs';
import type { RgbImage } from '../image-check.ts';
import { loadGraph } from './load-graph.ts';
import { fromSquare, type Square, sampleSquare } from './sample-image.ts';

/** A face as BlazeFace sees it. */
export type FoundFace = {
  /** Around the face with room for chin and forehead, turned so that the eyes are level. */
  square: Square;
  /** How sure the detector is, 0 to 1. */
  score: number;
};

/** Pixels of a side of the network's input. */
const SIZE = 256;
/** One row of output: a logit, middle and size of a box, six points. */
const ROW = 17;
const MIN_SCORE = 0.5;
/** Boxes that share more than this part of their area are the same face. */
const MAX_OVERLAP = 0.3;
/** Side of the square by the side of the detector's box, which ends at the eyebrows. */
const ENLARGED = 1.5;
const ANCHORS = makeAnchors();

type Candidate = { x: number; y: number; side: number; angle: number; score: number };

/** Every face in the image, the largest first; faces smaller than about a fifteenth of the image are not seen. */
export async function findFaces(image: RgbImage): Promise<FoundFace[]> {
  const graph = await loadGraph('blazeface');
  // The whole image in a square, so that faces keep their proportions.
  const whole = {
    x: image.width / 2,
    y: image.height / 2,
    side: Math.max(image.width, image.height),
    angle: 0,
  };
  const pixels = sampleSquare(image, whole, SIZE, { scale: 1 / 127.5, shift: -1 });
  const rows = tf.tidy(() => {
    const outputs = [graph.execute(tf.tensor4d(pixels, [1, SIZE, SIZE, 3]))].flat() as tf.Tensor[];
    return inAnchorOrder(outputs).dataSync() as Float32Array;
  });
  return withoutRepeats(readCandidates(rows))
    .map(({ score, ...found }) => ({ square: toImage(whole, found), score }))
    .sort((a, b) => b.square.side - a.square.side);
}

/** The network returns logits and boxes of two grids separately: 512 rows of the finer, 384 of the coarser. */
function inAnchorOrder(outputs: readonly tf.Tensor[]): tf.Tensor {
  const rows = (count: number) => {
    const ofGrid = outputs.filter((output) => output.shape[1] === count).sort((a, b) => a.size - b.size);
    return tf.concat(ofGrid, 2);
  };
  return tf.concat([rows(512), rows(384)], 1);
}

function readCandidates(rows: Float32Array): Candidate[] {
  return ANCHORS.flatMap(([x, y], index) => {
    const row = rows.subarray(index * ROW, (index + 1) * ROW);
    const score = 1 / (1 + Math.exp(-row[0]!));
    if (!(score >= MIN_SCORE)) return [];
    // The first two points are the eyes.
    const angle = Math.atan2(row[8]! - row[6]!, row[7]! - row[5]!);
    return [{ x: x + row[1]!, y: y + row[2]!, side: Math.max(row[3]!, row[4]!), angle, score }];
  });
}

/** Of boxes of the same face the surest one stays. */
function withoutRepeats(candidates: readonly Candidate[]): Candidate[] {
  const kept: Candidate[] = [];
  for (const candidate of candidates.toSorted((a, b) => b.score - a.score))
    if (kept.every((other) => overlap(candidate, other) <= MAX_OVERLAP)) kept.push(candidate);
  return kept;
}

/** Shared area by joint area. */
function overlap(a: Candidate, b: Candidate): number {
  const shared = (p: number, q: number) =>
    Math.max(0, Math.min(p + a.side / 2, q + b.side / 2) - Math.max(p - a.side / 2, q - b.side / 2));
  const both = shared(a.x, b.x) * shared(a.y, b.y);
  return both / (a.side ** 2 + b.side ** 2 - both);
}

function toImage(whole: Square, { x, y, side, angle }: Square): Square {
  const [px, py] = fromSquare(whole, x / SIZE, y / SIZE);
  return { x: px, y: py, side: (ENLARGED * side * whole.side) / SIZE, angle };
}

/** Centers of the cells of the output rows: two in each of 16 by 16, six in each of 8 by 8. */
function makeAnchors(): [x: number, y: number][] {
  return [
    { cells: 16, each: 2 },
    { cells: 8, each: 6 },
  ].flatMap(({ cells, each }) =>
    Array.from({ length: cells * cells * each }, (_, index): [number, number] => {
      const cell = Math.floor(index / each);
      const pixels = SIZE / cells;
      return [((cell % cells) + 0.5) * pixels, (Math.floor(cell / cells) + 0.5) * pixels];
    }),
  );
}
