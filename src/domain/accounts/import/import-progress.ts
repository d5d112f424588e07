import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '@vouchgraph/platform/errors';
import { z } from 'zod';
import { IMPORT_FORMATS } from './read-records.ts';

const count = z.int().min(0);

const progressShape = z.object({
  version: z.literal(1),
  /** Target of the import. */
  target: z.string(),
  format: z.enum(IMPORT_FORMATS),
  source: z.object({ bytes: count, modified_ms: z.number(), head_sha256: z.string() }),
  /** Position of the next line; all lines before it are done. */
  next: z.object({ byte: count, line: z.int().min(1) }),
  imported: count,
  rejected: count,
  repeated: count,
  is_finished: z.boolean(),
});

/** Progress of an import, with its file and target. */
export type ImportProgress = z.infer<typeof progressShape>;
export type ImportSource = ImportProgress['source'];

const HEAD_BYTES = 65_536;

/** Identity of a file and its version, without reading all of it. */
export async function identifySource(file: string): Promise<ImportSource> {
  const handle = await open(file);
  try {
    const { size, mtimeMs } = await handle.stat();
    return { bytes: size, modified_ms: mtimeMs, head_sha256: await hashHead(handle) };
  } finally {
    await handle.close();
  }
}

async function hashHead(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex');
}

export function isSameSource(one: ImportSource, other: ImportSource): boolean {
  return (
    one.bytes === other.bytes &&
    one.modified_ms === other.modified_ms &&
    one.head_sha256 === other.head_sha256
  );
}

/** Progress of an earlier run; null without one. */
export async function readProgress(file: string): Promise<ImportProgress | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  try {
    return progressShape.parse(JSON.parse(text));
  } catch {
    throw importConflict(`${nameOf(file)} is not the progress of an import. --restart overwrites it`);
  }
}

/** Replaces the file atomically, also in a crash of the process or the machine. */
export async function writeProgress(file: string, progress: ImportProgress): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(progress)}\n`, { flush: true });
  await rename(temporary, file);
}

export function importConflict(message: string): AppError {
  return new AppError('import.conflict', 'conflict', message);
}

export function nameOf(file: string): string {
  return JSON.stringify(path.basename(file));
}
