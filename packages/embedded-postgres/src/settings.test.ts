import { describe, expect, it } from 'vitest';
import { freeHugePages, serverArguments, sharedBuffersMb } from './settings.ts';

const GB = 2 ** 30;

describe('the page cache of the embedded PostgreSQL', () => {
  it.each([
    ['a small machine', 0, GB / 2, 128],
    ['a machine of 2 GB', 0, 2 * GB, 256],
    ['a large machine', 0, 64 * GB, 1024],
    ['a container of 4 GB on a large machine', 4 * GB, 64 * GB, 512],
    ['a machine with a very large limit as no limit', Number.MAX_SAFE_INTEGER, 2 * GB, 256],
  ])('on %s is an eighth of the memory within its bounds', (_what, limit, machine, megabytes) => {
    expect(sharedBuffersMb({ limit, machine, freeHugePages: 0 })).toBe(megabytes);
  });

  it.each([
    ['a quarter of the memory', 0, 24 * GB, 12 * GB, 6144],
    ['at most 8 GB', 0, 256 * GB, 64 * GB, 8192],
    ['what fits into them', 0, 24 * GB, 4 * GB, 3686],
    ['a quarter of the limit of a container', 8 * GB, 64 * GB, 32 * GB, 2048],
    ['an eighth without them when they are few', 0, 24 * GB, GB, 1024],
    ['an eighth without them on a small machine', 0, 2 * GB, 2 * GB, 256],
  ])('with huge pages is %s', (_what, limit, machine, free, megabytes) => {
    expect(sharedBuffersMb({ limit, machine, freeHugePages: free })).toBe(megabytes);
  });

  it('counts huge pages that nobody has reserved', () => {
    const text =
      'HugePages_Total:    5500\nHugePages_Free:     5085\nHugePages_Rsvd:     4895\nHugepagesize:       2048 kB\n';
    expect(freeHugePages(text)).toBe(190 * 2 * 2 ** 20);
    expect(freeHugePages('MemTotal:       24683648 kB\n')).toBe(0);
    expect(freeHugePages('')).toBe(0);
  });

  it('can be set by settings', () => {
    const args = serverArguments('/cluster', 1, { shared_buffers: '64MB' });
    expect(args.filter((arg) => arg.startsWith('shared_buffers='))).toEqual(['shared_buffers=64MB']);
  });
});
