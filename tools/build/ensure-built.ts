import { fileURLToPath } from 'node:url';
import { BuildError } from './build-error.ts';
import { type FileCache, isFresh, keyOf, missingPackages } from './freshness.ts';
import { PARTS, type Part } from './parts.ts';

export type BuildOptions = {
  /** The folder of the repository. */
  root?: string;
  parts?: readonly Part[];
  /** Receives a line for each part that was made. */
  log?: (line: string) => void;
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Makes generated files that are missing or older than their sources. Throws a BuildError when it cannot. */
export async function ensureBuilt({ root = ROOT, parts = PARTS, log }: BuildOptions = {}): Promise<void> {
  const stale = staleParts(parts, root);
  if (stale.length === 0) return;
  const missing = [...new Set(stale.flatMap((part) => missingPackages(part, root)))];
  if (missing.length > 0) {
    throw new BuildError(
      `Generated files are missing or older than their sources, and packages that make them are not installed (${missing.join(', ')}). ` +
        'Run: npm ci && npm run build && npm prune --omit=dev',
    );
  }
  const { buildParts, withLock } = await import('./build-parts.ts');
  // Another process may have made them meanwhile.
  await withLock(root, () => buildParts(staleParts(parts, root), root, log ?? writeLine));
}

function staleParts(parts: readonly Part[], root: string): Part[] {
  const files: FileCache = new Map();
  return parts.filter((part) => !isFresh(part, keyOf(part, root, files), root));
}

/** Standard output belongs to the command that is about to run. */
function writeLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
