import { describe, expect, it } from 'vitest';
import { serverArguments, sharedBuffersMb } from './settings.ts';

const GB = 2 ** 30;

describe('the page cache of the embedded PostgreSQL', () => {
  it.each([
    ['a small machine', 0, GB / 2, 128],
    ['a machine of 2 GB', 0, 2 * GB, 256],
    ['a large machine', 0, 64 * GB, 1024],
    ['a container of 4 GB on a large machine', 4 * GB, 64 * GB, 512],
    ['a machine with a very large limit as no limit', Number.MAX_SAFE_INTEGER, 2 * GB, 256],
  ])('on %s is an eighth of the memory within its bounds', (_what, limit, machine, megabytes) => {
    expect(sharedBuffersMb(limit, machine)).toBe(megabytes);
  });

  it('can be set by settings', () => {
    const args = serverArguments('/cluster', 1, { shared_buffers: '64MB' });
    expect(args.filter((arg) => arg.startsWith('shared_buffers='))).toEqual(['shared_buffers=64MB']);
  });
});
