import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * A list whose items after the first `size` arrive `size` at a time, each slice in a turn of the event loop of its own:
 * what is made of a long list then does not keep other requests waiting.
 */
export function inSlices<T>(items: readonly T[], size: number): (T | Promise<T>)[] {
  let turn: Promise<unknown> = Promise.resolve();
  return items.map((item, index) => {
    if (index < size) return item;
    if (index % size === 0) turn = turn.then(() => nextTurn());
    return turn.then(() => item);
  });
}

/** Longest time for which `inTurns` keeps the event loop. */
const MAX_TURN_MS = 5;

/** Maps a list one item after another, and lets others have the event loop whenever 5 ms have passed. */
export async function inTurns<T, Result>(
  items: readonly T[],
  map: (item: T, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let began = performance.now();
  for (const [index, item] of items.entries()) {
    results.push(map(item, index));
    if (performance.now() - began < MAX_TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
  return results;
}
