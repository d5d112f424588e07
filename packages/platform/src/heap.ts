import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Limits the growth of the old generation between two collections, in percent, from the next collection on. Rows of an import
 * survive young collections and become garbage of the old generation: without a limit the heap of a long import doubles before
 * it is collected.
 */
export function limitHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/**
 * Keeps the young generation from growing. V8 doubles it while many objects survive, up to 128 MB: a start, which produces little
 * garbage, uses 64 MB. `--max-semi-space-size` cannot be set after the start of the process.
 */
export function holdYoungGeneration(): void {
  growYoungGenerationBy(1);
}

/** Limits of the heap while the service starts, which produces little garbage. */
export function limitHeapWhileStarting(): void {
  limitHeapGrowth(20);
}

/**
 * Limits of the heap while requests are served. A collection of the old generation marks 125 MB in 0.1 s of processor time: with a
 * growth of 20 % there is one per 150 authenticates, which adds a seventh to their cost. Helper threads of young collections cost
 * processor time and do not shorten them.
 */
export function limitHeapWhileServing(): void {
  limitYoungGeneration(16);
  limitHeapGrowth(40);
  setFlagsFromString('--no-parallel-scavenge');
}

/**
 * Lets the young generation grow up to `megabytes`. V8 shrinks it to 2 MB when the process is idle, so it may grow again at any
 * time: with 2 MB, collections take a quarter of the processor time of an authenticate.
 */
function limitYoungGeneration(megabytes: number): void {
  const limit = () => growYoungGenerationBy(youngGenerationMb() * 2 <= megabytes ? 2 : 1);
  limit();
  new PerformanceObserver(limit).observe({ entryTypes: ['gc'] });
}

function growYoungGenerationBy(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/** Size of both semi-spaces, of which one is in use. */
function youngGenerationMb(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return (space?.space_size ?? 0) / 1024 / 1024;
}

/** Runs a full collection, which blocks the event loop: for commands only. */
export function collectHeap(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
