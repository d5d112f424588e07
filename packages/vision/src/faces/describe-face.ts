import * as tf from '@tensorflow/tfjs';
import * as faceApi from '@vladmandic/face-api/dist/face-api.node-wasm.js';
import type { RgbImage } from '../image-check.ts';
import { CHIP_SIZE, chipSquare, mirrored } from './align-face.ts';
import { unitLength } from './face-distance.ts';
import { loadFaceNetworks, networkInput } from './face-networks.ts';
import type { Point } from './homography.ts';
import { fromSquare, type Square, sampleSquare } from './sample-image.ts';
import { withTensor } from './tensor-engine.ts';

export type DescribedFace = {
  descriptor: Float32Array;
  ageYears: number;
};

/** Pixels of a side of the landmark network's input. */
const LANDMARK_SIZE = 112;
/** Samples along each side of a chip's pixel at most, where the face is larger than the chip. */
const MAX_TAPS = 8;
/** Pixel values as they are: the networks subtract the mean of their training images themselves. */
const AS_IS = { scale: 1, shift: 0 };
/** Padding around the landmarks in the age network's input, as a share of their width and height. */
const AGE_PADDING = 0.2;

/** Descriptor and age of the face in the square. */
export async function describeFace(image: RgbImage, square: Square): Promise<DescribedFace> {
  const landmarks = await findLandmarks(image, square);
  const descriptor = await describeAligned(image, chipSquare(landmarks) ?? square);
  return { descriptor, ageYears: await estimateAge(image, landmarks) };
}

/** Only the descriptor of the face in the square. */
export async function faceDescriptor(image: RgbImage, square: Square): Promise<Float32Array> {
  return describeAligned(image, chipSquare(await findLandmarks(image, square)) ?? square);
}

/** The 68 landmarks in pixels of the image. */
async function findLandmarks(image: RgbImage, square: Square): Promise<Point[]> {
  const { faceLandmark68Net } = await loadFaceNetworks();
  const pixels = sampleSquare(image, square, LANDMARK_SIZE, AS_IS, MAX_TAPS);
  const chip = tf.tensor3d(pixels, [LANDMARK_SIZE, LANDMARK_SIZE, 3]);
  try {
    const found = (await faceLandmark68Net.detectLandmarks(networkInput(chip))) as faceApi.FaceLandmarks68;
    return found.positions.map(({ x, y }) => fromSquare(square, x / LANDMARK_SIZE, y / LANDMARK_SIZE));
  } finally {
    chip.dispose();
  }
}

/**
 * The mean of the descriptors of the chip and of its mirror image, scaled to length 1. Light and pose from one side have
 * less effect on the mean. Groups whose faces are similar have shorter descriptors, so that without the scaling one
 * distance means different error rates for them. Both lower missed matches at equal false matches.
 */
async function describeAligned(image: RgbImage, square: Square): Promise<Float32Array> {
  const { faceRecognitionNet } = await loadFaceNetworks();
  const pixels = sampleSquare(image, square, CHIP_SIZE, AS_IS, MAX_TAPS);
  const chips = [pixels, mirrored(pixels, CHIP_SIZE)].map((chip) =>
    tf.tensor3d(chip, [CHIP_SIZE, CHIP_SIZE, 3]),
  );
  try {
    const [plain, mirror] = (await faceRecognitionNet.computeFaceDescriptor(
      networkInput(chips),
    )) as Float32Array[];
    return unitLength(plain!.map((value, index) => value + mirror![index]!));
  } finally {
    for (const chip of chips) chip.dispose();
  }
}

async function estimateAge(image: RgbImage, landmarks: readonly Point[]): Promise<number> {
  const { ageGenderNet } = await loadFaceNetworks();
  const [xs, ys] = [landmarks.map(([x]) => x), landmarks.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const box = new faceApi.Rect(left, top, width, height).pad(AGE_PADDING * width, AGE_PADDING * height);
  return withTensor(image, async (tensor) => {
    const [chip] = await faceApi.extractFaceTensors(networkInput(tensor), [box]);
    try {
      const { age } = (await ageGenderNet.predictAgeAndGender(chip!)) as faceApi.AgeAndGenderPrediction;
      return age;
    } finally {
      chip!.dispose();
    }
  });
}
