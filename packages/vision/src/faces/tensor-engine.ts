import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import * as tf from '@tensorflow/tfjs';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import type { RgbImage } from '../image-check.ts';

const require = createRequire(import.meta.url);

const WASM_BINARY = '@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm.wasm';

let started: Promise<void> | undefined;

/** The one TensorFlow.js of this thread, on WebAssembly; both face packages share it. */
export function startTensorEngine(): Promise<void> {
  started ??= (async () => {
    setWasmPaths(`${dirname(require.resolve(WASM_BINARY))}/`);
    await tf.setBackend('wasm');
    await tf.ready();
  })();
  return started;
}

/** The folder of a package, for files that its `exports` do not list. */
export function packageFolder(name: string): string {
  const marker = `/node_modules/${name}/`;
  const entry = require.resolve(name).replaceAll('\\', '/');
  return entry.slice(0, entry.lastIndexOf(marker) + marker.length);
}

/** Passes the image as a tensor of height, width and 3. The tensor is disposed of after the call. */
export async function withTensor<Result>(
  { data, width, height }: RgbImage,
  use: (tensor: tf.Tensor3D) => Promise<Result>,
): Promise<Result> {
  await startTensorEngine();
  const tensor = tf.tensor3d(data, [height, width, 3], 'int32');
  try {
    return await use(tensor);
  } finally {
    tensor.dispose();
  }
}
