import { describe, expect, it } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

describe('a rate limit', () => {
  it('rejects further requests with the seconds until the next period', async () => {
    const limit = createRateLimit(2);
    await limit.take('a');
    limit.check('a');
    await limit.take('a');
    const message = 'Too Many Requests: the limit is 2 per minute, retry after 60 seconds';
    expect(() => limit.check('a')).toThrow(message);
    await expect(limit.take('a')).rejects.toMatchObject({
      status: 429,
      message,
      retryAfterSeconds: 60,
      headers: { 'retry-after': '60' },
    });
    await limit.take('b');
  });

  it('can be consumed by counting without rejection', () => {
    const limit = createRateLimit(1);
    limit.check('a');
    limit.count('a');
    limit.count('a');
    expect(() => limit.check('a')).toThrow('Too Many Requests');
  });

  it('keeps the most recently used counters up to its limit', async () => {
    const limit = createRateLimit(1, 2);
    for (const key of ['a', 'b', 'c']) await limit.take(key);
    expect(() => limit.check('c')).toThrow('Too Many Requests');
    expect(() => limit.check('b')).toThrow('Too Many Requests');
    limit.check('a');
  });

  it('of 0 is disabled', async () => {
    const limit = createRateLimit(0);
    for (let count = 0; count < 10; count += 1) await limit.take('a');
    limit.check('a');
  });
});
