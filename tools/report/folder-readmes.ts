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

/** Names of code files in a Markdown text that are in no path: `store.ts`, `lists/list-store.ts`. */
export function unknownFilesOf(text: string, paths: readonly string[]): string[] {
  const named = [...text.matchAll(/`((?:[\w.@-]+\/)*\w[\w.@-]*\.(?:ts|tsx|graphql|json|bin|mjs|sh))`/g)].map(
    ([, name]) => name!,
  );
  return [...new Set(named)].filter(
    (name) => !paths.some((path) => path === name || path.endsWith(`/${name.replace(/^[./]+/, '')}`)),
  );
}
