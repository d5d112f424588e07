import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Lets the old part of the heap grow by so many percent between two collections; holds from the next collection on. Rows of
 * an import outlive young collections, and their garbage waits for an old one: without a limit the heap of a long import
 * doubles before it is collected.
 */
export function limitHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/** Collects the whole heap at once, which holds the event loop: for commands alone. */
export function collectHeap(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
