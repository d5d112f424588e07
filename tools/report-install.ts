/*
 * Prints how large an installation is: `npm run report:install`. Sizes on disk of node_modules, of the packages that
 * the lock file gives to each way of installing, and what `npm run slim` would remove or has removed.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installedFiles, megabytes } from './install/installed-files.ts';
import { unusedFiles } from './install/unused-files.ts';

type LockEntry = { dev?: boolean; peer?: boolean };
type PackageSize = { bytes: number; unused: number };

const MAX_PACKAGES = 20;
const root = fileURLToPath(new URL('../', import.meta.url));
const lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
  packages: Record<string, LockEntry>;
};

/** The way of installing, and which packages it leaves out. */
const WAYS: readonly [what: string, command: string, isLeftOut: (entry: LockEntry) => boolean][] = [
  ['everything', 'npm ci', () => false],
  ['without dev', 'npm ci --omit=dev', ({ dev }) => dev === true],
  ['without vision', 'npm ci --omit=peer', ({ peer }) => peer === true],
  ['without both', 'npm ci --omit=dev --omit=peer', ({ dev, peer }) => dev === true || peer === true],
];

function sizesByPackage(): Map<string, PackageSize> {
  const unused = unusedFiles(process);
  const sizes = new Map<string, PackageSize>();
  for (const { path, bytes } of installedFiles(`${root}node_modules`)) {
    const name = packageOf(path);
    const size = sizes.get(name) ?? { bytes: 0, unused: 0 };
    size.bytes += bytes;
    if (unused.some(({ matches }) => matches(path))) size.unused += bytes;
    sizes.set(name, size);
  }
  return sizes;
}

/** The package of a file as the lock file names it: a package may lie inside another one. */
function packageOf(path: string): string {
  const parts = path.split('/');
  const start = parts.lastIndexOf('node_modules') + 1;
  return parts.slice(0, start + (parts[start]!.startsWith('@') ? 2 : 1)).join('/');
}

const sizes = sizesByPackage();
console.log(`${'installation'.padEnd(16)}${'size'.padStart(9)}${'slim'.padStart(9)}  packages  command`);
for (const [what, command, isLeftOut] of WAYS) {
  const kept = [...sizes].filter(([name]) => !isLeftOut(lock.packages[`node_modules/${name}`] ?? {}));
  const bytes = kept.reduce((sum, [, size]) => sum + size.bytes, 0);
  const unused = kept.reduce((sum, [, size]) => sum + size.unused, 0);
  const row = [
    megabytes(bytes).padStart(9),
    megabytes(bytes - unused).padStart(9),
    String(kept.length).padStart(10),
  ];
  console.log(`${what.padEnd(16)}${row.join('')}  ${command}`);
}
console.log('\nlargest packages');
const largest = [...sizes].sort(([, a], [, b]) => b.bytes - a.bytes).slice(0, MAX_PACKAGES);
for (const [name, { bytes, unused }] of largest) {
  console.log(`${megabytes(bytes).padStart(9)}${megabytes(bytes - unused).padStart(9)}  ${name}`);
}
