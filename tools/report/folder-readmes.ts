/** Folders of the product that a README.md describes: those of src down to two levels, and each package. */
export function foldersToDescribe(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1);
    if (parts.includes('generated')) continue;
    if (parts[0] === 'src')
      for (let depth = 1; depth <= 3; depth++) folders.add(parts.slice(0, depth).join('/'));
    if (parts[0] === 'packages' && parts.length > 1) folders.add(parts.slice(0, 2).join('/'));
  }
  return [...folders].sort();
}

/** Those without a README.md. */
export function foldersWithoutReadme(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return foldersToDescribe(paths).filter((folder) => !all.has(`${folder}/README.md`));
}
