/*
 * Removes files of packages that nothing here opens, from an installation or an image: `npm run slim`, or
 * `node tools/slim.ts NODE_MODULES`. `npm ci` brings them back.
 */
import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedFiles, megabytes } from './install/installed-files.ts';
import { unusedFiles } from './install/unused-files.ts';

const folder = process.argv[2] ?? fileURLToPath(new URL('../node_modules', import.meta.url));
if (lstatSync(folder).isSymbolicLink()) {
  console.error(`${folder} is a link, and others may use the folder behind it: give that folder's own path`);
  process.exit(1);
}

const removed = new Map(unusedFiles(process).map(({ what }) => [what, { files: 0, bytes: 0 }]));
for (const { path, bytes } of installedFiles(folder)) {
  const unused = unusedFiles(process).find(({ matches }) => matches(path));
  if (!unused) continue;
  rmSync(join(folder, path));
  const total = removed.get(unused.what)!;
  total.files += 1;
  total.bytes += bytes;
}
for (const [what, { files, bytes }] of removed) {
  if (files > 0) console.log(`removed ${megabytes(bytes).padStart(7)}  ${what} (${files} files)`);
}
const total = [...removed.values()].reduce((sum, { bytes }) => sum + bytes, 0);
console.log(
  total === 0
    ? 'Nothing to remove.'
    : `removed ${megabytes(total).padStart(7)}  in all; npm ci brings it back`,
);
