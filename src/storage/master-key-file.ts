import { chmod, mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';

const FILE = 'master.key';

/** The master key of a data folder, or null when there is none yet. */
export async function readMasterKeyFile(dataDir: string): Promise<string | null> {
  try {
    return (await readFile(path.join(dataDir, FILE), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Stores a new master key. It is synced to disk before its first use, because data encrypted with it is lost without it. */
export async function writeMasterKeyFile(dataDir: string, key: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeSecretFile(path.join(dataDir, FILE), `${key}\n`);
}

/** Writes a file that only its owner reads, whole or not at all. */
export async function writeSecretFile(file: string, content: string): Promise<void> {
  const unfinished = `${file}.${process.pid}.unfinished`;
  const handle = await open(unfinished, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await chmod(unfinished, 0o600);
  await rename(unfinished, file);
}
