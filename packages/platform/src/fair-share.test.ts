import { expect, it } from 'vitest';
import { createFairShare } from './fair-share.ts';

/** Acquires slots and records the keys in order. */
function setUp(size: number, reserve: number, maxWaitMs = 60_000) {
  const share = createFairShare({ size, reserve, maxWaitMs });
  const granted: string[] = [];
  const take = async (key: string) => {
    await share.acquire(key);
    granted.push(key);
  };
  /** Promises that are settled have run. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { share, granted, take, settle };
}

it('grants one key all slots except the reserve, and the reserve to keys without a slot', async () => {
  const { granted, take, settle } = setUp(4, 2);
  for (const key of ['a', 'a', 'a', 'b', 'b', 'c', 'd']) void take(key);
  await settle();
  expect(granted).toEqual(['a', 'a', 'b', 'c']);
});

it('grants a released slot to the waiting key with the fewest slots, in turn on a tie', async () => {
  const { share, granted, take, settle } = setUp(3, 0);
  for (const key of ['a', 'a', 'b', 'a', 'a', 'b', 'c']) void take(key);
  await settle();
  expect(granted.splice(0)).toEqual(['a', 'a', 'b']);
  for (const key of ['a', 'a', 'b', 'c']) {
    share.release(key);
    await settle();
  }
  expect(granted).toEqual(['c', 'a', 'b', 'a']);
});

it('rejects a wait that is too long without losing a slot', async () => {
  const { share, granted, take, settle } = setUp(1, 0, 1);
  await take('a');
  await expect(share.acquire('b')).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 1 });
  share.release('a');
  await take('b');
  await settle();
  expect(granted).toEqual(['a', 'b']);
});
