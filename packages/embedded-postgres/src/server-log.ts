import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_BYTES = 10 * 1024 * 1024;

export type ServerLog = {
  fd: number;
  /** Output of the server since this log was opened. */
  readNew(): Promise<string>;
  close(): Promise<void>;
};

/**
 * Opened by the gateway and inherited, so that the server needs no permissions in the data folder. Bounded by being emptied
 * at a start that finds it large: the server logs little.
 */
export async function openServerLog(dataDir: string): Promise<ServerLog> {
  const file = await open(join(dataDir, 'postgres.log'), 'a+', 0o600);
  if ((await file.stat()).size > MAX_BYTES) await file.truncate();
  const { size: start } = await file.stat();
  return {
    fd: file.fd,
    readNew: () => readFrom(file, start),
    close: () => file.close(),
  };
}

async function readFrom(file: FileHandle, start: number): Promise<string> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(Math.min(size - start, MAX_BYTES));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
  return buffer.toString('utf8', 0, bytesRead);
}
