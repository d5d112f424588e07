import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

test('work of one key goes one after the other, in order, whatever fails; other keys do not wait', async () => {
  const turns = createTurns();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const work = (name: string, until?: Promise<void>) => async () => {
    seen.push(`${name} begins`);
    await until;
    seen.push(`${name} ends`);
    if (name === 'first') throw new Error('failed');
    return name;
  };
  const first = turns.take('a', work('first', gate.promise));
  const second = turns.take('a', work('second'));
  await expect(turns.take('b', work('other'))).resolves.toBe('other');
  expect(seen).toEqual(['first begins', 'other begins', 'other ends']);
  gate.resolve();
  await expect(first).rejects.toThrow('failed');
  await expect(second).resolves.toBe('second');
  expect(seen.slice(3)).toEqual(['first ends', 'second begins', 'second ends']);
});
