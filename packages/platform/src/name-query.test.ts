import { NOTFOUND, TIMEOUT } from 'node:dns';
import { expect, it } from 'vitest';
import { queryWithin } from './name-query.ts';

const LONG_MS = 600_000;
const failure = (code: string) => Object.assign(new Error(code), { code });

/** A query whose attempts end with these errors, and then with an answer. */
function ending(...codes: string[]) {
  let attempts = 0;
  const query = async () => {
    attempts += 1;
    const code = codes.shift();
    if (code !== undefined) throw failure(code);
    return 'answer';
  };
  return { query, attempts: () => attempts };
}

it('repeats attempts that time out before the limit', async () => {
  const { query, attempts } = ending(TIMEOUT, TIMEOUT);
  expect(await queryWithin(LONG_MS, query)).toBe('answer');
  expect(attempts()).toBe(3);
});

it('repeats no attempt after the limit, and no other error', async () => {
  const late = ending(TIMEOUT, TIMEOUT);
  await expect(queryWithin(0, late.query)).rejects.toThrow(TIMEOUT);
  expect(late.attempts()).toBe(1);
  const unknown = ending(TIMEOUT, NOTFOUND);
  await expect(queryWithin(LONG_MS, unknown.query)).rejects.toThrow(NOTFOUND);
  expect(unknown.attempts()).toBe(2);
});
