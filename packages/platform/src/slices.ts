import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Returns a list whose items after the first `size` are promises that resolve in slices of `size`, each in a separate
 * iteration of the event loop, so that resolving a long list does not block other requests.
 */
export function inSlices<T>(items: readonly T[], size: number): (T | Promise<T>)[] {
  let turn: Promise<unknown> = Promise.resolve();
  return items.map((item, index) => {
    if (index < size) return item;
    if (index % size === 0) turn = turn.then(() => nextTurn());
    return turn.then(() => item);
  });
}

/** Maximum time for which `inTurns` blocks the event loop. */
const MAX_SLICE_MS = 5;

/** Maps a list one item after another, and yields to the event loop every 5 ms. */
export async function mapInSlices<T, Result>(
  items: readonly T[],
  map: (item: T, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let began = performance.now();
  for (const [index, item] of items.entries()) {
    results.push(map(item, index));
    if (performance.now() - began < MAX_SLICE_MS) continue;
    await nextTurn();
    began = performance.now();
  }
  return results;
}
