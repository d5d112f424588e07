import { expect, test } from 'vitest';
import { createKeyedMutex } from './keyed-mutex.ts';

test('jobs of one key run one after another in order, also after failures; other keys do not wait', async () => {
  const mutex = createKeyedMutex();
  const seen: string[] = [];
  const blocked = Promise.withResolvers<void>();
  const work = (name: string, until?: Promise<void>) => async () => {
    seen.push(`${name} begins`);
    await until;
    seen.push(`${name} ends`);
    if (name === 'first') throw new Error('failed');
    return name;
  };
  const first = mutex.runExclusive('a', work('first', blocked.promise));
  const second = mutex.runExclusive('a', work('second'));
  await expect(mutex.runExclusive('b', work('other'))).resolves.toBe('other');
  expect(seen).toEqual(['first begins', 'other begins', 'other ends']);
  blocked.resolve();
  await expect(first).rejects.toThrow('failed');
  await expect(second).resolves.toBe('second');
  expect(seen.slice(3)).toEqual(['first ends', 'second begins', 'second ends']);
});
