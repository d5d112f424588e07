import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { link, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { OperatorError } from '@vouchgraph/platform/errors';

/**
 * Writes a file, which gets its name once it is complete. Nothing is read from `texts` before the file is open, nor if a
 * file of this name exists and is not to be replaced.
 */
export async function writeCompleteFile(
  file: string,
  texts: AsyncIterable<string | Uint8Array>,
  { mode, replace = false }: { mode?: number; replace?: boolean } = {},
): Promise<void> {
  const unfinished = `${file}.${process.pid}.part`;
  try {
    const existing = await stat(file).catch(() => null);
    if (existing && !existing.isDirectory() && !replace) throw existsAlready(file);
    // What an earlier process of this id left has other permissions, or is a link.
    await rm(unfinished, { force: true });
    const stream = createWriteStream(unfinished, { flags: 'wx', mode, flush: true });
    try {
      await once(stream, 'open');
      await pipeline(texts, stream);
    } finally {
      stream.destroy();
    }
    await (replace ? rename(unfinished, file) : renameToNew(unfinished, file));
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new OperatorError(`${file} cannot be written: ${code}`);
  }
}

/** Renames a file, unless another process has created one of this name meanwhile: a link replaces no file. */
async function renameToNew(unfinished: string, file: string): Promise<void> {
  try {
    await link(unfinished, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && !(await stat(file)).isDirectory()) throw existsAlready(file);
    // Some file systems have no links.
    return rename(unfinished, file);
  }
  await rm(unfinished);
}

const existsAlready = (file: string): OperatorError =>
  new OperatorError(`${file} exists already: pass --replace to replace it`);
