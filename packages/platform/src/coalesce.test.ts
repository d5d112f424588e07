import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createCoalescer } from './coalesce.ts';

/** A coalescer whose calls the test completes. */
function controlled(maxKeys: number, maxRunning: number, isExpensive = false) {
  const calls: { keys: readonly number[]; end: (error?: Error) => void }[] = [];
  const { find } = createCoalescer<number, number>({
    maxKeys: () => maxKeys,
    maxRunning,
    isExpensive: () => isExpensive,
    load(keys) {
      const { promise, resolve, reject } = Promise.withResolvers<number[]>();
      const end = (error?: Error) => (error ? reject(error) : resolve(keys.map((key) => key * 10)));
      calls.push({ keys, end });
      return promise;
    },
  });
  return { find, calls };
}

test('lookups of one event loop turn share a call, and each receives its own value', async () => {
  const { find, calls } = controlled(10, 1);
  const found = Promise.all([find(1), find(2), find(3)]);
  await turn();
  expect(calls.map(({ keys }) => keys)).toEqual([[1, 2, 3]]);
  calls[0]!.end();
  expect(await found).toEqual([10, 20, 30]);
});

test('lookups wait while the maximum number of calls runs, and share the next one', async () => {
  const { find, calls } = controlled(10, 1);
  const first = find(1);
  await turn();
  const later = [find(2), find(3)];
  await turn();
  expect(calls).toHaveLength(1);
  calls[0]!.end();
  expect(await first).toBe(10);
  await turn();
  expect(calls.map(({ keys }) => keys)).toEqual([[1], [2, 3]]);
  calls[1]!.end();
  expect(await Promise.all(later)).toEqual([20, 30]);
});

test('a call has at most maxKeys keys, and further keys run in a concurrent call', async () => {
  const { find, calls } = controlled(2, 2);
  const found = Promise.all([1, 2, 3, 4, 5].map(find));
  await turn();
  expect(calls.map(({ keys }) => keys)).toEqual([
    [1, 2],
    [3, 4],
  ]);
  calls[1]!.end();
  await turn();
  expect(calls[2]!.keys).toEqual([5]);
  calls[0]!.end();
  calls[2]!.end();
  expect(await found).toEqual([10, 20, 30, 40, 50]);
});

test('a failure rejects only the lookups of its call', async () => {
  const { find, calls } = controlled(2, 1);
  const outcomes = Promise.allSettled([find(1), find(2), find(3)]);
  await turn();
  calls[0]!.end(new Error('lost'));
  await turn();
  calls[1]!.end();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

test('expensive values are resolved in separate turns of the event loop', async () => {
  const { find, calls } = controlled(10, 1, true);
  const order: string[] = [];
  const found = [1, 2, 3].map((key) => find(key).then((value) => order.push(`value ${value}`)));
  await turn();
  calls[0]!.end();
  await found[0];
  setImmediate(() => order.push('another turn'));
  await Promise.all(found);
  expect(order.indexOf('another turn')).toBeGreaterThan(order.indexOf('value 10'));
  expect(order.indexOf('another turn')).toBeLessThan(order.indexOf('value 30'));
});
