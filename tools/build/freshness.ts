import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Part } from './parts.ts';

/*
 * Whether generated files match their sources. Each output folder contains a stamp: the key of its sources and the sizes
 * of its files. The check runs at every start: it reads about a hundred small files and writes nothing.
 */

/** Name of the stamp file in an output folder. */
const STAMP = '.built-from';

type Stamp = {
  key: string;
  /** Size in bytes of each file of the folder, by path relative to the folder. */
  sizes: Record<string, number>;
};

/** Contents of files that several parts are made of, by path. */
export type FileCache = Map<string, Buffer>;

/**
 * Hash of everything that a part is made of: its sources, its script and the versions of its packages in package.json. A
 * build requires the same versions to be installed (`mismatchedPackages`).
 */
export function keyOf(part: Part, root: string, files: FileCache = new Map()): string {
  const hash = createHash('sha256');
  const { version, packages } = manifestOf(root, files);
  hash.update(JSON.stringify([version, part.packages.map((name) => [name, packages[name]])]));
  for (const input of [part.script, ...part.inputs]) {
    for (const file of filesBelow(root, input)) {
      hash.update(`\n${file}\n`).update(read(root, file, files));
    }
  }
  return hash.digest('hex');
}

/** Whether all output folders are complete and were made of the sources with this key. */
export function isFresh(part: Part, key: string, root: string): boolean {
  return part.outputs.every((folder) => stampOfComplete(join(root, folder))?.key === key);
}

/**
 * Whether the part has complete outputs in an installation without its tools and without some of its inputs, such as an
 * image without sources. The key cannot be computed there.
 */
export function isPrebuilt(part: Part, root: string): boolean {
  return (
    missingPackages(part, root).length > 0 &&
    [part.script, ...part.inputs].some((input) => !existsSync(join(root, input))) &&
    part.outputs.every((folder) => stampOfComplete(join(root, folder)) !== null)
  );
}

/** Writes the stamp of a folder of generated files. */
export function writeStamp(folder: string, key: string): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  const sizes = Object.fromEntries(
    paths.map((path) => [relative(folder, path).replaceAll('\\', '/'), statSync(path).size]),
  );
  writeFileSync(join(folder, STAMP), JSON.stringify({ key, sizes } satisfies Stamp));
}

/** The stamp of a folder; null without one, or if a file that it lists is missing or has another size. */
function stampOfComplete(folder: string): Stamp | null {
  try {
    const stamp: Stamp = JSON.parse(readFileSync(join(folder, STAMP), 'utf8'));
    const isComplete = Object.entries(stamp.sizes).every(
      ([file, size]) => statSync(join(folder, file)).size === size,
    );
    return isComplete ? stamp : null;
  } catch {
    return null;
  }
}

/** Packages of the part that are not installed. */
export function missingPackages(part: Part, root: string): string[] {
  return part.packages.filter((name) => findManifest(name, root) === null);
}

/** Packages of the part whose installed version differs from package.json, each with both versions. */
export function mismatchedPackages(part: Part, root: string): string[] {
  const { packages } = manifestOf(root);
  return part.packages.flatMap((name) => {
    const manifest = findManifest(name, root);
    if (manifest === null) return [];
    const installed: unknown = JSON.parse(readFileSync(manifest, 'utf8')).version;
    return installed === packages[name] ? [] : [`${name} ${installed} instead of ${packages[name]}`];
  });
}

/** Path of the package.json of an installed package; null if it is not installed. */
function findManifest(name: string, folder: string): string | null {
  const path = join(folder, 'node_modules', name, 'package.json');
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? null : findManifest(name, dirname(folder));
}

type Manifest = { version: string; packages: Readonly<Record<string, string>> };

function manifestOf(root: string, files: FileCache = new Map()): Manifest {
  const { version, dependencies, devDependencies } = JSON.parse(read(root, 'package.json', files).toString());
  return { version, packages: { ...dependencies, ...devDependencies } };
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
