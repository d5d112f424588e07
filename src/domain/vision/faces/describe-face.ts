import { join } from 'node:path';
import type * as tf from '@tensorflow/tfjs';
import * as faceApi from '@vladmandic/face-api/dist/face-api.node-wasm.js';
import type { RgbImage } from '../image-check.ts';
import { packageFolder, startTensorEngine, withTensor } from './tensor-engine.ts';

export type Box = { x: number; y: number; width: number; height: number };

export type DetectedFace = {
  box: Box;
  /** How sure the detector is, 0 to 1. */
  score: number;
};

export type DescribedFace = {
  descriptor: Float32Array;
  ageYears: number;
};

/** The detector's own scale: a sure face scores above 0.9; printed and shaded ones go down to 0.5. */
const LEAST_SCORE = 0.4;

let loading: Promise<void> | undefined;

/** Every face that the detector finds, the largest first. */
export async function detectFaces(image: RgbImage): Promise<DetectedFace[]> {
  await loadNetworks();
  return withTensor(image, async (picture) => {
    const options = new faceApi.SsdMobilenetv1Options({ minConfidence: LEAST_SCORE });
    const found = await faceApi.detectAllFaces(input(picture), options);
    return found
      .map(({ box: { x, y, width, height }, score }) => ({ box: { x, y, width, height }, score }))
      .sort((a, b) => b.box.width * b.box.height - a.box.width * a.box.height);
  });
}

/** The descriptors and ages of the faces in the boxes; landmarks are found first and the face is aligned by them. */
export async function describeFace(image: RgbImage, box: Box): Promise<DescribedFace> {
  await loadNetworks();
  return withTensor(image, async (picture) => {
    const aligned = await alignedBox(picture, image, box);
    const [chip] = await faceApi.extractFaceTensors(input(picture), [aligned]);
    try {
      const descriptor = (await faceApi.computeFaceDescriptor(chip!)) as Float32Array;
      const { age } = (await faceApi.nets.ageGenderNet.predictAgeAndGender(
        chip!,
      )) as faceApi.AgeAndGenderPrediction;
      return { descriptor: Float32Array.from(descriptor), ageYears: age };
    } finally {
      chip!.dispose();
    }
  });
}

async function alignedBox(picture: tf.Tensor3D, image: RgbImage, box: Box): Promise<faceApi.Box> {
  const relative = new faceApi.Rect(
    box.x / image.width,
    box.y / image.height,
    box.width / image.width,
    box.height / image.height,
  );
  const detection = new faceApi.FaceDetection(1, relative, image);
  const [chip] = await faceApi.extractFaceTensors(input(picture), [detection]);
  try {
    const landmarks = (await faceApi.nets.faceLandmark68Net.detectLandmarks(
      chip!,
    )) as faceApi.FaceLandmarks68;
    return faceApi.extendWithFaceLandmarks({ detection }, landmarks).alignedRect.box;
  } finally {
    chip!.dispose();
  }
}

function loadNetworks(): Promise<void> {
  loading ??= (async () => {
    await startTensorEngine();
    const folder = join(packageFolder('@vladmandic/face-api'), 'model');
    const { ssdMobilenetv1, faceLandmark68Net, faceRecognitionNet, ageGenderNet } = faceApi.nets;
    for (const network of [ssdMobilenetv1, faceLandmark68Net, faceRecognitionNet, ageGenderNet])
      await network.loadFromDisk(folder);
  })();
  return loading;
}

/** The package's types name an older release of the same class, under several names. */
function input(picture: tf.Tensor3D): never {
  return picture as never;
}
