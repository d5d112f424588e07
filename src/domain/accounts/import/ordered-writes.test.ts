import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOrderedWrites } from './ordered-writes.ts';

type Item = { number: number; key: string | null };

/** Writes that the test completes. */
function heldWrites(concurrency: number) {
  const running = new Map<Item, { resolve: () => void; reject: (error: Error) => void }>();
  const started: number[] = [];
  const done: number[] = [];
  const writes = createOrderedWrites<Item>({
    concurrency,
    write: (item) => {
      started.push(item.number);
      return new Promise((resolve, reject) => running.set(item, { resolve, reject }));
    },
    done: (item) => void done.push(item.number),
  });
  const end = async (item: Item, error?: Error) => {
    const write = running.get(item)!;
    running.delete(item);
    if (error) write.reject(error);
    else write.resolve();
    await new Promise(setImmediate);
  };
  return { writes, running, started, done, end };
}

const items = (...keys: (string | null)[]): Item[] => keys.map((key, number) => ({ number, key }));

test('ordered writes run up to `concurrency` at once, one after another for each key, and complete in order', async () => {
  const { writes, started, done, end } = heldWrites(2);
  const all = items('a', 'a', 'b', 'c', null);
  for (const item of all) await writes.add(item, item.key);
  expect(started).toEqual([0, 2]);
  await end(all[2]!);
  expect(started).toEqual([0, 2, 3]);
  await end(all[3]!);
  expect(done).toEqual([]);
  await end(all[0]!);
  expect([started, done]).toEqual([[0, 2, 3, 1], [0]]);
  await end(all[1]!);
  await writes.settle();
  expect(done).toEqual([0, 1, 2, 3, 4]);
});

test('ordered writes keep order and concurrency limits for any keys and any order of completion', async () => {
  const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd', null), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(
      keys,
      fc.integer({ min: 1, max: 5 }),
      fc.infiniteStream(fc.nat()),
      async (given, most, picks) => {
        const { writes, running, started, done, end } = heldWrites(most);
        const all = items(...given);
        const adding = (async () => {
          for (const item of all) await writes.add(item, item.key);
        })();
        await new Promise(setImmediate);
        while (running.size > 0) {
          const open = [...running.keys()];
          expect(open.length).toBeLessThanOrEqual(most);
          expect(new Set(open.map((item) => item.key)).size).toBe(open.length);
          expect(done).toEqual(all.slice(0, done.length).map((item) => item.number));
          await end(open[picks.next().value! % open.length]!);
        }
        await adding;
        await writes.settle();
        expect(done).toHaveLength(all.length);
        for (const key of new Set(given)) {
          const ofKey = started.filter((number) => given[number] === key);
          expect(ofKey).toEqual([...ofKey].sort((one, other) => one - other));
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('after a failure no write starts, running ones end, and no failed or later item completes', async () => {
  const { writes, started, done, end } = heldWrites(3);
  const all = items('a', 'b', 'c', 'd');
  for (const item of all) await writes.add(item, item.key);
  await end(all[0]!);
  await end(all[1]!, new Error('away'));
  expect(started).toEqual([0, 1, 2, 3]);
  expect(await writes.add({ number: 4, key: 'e' }, 'e')).toBe(false);
  await end(all[2]!);
  await end(all[3]!);
  await expect(writes.settle()).rejects.toThrow('away');
  expect(done).toEqual([0]);
});
