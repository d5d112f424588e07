import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Part } from './parts.ts';

/*
 * Whether generated files belong to their sources. Each output folder holds the key of what it was made of. It runs at
 * every start: about a hundred small files are read, and nothing is written.
 */

/** File of an output folder that holds its key. */
export const STAMP = '.built-from';

/** Contents of files that several parts are made of, by path. */
export type FileCache = Map<string, Buffer>;

/** A hash of everything that a part is made of: its sources, its script and the versions of its packages. */
export function keyOf(part: Part, root: string, files: FileCache = new Map()): string {
  const hash = createHash('sha256');
  const { version, ...manifest } = JSON.parse(read(root, 'package.json', files).toString());
  const packages = { ...manifest.dependencies, ...manifest.devDependencies };
  hash.update(JSON.stringify([version, part.packages.map((name) => [name, packages[name]])]));
  for (const input of [part.script, ...part.inputs]) {
    for (const file of filesBelow(root, input)) {
      hash.update(`\n${file}\n`).update(read(root, file, files));
    }
  }
  return hash.digest('hex');
}

/** Whether all output folders were made of the sources with this key. */
export function isFresh(part: Part, key: string, root: string): boolean {
  return part.outputs.every((folder) => readIfThere(join(root, folder, STAMP)) === key);
}

/** Packages of the part that are not installed. */
export function missingPackages(part: Part, root: string): string[] {
  return part.packages.filter((name) => !isInstalled(name, root));
}

function isInstalled(name: string, folder: string): boolean {
  if (existsSync(join(folder, 'node_modules', name, 'package.json'))) return true;
  return dirname(folder) !== folder && isInstalled(name, dirname(folder));
}

function read(root: string, file: string, files: FileCache): Buffer {
  const content = files.get(file) ?? readFileSync(join(root, file));
  files.set(file, content);
  return content;
}

function filesBelow(root: string, path: string): string[] {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found ? [path] : [];
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter(({ name }) => name !== 'generated' && !name.includes('.test.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesBelow(root, `${path}/${entry.name}`) : `${path}/${entry.name}`,
    );
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
