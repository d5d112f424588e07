import { createRequire } from 'node:module';
import type opencv from '@techstark/opencv-js';

/*
 * OpenCV is a WebAssembly program with its own memory. Its objects must be deleted explicitly.
 */

/**
 * The library. Its functions do not exist before `opencvReady` resolves. Loaded by `require`, since awaiting an import would
 * call its `then`, which never resolves.
 */
export const cv = createRequire(import.meta.url)('@techstark/opencv-js') as typeof opencv;

type Deletable = { delete: () => void };

let started: Promise<void> | null = null;

/** Resolves when the library can be used, but not to the library itself. */
export function opencvReady(): Promise<void> {
  started ??= new Promise((resolve) => {
    if (typeof cv.Mat === 'function') resolve();
    else Object.assign(cv, { onRuntimeInitialized: () => resolve() });
  });
  return started;
}

/** Runs work with a function that registers objects, which are deleted at the end in any case. */
export function scoped<T>(run: (keep: <M extends Deletable>(made: M) => M) => T): T {
  const made: Deletable[] = [];
  try {
    return run((one) => {
      made.push(one);
      return one;
    });
  } finally {
    for (const one of made.reverse()) one.delete();
  }
}
