import { expect, test } from 'vitest';
import { createKeyedMutex } from './keyed-mutex.ts';

test('work of one key goes one after the other, in order, whatever fails; other keys do not wait', async () => {
  const mutex = createKeyedMutex();
  const seen: string[] = [];
  const held = Promise.withResolvers<void>();
  const work = (name: string, until?: Promise<void>) => async () => {
    seen.push(`${name} begins`);
    await until;
    seen.push(`${name} ends`);
    if (name === 'first') throw new Error('failed');
    return name;
  };
  const first = mutex.runExclusive('a', work('first', held.promise));
  const second = mutex.runExclusive('a', work('second'));
  await expect(mutex.runExclusive('b', work('other'))).resolves.toBe('other');
  expect(seen).toEqual(['first begins', 'other begins', 'other ends']);
  held.resolve();
  await expect(first).rejects.toThrow('failed');
  await expect(second).resolves.toBe('second');
  expect(seen.slice(3)).toEqual(['first ends', 'second begins', 'second ends']);
});
