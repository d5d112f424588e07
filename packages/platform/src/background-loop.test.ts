import { expect, it } from 'vitest';
import { startBackgroundLoop } from './background-loop.ts';

it('runs again for a wake during a run that fails', async () => {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const errors: unknown[] = [];
  let runs = 0;
  const loop = startBackgroundLoop({
    everyMs: 1,
    isAutomatic: false,
    onError: (error) => errors.push(error),
    work: async () => {
      runs += 1;
      if (runs === 2) return second.resolve();
      await first.promise;
    },
  });
  loop.wake();
  loop.wake();
  first.reject(new Error('the first run fails'));
  await second.promise;
  await loop.close();
  expect([runs, errors]).toEqual([2, [new Error('the first run fails')]]);
});

it('reports a failed run, and starts none after the close', async () => {
  const errors: unknown[] = [];
  const loop = startBackgroundLoop({
    everyMs: 1,
    isAutomatic: false,
    onError: (error) => errors.push(error),
    work: async () => {
      throw new Error('a run fails');
    },
  });
  await loop.run();
  await loop.close();
  await loop.run();
  loop.wake();
  expect(errors).toEqual([new Error('a run fails')]);
});
