import { randomBytes } from 'node:crypto';
import { access, type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { FSDriver } from 'flydrive/drivers/fs';
import { toStoredFiles } from './listed-files.ts';
import type { MediaStorage, OpenFile } from './media-storage.ts';

/**
 * Files in a folder that only we read. The library walks the folder and removes; writing and reading are ours, because a
 * file has to be on the disk before it is acknowledged, and is read in parts.
 */
export function createDiskStorage(folder: string): MediaStorage {
  let loading: Promise<FSDriver> | undefined;
  // Loaded on first use: a gateway without images does not load it.
  const driver = () => {
    loading ??= import('flydrive/drivers/fs').then(
      ({ FSDriver }) => new FSDriver({ location: folder, visibility: 'private' }),
    );
    return loading;
  };
  const locate = (key: string) => path.join(folder, key);

  return {
    put: (key, parts) => writeDurably(locate(key), parts),
    async open(key, headBytes) {
      const handle = await openForReading(locate(key));
      return handle && openFile(handle, headBytes);
    },
    delete: async (key) => (await driver()).delete(key),
    async *list(prefix) {
      if (!(await exists(locate(prefix)))) return;
      const folders = [prefix];
      for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
        const entries = [...(await (await driver()).listAll(next)).objects];
        for (const entry of entries) if (entry.isDirectory) folders.push(entry.prefix);
        yield toStoredFiles(entries);
      }
    },
    close() {},
  };
}

function exists(folder: string): Promise<boolean> {
  return access(folder).then(
    () => true,
    () => false,
  );
}

async function openForReading(file: string): Promise<FileHandle | null> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function openFile(handle: FileHandle, headBytes: number): Promise<OpenFile> {
  try {
    const { size } = await handle.stat();
    const head = Buffer.alloc(headBytes);
    const { bytesRead } = await handle.read(head, 0, headBytes, 0);
    return {
      size,
      head: head.subarray(0, bytesRead),
      read: (start, end) => handle.createReadStream({ start, end: end - 1, autoClose: false }),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The bytes and the name are on the disk when this resolves. */
async function writeDurably(file: string, parts: Iterable<Uint8Array>): Promise<void> {
  const folder = path.dirname(file);
  await makeFolder(folder);
  const unfinished = `${file}.${randomBytes(6).toString('hex')}.unfinished`;
  try {
    const handle = await open(unfinished, 'wx', 0o600);
    try {
      for (const part of parts) await handle.writeFile(part);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/** Each new folder is an entry of the one above, which has to be on the disk as well. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const top = path.dirname(first);
  for (let made = path.dirname(folder); ; made = path.dirname(made)) {
    await syncFolder(made);
    if (made === top) return;
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows neither opens folders nor needs it.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
