import type { Import } from './read-sources.ts';

/** The folders right below a folder, each with those that it imports, itself left out. */
export type FolderImports = ReadonlyMap<string, ReadonlySet<string>>;

/** Which of the folders right below `base` import which. Files right in `base` are no folder. */
export function layersOf(imports: readonly Import[], base: string): FolderImports {
  const folders = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [source, target] = [from, to].map((path) => folderBelow(path, base));
    if (!source || !target) continue;
    for (const folder of [source, target]) if (!folders.has(folder)) folders.set(folder, new Set());
    if (source !== target) folders.get(source)!.add(target);
  }
  return folders;
}

function folderBelow(path: string, base: string): string | null {
  const [folder, ...rest] = path.startsWith(`${base}/`) ? path.slice(base.length + 1).split('/') : [];
  return folder !== undefined && rest.length > 0 ? folder : null;
}

/** The folders from which imports lead back to themselves, in order. */
export function foldersInCycles(folders: FolderImports): string[] {
  return [...folders.keys()].filter((folder) => reachedFrom(folders, folder).has(folder)).sort();
}

function reachedFrom(folders: FolderImports, start: string): Set<string> {
  const reached = new Set<string>();
  const waiting = [start];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const next of folders.get(folder) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      waiting.push(next);
    }
  }
  return reached;
}

/** Folders by layer, the lowest first: a folder stands above all that it imports. Cycles are refused. */
export function sortLayers(folders: FolderImports): string[][] {
  if (foldersInCycles(folders).length > 0) throw new Error('folders in a cycle have no order');
  const heights = new Map<string, number>();
  const heightOf = (folder: string): number => {
    const known = heights.get(folder);
    if (known !== undefined) return known;
    const height = Math.max(-1, ...[...(folders.get(folder) ?? [])].map(heightOf)) + 1;
    heights.set(folder, height);
    return height;
  };
  const ordered = [...folders.keys()].sort();
  const top = Math.max(-1, ...ordered.map(heightOf));
  return Array.from({ length: top + 1 }, (_none, height) =>
    ordered.filter((folder) => heightOf(folder) === height),
  );
}
