import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { OperatorError } from '../../platform/errors.ts';

/** Writes a file, which gets its name once it is complete. Nothing is read from `texts` before the file is open. */
export async function writeCompleteFile(
  file: string,
  texts: AsyncIterable<string>,
  { mode }: { mode?: number } = {},
): Promise<void> {
  const unfinished = `${file}.part`;
  const stream = createWriteStream(unfinished, { mode, flush: true });
  try {
    await once(stream, 'open');
    await pipeline(texts, stream);
    await rename(unfinished, file);
  } catch (error) {
    stream.destroy();
    await rm(unfinished, { force: true }).catch(() => {});
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new OperatorError(`${file} cannot be written: ${code}`);
  }
}
