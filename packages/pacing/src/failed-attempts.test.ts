import { AppError } from '@vouchgraph/platform/errors';
import { describe, expect, it } from 'vitest';
import { createFailedAttempts } from './failed-attempts.ts';
import { createRateLimit } from './rate-limit.ts';

const rejects = async () => {
  throw new AppError('key.unknown', 'unauthenticated', 'Unknown key');
};
const LIMITED = { status: 429 };

describe('failed look-ups of an address', () => {
  it('are refused above the limit without a look-up, and those of other addresses are not', async () => {
    const attempts = createFailedAttempts(createRateLimit(2));
    for (const key of ['a', 'b'])
      await expect(attempts.guard('192.0.2.1', key, rejects)).rejects.toThrow('Unknown key');
    let lookUps = 0;
    const find = async () => ++lookUps;
    await expect(attempts.guard('192.0.2.1', 'c', find)).rejects.toMatchObject(LIMITED);
    expect(lookUps).toBe(0);
    expect(await attempts.guard('192.0.2.2', 'c', find)).toBe(1);
  });

  it('are counted before they end, so that concurrent ones do not exceed the limit', async () => {
    const attempts = createFailedAttempts(createRateLimit(2));
    const results = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((key) => attempts.guard('192.0.2.1', key, rejects)),
    );
    const limited = results.filter((one) => one.status === 'rejected' && one.reason.status === 429);
    expect(limited).toHaveLength(2);
  });

  it('do not lock out a credential that was valid before, until it is revoked', async () => {
    const attempts = createFailedAttempts(createRateLimit(1));
    expect(await attempts.guard('192.0.2.1', 'valid', async () => 'viewer')).toBe('viewer');
    await expect(attempts.guard('192.0.2.1', 'wrong', rejects)).rejects.toThrow('Unknown key');
    expect(await attempts.guard('192.0.2.1', 'valid', async () => 'viewer')).toBe('viewer');
    await expect(attempts.guard('192.0.2.1', 'valid', rejects)).rejects.toThrow('Unknown key');
    await expect(attempts.guard('192.0.2.1', 'valid', rejects)).rejects.toMatchObject(LIMITED);
  });

  it('count neither successes, other errors nor requests without a credential', async () => {
    const attempts = createFailedAttempts(createRateLimit(1));
    for (let turn = 0; turn < 3; turn++) {
      await attempts.guard('192.0.2.1', `valid ${turn}`, async () => 1);
      await expect(
        attempts.guard('192.0.2.1', `lost ${turn}`, () => Promise.reject(new Error('no database'))),
      ).rejects.toThrow('no database');
      await expect(attempts.guard('192.0.2.1', '', rejects)).rejects.toThrow('Unknown key');
    }
    await expect(attempts.guard('192.0.2.1', 'wrong', rejects)).rejects.toThrow('Unknown key');
  });
});
