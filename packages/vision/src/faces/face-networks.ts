import { join } from 'node:path';
import type * as tf from '@tensorflow/tfjs';
import * as faceApi from '@vladmandic/face-api/dist/face-api.node-wasm.js';
import { packageFolder, startTensorEngine } from './tensor-engine.ts';

let loading: Promise<void> | undefined;

/** The networks that @vladmandic/face-api ships, loaded from its package once. */
export async function loadFaceNetworks(): Promise<typeof faceApi.nets> {
  loading ??= (async () => {
    await startTensorEngine();
    const folder = join(packageFolder('@vladmandic/face-api'), 'model');
    const { ssdMobilenetv1, faceLandmark68Net, faceRecognitionNet, ageGenderNet } = faceApi.nets;
    for (const network of [ssdMobilenetv1, faceLandmark68Net, faceRecognitionNet, ageGenderNet])
      await network.loadFromDisk(folder);
  })();
  await loading;
  return faceApi.nets;
}

/** Network input. The package's types name an older release of the same class, under several names. */
export function networkInput(tensor: tf.Tensor3D | tf.Tensor3D[]): never {
  return tensor as never;
}
