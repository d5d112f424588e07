import { describe, expect, it } from 'vitest';
import { createFairSemaphore, SemaphoreFullError } from './fair-semaphore.ts';

const OPTIONS = { size: 3, sizePerKey: 2, maxWaitingPerKey: 2, maxWaitMs: 60_000 };

/** Work that runs until it is released. */
function createWork() {
  const started: string[] = [];
  const releases = new Map<string, () => void>();
  return {
    started,
    start: (name: string) => () => {
      started.push(name);
      return new Promise<string>((resolve) => releases.set(name, () => resolve(name)));
    },
    async finish(name: string) {
      releases.get(name)!();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('createFairSemaphore', () => {
  it('runs a limited number of pieces at once, in all and of each key', async () => {
    const run = createFairSemaphore(OPTIONS);
    const { started, start, finish } = createWork();
    const all = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => run(name[0]!, start(name)));
    expect(started).toEqual(['a1', 'a2', 'b1']);
    await finish('a1');
    expect(started).toHaveLength(4);
    for (const name of ['a2', 'b1', 'a3', 'b2']) await finish(name);
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
  });

  it('gives a free place to the key that waits longest for a turn', async () => {
    const run = createFairSemaphore({ ...OPTIONS, size: 1 });
    const { started, start, finish } = createWork();
    const all = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => run(name[0]!, start(name)));
    for (const name of ['a1', 'a2', 'b1', 'a3', 'b2']) {
      expect(started.at(-1)).toBe(name);
      await finish(name);
    }
    await Promise.all(all);
  });

  it('refuses work beyond those that may wait, and work that waited too long', async () => {
    const run = createFairSemaphore({ ...OPTIONS, sizePerKey: 1, maxWaitMs: 1 });
    const { start, finish } = createWork();
    const first = run('a', start('a1'));
    const waiting = [run('a', start('a2')), run('a', start('a3'))];
    await expect(run('a', start('a4'))).rejects.toBeInstanceOf(SemaphoreFullError);
    for (const one of waiting) await expect(one).rejects.toBeInstanceOf(SemaphoreFullError);
    await finish('a1');
    await first;
    const next = run('a', start('a5'));
    await finish('a5');
    expect(await next).toBe('a5');
  });

  it('gives the place of failed work to the next', async () => {
    const run = createFairSemaphore({ ...OPTIONS, size: 1 });
    await expect(run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await run('a', () => Promise.resolve('next'))).toBe('next');
  });
});
