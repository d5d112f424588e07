import { fileURLToPath } from 'node:url';
import { BuildError } from './build-error.ts';
import {
  type FileCache,
  isFresh,
  isPrebuilt,
  keyOf,
  mismatchedPackages,
  missingPackages,
} from './freshness.ts';
import { PARTS, type Part } from './parts.ts';

export type BuildOptions = {
  /** The folder of the repository. */
  root?: string;
  parts?: readonly Part[];
  /** Receives a line for each part that was built. */
  log?: (line: string) => void;
  /** Called when the scripts of a build run, unless nothing has to be built. */
  onStarted?: () => void;
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

type Build = { parts: readonly Part[]; result: Promise<void> };

/** The running build of each root in this process, where a second one would wait for the lock of the first. */
const running = new Map<string, Build>();

/**
 * Builds generated files that are missing or older than their sources. Throws a BuildError when it cannot. Concurrent
 * calls for the same root and parts share one promise; calls for other parts of the root run one after another.
 */
export function ensureBuilt(options: BuildOptions = {}): Promise<void> {
  const { root = ROOT, parts = PARTS, log = writeLine, onStarted } = options;
  const current = running.get(root);
  if (current?.parts === parts) return current.result;
  if (current) return current.result.catch(() => {}).then(() => ensureBuilt(options));
  const result = buildStale(parts, root, log, onStarted).finally(() => running.delete(root));
  running.set(root, { parts, result });
  return result;
}

async function buildStale(
  parts: readonly Part[],
  root: string,
  log: (line: string) => void,
  onStarted?: () => void,
): Promise<void> {
  const stale = staleParts(parts, root);
  if (stale.length === 0) return;
  requirePackages(stale, root);
  const { buildParts, withLock } = await import('./build-parts.ts');
  // Another process may have built them meanwhile.
  await withLock(root, () => buildParts(staleParts(parts, root), root, log, onStarted));
}

/** Refuses to build without the packages, or with other versions than those that the key names. */
function requirePackages(parts: readonly Part[], root: string): void {
  const missing = [...new Set(parts.flatMap((part) => missingPackages(part, root)))];
  if (missing.length > 0) {
    throw new BuildError(
      `Generated files are missing or older than their sources, and packages that make them are not installed (${missing.join(', ')}). ` +
        'Run: npm ci && npm run build && npm prune --omit=dev',
    );
  }
  const mismatched = [...new Set(parts.flatMap((part) => mismatchedPackages(part, root)))];
  if (mismatched.length > 0) {
    throw new BuildError(
      `Generated files are missing or older than their sources, and installed packages differ from package.json (${mismatched.join(', ')}). ` +
        'Run: npm ci',
    );
  }
}

function staleParts(parts: readonly Part[], root: string): Part[] {
  const files: FileCache = new Map();
  return parts.filter((part) => !isFresh(part, keyOf(part, root, files), root) && !isPrebuilt(part, root));
}

/** Standard output belongs to the command that is about to run. */
function writeLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
