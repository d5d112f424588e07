import { describe, expect, it } from 'vitest';
import { type ConflictKeys, createBatches } from './change-batches.ts';

type Item = { readonly name: string } & Partial<ConflictKeys>;

/** Runs items that arrive together; returns the names in each batch, in the order of the batches. */
async function batchesOf(items: readonly Item[], concurrency = 4): Promise<string[][]> {
  const begun: string[][] = [];
  const running = new Set<string>();
  const add = createBatches<Item, string>({
    maxSize: 50,
    concurrency,
    keysOf: ({ inBatch = [], acrossBatches = [] }) => ({ inBatch, acrossBatches }),
    run: async (batch) => {
      begun.push(batch.map(({ name }) => name));
      const keys = new Set(
        batch.flatMap(({ inBatch = [], acrossBatches = [] }) => [...inBatch, ...acrossBatches]),
      );
      for (const key of keys) expect(running.has(key)).toBe(false);
      for (const key of keys) running.add(key);
      await new Promise(setImmediate);
      for (const key of keys) running.delete(key);
      return batch.map(({ name }) => name);
    },
  });
  expect(await Promise.all(items.map(add))).toEqual(items.map(({ name }) => name));
  return begun;
}

describe('batches of writes', () => {
  it('contain items that arrive together', async () => {
    expect(await batchesOf([{ name: 'a' }, { name: 'b' }, { name: 'c' }])).toEqual([['a', 'b', 'c']]);
  });

  it('with a common key run one after another', async () => {
    const [one, two, three] = [
      { name: 'a', inBatch: ['x'] },
      { name: 'b', inBatch: ['x'] },
      { name: 'c', inBatch: ['y'] },
    ];
    expect(await batchesOf([one, two, three])).toEqual([['a', 'c'], ['b']]);
  });

  it('contain items with a common key of acrossBatches together', async () => {
    const items = Array.from({ length: 60 }, (_, index) => ({ name: `${index}`, acrossBatches: ['x'] }));
    const batches = await batchesOf(items);
    expect(batches.map(({ length }) => length)).toEqual([50, 10]);
    expect(batches.flat()).toEqual(items.map(({ name }) => name));
  });
});
