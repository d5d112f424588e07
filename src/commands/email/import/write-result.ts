import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OperatorError } from '../../../platform/errors.ts';
import type { ImportAccess } from './import-access.ts';

/** Completely or not at all: a file of this name is replaced when all results are written. */
export async function writeResult(
  imports: ImportAccess,
  importId: string,
  file: string,
  bom: boolean,
): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const lines = await imports.result(importId, bom);
    await pipeline(Readable.from(lines, { highWaterMark: 1 }), createWriteStream(temporary, { flush: true }));
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new OperatorError(`${JSON.stringify(path.basename(file))} cannot be written (${code})`);
  }
}
