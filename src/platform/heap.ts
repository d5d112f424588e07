import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Lets the old part of the heap grow by so many percent between two collections; holds from the next collection on. Rows of
 * an import outlive young collections, and their garbage waits for an old one: without a limit the heap of a long import
 * doubles before it is collected.
 */
export function limitHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/**
 * Keeps the young part of the heap as large as it is. V8 doubles it while much survives, up to 128 MB, and keeps what it
 * took: a start, which makes little garbage, takes 64 MB. The command line's `--max-semi-space-size` is read before any code.
 */
export function holdYoungGeneration(): void {
  growYoungGenerationBy(1);
}

/** Limits of the heap while the service is loaded, which makes little garbage. */
export function limitHeapWhileStarting(): void {
  limitHeapGrowth(20);
}

/**
 * Limits of the heap while requests are served. A collection of the old part marks 125 MB in a tenth of a second of processor time:
 * with a growth of 20 % there is one for each 150 authenticates, a seventh of what they cost.
 */
export function limitHeapWhileServing(): void {
  limitYoungGeneration(16);
  limitHeapGrowth(40);
}

/** Lets the young part grow once more, to so many MB, and holds it there. */
function limitYoungGeneration(megabytes: number): void {
  const factor = Math.floor(megabytes / youngGenerationMb());
  growYoungGenerationBy(Math.max(1, factor));
  if (factor <= 1) return;
  const observer = new PerformanceObserver(() => {
    if (youngGenerationMb() * 2 <= megabytes) return;
    holdYoungGeneration();
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

function growYoungGenerationBy(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/** Both halves, of which one is in use. */
function youngGenerationMb(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  return (space?.space_size ?? 0) / 1024 / 1024;
}

/** Collects the whole heap at once, which holds the event loop: for commands alone. */
export function collectHeap(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
