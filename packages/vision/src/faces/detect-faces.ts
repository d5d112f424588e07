import * as faceApi from '@vladmandic/face-api/dist/face-api.node-wasm.js';
import type { RgbImage } from '../image-check.ts';
import { loadFaceNetworks, networkInput } from './face-networks.ts';
import { withTensor } from './tensor-engine.ts';

export type Box = { x: number; y: number; width: number; height: number };

export type DetectedFace = {
  box: Box;
  /** Confidence of the detector, 0 to 1. */
  score: number;
};

/** On the detector's own scale: clear faces score above 0.9, printed and shaded ones down to 0.5. */
const MIN_SCORE = 0.4;

/**
 * Faces that the SSD detector finds, the largest first. It is the second detector: it finds smaller faces than
 * BlazeFace, misses most faces that fill the image, and takes several times as long.
 */
export async function detectFaces(image: RgbImage): Promise<DetectedFace[]> {
  await loadFaceNetworks();
  return withTensor(image, async (tensor) => {
    const options = new faceApi.SsdMobilenetv1Options({ minConfidence: MIN_SCORE });
    const found = await faceApi.detectAllFaces(networkInput(tensor), options);
    return found
      .map(({ box: { x, y, width, height }, score }) => ({ box: { x, y, width, height }, score }))
      .sort((a, b) => b.box.width * b.box.height - a.box.width * a.box.height);
  });
}

/** Intersection as a share of the smaller box, 0 to 1. */
export function sharedArea(a: Box, b: Box): number {
  const shared = (p: number, pLength: number, q: number, qLength: number) =>
    Math.max(0, Math.min(p + pLength, q + qLength) - Math.max(p, q));
  const both = shared(a.x, a.width, b.x, b.width) * shared(a.y, a.height, b.y, b.height);
  return both / Math.min(a.width * a.height, b.width * b.height);
}
