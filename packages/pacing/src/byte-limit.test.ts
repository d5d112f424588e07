import { expect, it } from 'vitest';
import { createByteLimit } from './byte-limit.ts';

it('a key that sends more bytes within a minute is refused with 413 and the time to wait', async () => {
  const limit = createByteLimit(100);
  await limit.take('one', 60);
  await limit.take('one', 40);
  await expect(limit.take('one', 1)).rejects.toMatchObject({
    status: 413,
    headers: { 'retry-after': expect.stringMatching(/^[1-9]\d?$/) },
    message: 'More than 100 bytes were sent from this address within a minute',
  });
  await limit.take('other', 100);
});

it('0 is no limit', async () => {
  await createByteLimit(0).take('one', 1e9);
});
