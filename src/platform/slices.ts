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
