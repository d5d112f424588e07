import { createRequire } from 'node:module';
import type opencv from '@techstark/opencv-js';

/*
 * OpenCV is a program in WebAssembly with memory of its own: what it makes there stays until it is deleted.
 */

/**
 * The library. Before `opencvReady` has ended its functions do not exist yet. It is required, since whatever awaits an
 * import would meet its `then`, which never ends.
 */
export const cv = createRequire(import.meta.url)('@techstark/opencv-js') as typeof opencv;

type Deletable = { delete: () => void };

let started: Promise<void> | null = null;

/** Ends when the library can be used; it never resolves to the library itself. */
export function opencvReady(): Promise<void> {
  started ??= new Promise((resolve) => {
    if (typeof cv.Mat === 'function') resolve();
    else Object.assign(cv, { onRuntimeInitialized: () => resolve() });
  });
  return started;
}

/** Runs with a function that notes what is to be deleted at the end, however it ends. */
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
