import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A file of node_modules: its path relative to it, with forward slashes, and its size on disk. */
export type InstalledFile = { readonly path: string; readonly bytes: number };

/** All files below a node_modules folder. Hidden folders hold what tools keep, and no package. */
export function* installedFiles(folder: string, below = ''): Generator<InstalledFile> {
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (below === '' && entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) yield* installedFiles(folder, path);
    else if (entry.isFile()) yield { path, bytes: sizeOnDisk(join(folder, path)) };
  }
}

function sizeOnDisk(file: string): number {
  const { blocks, size } = lstatSync(file);
  // Windows does not count blocks.
  return blocks ? blocks * 512 : size;
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20).toLocaleString('en')} MB`;
}
