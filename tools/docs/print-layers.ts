/*
 * Writes the layers of src/domain into ARCHITECTURE.md, from the imports: `npm run generate:docs`. The text between the
 * markers is replaced.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type FolderImports, layersOf, sortLayers } from '../report/folder-cycles.ts';
import { readSources } from '../report/read-sources.ts';
import { replaceBetweenMarkers } from './page-markers.ts';

const ROOT = new URL('../../', import.meta.url);
const FILE = new URL('ARCHITECTURE.md', ROOT);

const folders = layersOf(readSources(fileURLToPath(ROOT)).imports, 'src/domain');
const lines = sortLayers(folders).flatMap((layer, height) => layer.map((folder) => lineOf(folder, height)));
const picture = ['```', ...lines.toReversed(), '```'].join('\n');
writeFileSync(FILE, replaceBetweenMarkers(readFileSync(FILE, 'utf8'), 'layers', picture));

function lineOf(folder: string, height: number): string {
  const imported = directImports(folders, folder);
  return `${String(height).padStart(2)}  ${folder.padEnd(12)}${imported.length > 0 ? `  → ${imported.join(', ')}` : ''}`;
}

/** Imported folders that are not also imported by another imported one: the rest follows from the picture. */
function directImports(all: FolderImports, folder: string): string[] {
  const imported = [...all.get(folder)!];
  const reaches = (from: string, to: string): boolean =>
    [...all.get(from)!].some((next) => next === to || reaches(next, to));
  return imported.filter((one) => !imported.some((other) => other !== one && reaches(other, one))).sort();
}
