import { describe, expect, it, vi } from 'vitest';
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

  it('have at most maxSize items, and one for an item that runs alone', async () => {
    const begun: string[][] = [];
    const add = createBatches<string, string>({
      maxSize: 2,
      concurrency: 1,
      aloneConcurrency: 2,
      keysOf: () => ({ inBatch: [], acrossBatches: [] }),
      isAlone: (name) => name.startsWith('alone'),
      run: async (items) => {
        begun.push([...items]);
        await new Promise(setImmediate);
        return items;
      },
    });
    await Promise.all(['a', 'alone-1', 'b', 'c', 'alone-2', 'alone-3'].map(add));
    expect(begun).toEqual([['alone-1'], ['alone-2'], ['a', 'b'], ['alone-3'], ['c']]);
  });

  it('start beside a running one once enough items wait, and otherwise after it', async () => {
    const begun: string[][] = [];
    const ends: (() => void)[] = [];
    const add = createBatches<string, string>({
      maxSize: 5,
      concurrency: 2,
      startsBesideFrom: 3,
      keysOf: (name) => ({ inBatch: name.startsWith('x') ? ['x'] : [], acrossBatches: [] }),
      run: async (items) => {
        begun.push([...items]);
        await new Promise<void>((resolve) => ends.push(resolve));
        return items;
      },
    });
    const turn = () => new Promise(setImmediate);
    const done = [add('x1')];
    await turn();
    done.push(add('a'), add('b'), add('x2'));
    await turn();
    expect(begun).toEqual([['x1']]);
    done.push(add('x3'));
    await turn();
    expect(begun).toEqual([['x1']]);
    done.push(add('c'));
    await turn();
    expect(begun).toEqual([['x1'], ['a', 'b', 'c']]);
    done.push(add('d'));
    for (let ended = 0; ended < ends.length; ended += 1) {
      ends[ended]!();
      await turn();
      await turn();
    }
    await Promise.all(done);
    expect(begun.slice(2)).toEqual([['x2', 'd'], ['x3']]);
  });

  it('start with the items that waited for another one, the first of them before the others', async () => {
    const begun: string[] = [];
    const add = createBatches<string, string>({
      maxSize: 1,
      concurrency: 1,
      keysOf: () => ({ inBatch: [], acrossBatches: [] }),
      isFirst: (name) => name.startsWith('again'),
      run: async (items) => {
        begun.push(...items);
        await new Promise(setImmediate);
        return items;
      },
    });
    await Promise.all(['a', 'again-1', 'b', 'again-2'].map(add));
    expect(begun).toEqual(['again-1', 'again-2', 'a', 'b']);
  });

  it('refuse an item that waits too long, and keep none waiting behind a slow batch', async () => {
    const held = Promise.withResolvers<void>();
    const add = createBatches<{ name: string; key: string; maxWaitMs: number | null }, string>({
      maxSize: 10,
      concurrency: 1,
      slowMs: 1,
      keysOf: ({ key }) => ({ inBatch: [key], acrossBatches: [] }),
      maxWaitOf: ({ maxWaitMs }) => maxWaitMs,
      lateError: (isBlocked) => new Error(isBlocked ? 'blocked' : 'late'),
      run: async (items) => {
        if (items.some(({ name }) => name === 'slow')) await held.promise;
        return items.map(({ name }) => name);
      },
    });
    const slow = add({ name: 'slow', key: 'x', maxWaitMs: null });
    const late = add({ name: 'late', key: 'x', maxWaitMs: 1 });
    await expect(late).rejects.toThrow('blocked');
    expect(await add({ name: 'other', key: 'y', maxWaitMs: null })).toBe('other');
    held.resolve();
    expect(await slow).toBe('slow');
    expect(await add({ name: 'next', key: 'x', maxWaitMs: 1 })).toBe('next');
  });

  it('are not counted when they are slow, up to a number', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const held = Promise.withResolvers<void>();
    const begun: string[] = [];
    const add = createBatches<string, string>({
      maxSize: 1,
      concurrency: 1,
      slowMs: 10,
      maxSlow: 2,
      keysOf: () => ({ inBatch: [], acrossBatches: [] }),
      run: async (items) => {
        begun.push(...items);
        await held.promise;
        return items;
      },
    });
    const all = Promise.all(['a', 'b', 'c', 'd'].map(add));
    const seen: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise(setImmediate);
      seen.push(begun.join(''));
      vi.advanceTimersByTime(10);
    }
    expect(seen).toEqual(['a', 'ab', 'abc', 'abc', 'abc']);
    held.resolve();
    expect(await all).toEqual(['a', 'b', 'c', 'd']);
    vi.useRealTimers();
  });

  it('that fail reject all their items, and do not keep their keys', async () => {
    let fails = true;
    const add = createBatches<string, string>({
      maxSize: 10,
      concurrency: 1,
      keysOf: (key) => ({ inBatch: [key], acrossBatches: [] }),
      run: async (items) => {
        if (fails) throw new Error('failed');
        return items;
      },
    });
    const settled = await Promise.allSettled([add('a'), add('b')]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await add('a')).toBe('a');
  });
});
