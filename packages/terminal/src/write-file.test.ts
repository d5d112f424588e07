import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { writeCompleteFile } from './write-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouchgraph-file-'));
  return () => rm(folder, { recursive: true });
});

async function* texts(...parts: readonly string[]) {
  yield* parts;
}

it('writes a file with its mode, and leaves no other', async () => {
  await writeCompleteFile(join(folder, 'table.csv'), texts('a,', 'b\n'), { mode: 0o600 });
  expect(await readFile(join(folder, 'table.csv'), 'utf8')).toBe('a,b\n');
  expect((await stat(join(folder, 'table.csv'))).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['table.csv']);
});

it('rejects an existing file before it reads anything, and replaces it on request', async () => {
  const file = join(folder, 'table.csv');
  await writeFile(file, 'old');
  let reads = 0;
  const source = async function* () {
    reads += 1;
    yield 'new';
  };
  await expect(writeCompleteFile(file, source())).rejects.toThrow('exists already');
  expect([reads, await readFile(file, 'utf8')]).toEqual([0, 'old']);
  await writeCompleteFile(file, source(), { replace: true });
  expect(await readFile(file, 'utf8')).toBe('new');
});

it('leaves nothing when its source fails', async () => {
  const failing = async function* () {
    yield 'half';
    throw new Error('lost');
  };
  await expect(writeCompleteFile(join(folder, 'table.csv'), failing())).rejects.toThrow('lost');
  expect(await readdir(folder)).toEqual([]);
});

it('follows no link that lies where it writes, and takes no mode from a file there', async () => {
  const [file, part] = [join(folder, 'table.csv'), join(folder, `table.csv.${process.pid}.part`)];
  await writeFile(join(folder, 'target'), 'unchanged');
  await symlink(join(folder, 'target'), part);
  await writeCompleteFile(file, texts('a'), { mode: 0o600 });
  expect(await readFile(join(folder, 'target'), 'utf8')).toBe('unchanged');
  await writeFile(part, 'left', { mode: 0o644 });
  await writeCompleteFile(file, texts('b'), { mode: 0o600, replace: true });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('names a folder that does not exist', async () => {
  await expect(writeCompleteFile(join(folder, 'missing', 'table.csv'), texts('a'))).rejects.toThrow('ENOENT');
});
