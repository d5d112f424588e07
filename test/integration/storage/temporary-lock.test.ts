import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { acquireFolderLock, type FolderLock } from '@vouchgraph/embedded-postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const take = () => acquireFolderLock(path.join(folder, 'lock-of-test'), () => {}, { isTemporary: true });

it('a temporary lock leaves no files and can be acquired again', async () => {
  for (let round = 0; round < 3; round++) {
    const lock = await take();
    expect(await readdir(folder)).toEqual(['lock-of-test']);
    await lock.remove();
    expect(await readdir(folder)).toEqual([]);
  }
});

it('concurrent processes hold a temporary lock one at a time', async () => {
  let held = 0;
  let most = 0;
  async function useOnce(): Promise<boolean> {
    const lock: FolderLock | null = await take().catch(() => null);
    if (lock === null) return false;
    held += 1;
    most = Math.max(most, held);
    await readdir(folder);
    held -= 1;
    await lock.remove();
    return true;
  }
  const used = await Promise.all(
    Array.from({ length: 12 }, async () => {
      let times = 0;
      for (let round = 0; round < 25; round++) if (await useOnce()) times += 1;
      return times;
    }),
  );
  expect(most).toBe(1);
  expect(used.reduce((sum, times) => sum + times, 0)).toBeGreaterThan(0);
  expect(await readdir(folder)).toEqual([]);
});

it('a temporary lock keeps other files of the folder', async () => {
  await mkdir(path.join(folder, 'lock-of-test', 'other'), { recursive: true });
  await (await take()).remove();
  expect(await readdir(path.join(folder, 'lock-of-test'))).toEqual(['other']);
});
