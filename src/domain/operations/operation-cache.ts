import { LRUCache } from 'lru-cache';
import type { Project } from '../projects/project.ts';
import type { OperationHash } from './operation.ts';
import { findHashes, findText } from './operation-store.ts';

const MAX_PROJECTS = 200;
const MAX_TEXT_LENGTH = 32 * 1024 * 1024;

type KnownHashes = { version: number; hashes: Promise<ReadonlySet<OperationHash>> };

/** Registered documents of projects, kept in memory for the requests that execute them. */
export function createOperationCache() {
  const known = new LRUCache<string, KnownHashes>({ max: MAX_PROJECTS });
  // A text belongs to its hash for ever: only whether it is registered changes.
  const texts = new LRUCache<string, string>({
    maxSize: MAX_TEXT_LENGTH,
    sizeCalculation: (text) => text.length + 200,
  });

  /** The text of a registered document; null for every other hash. An unknown hash costs no statement. */
  async function findRegisteredText(project: Project, hash: OperationHash): Promise<string | null> {
    if (project.operationsVersion === 0 || !(await hashesOf(project)).has(hash)) return null;
    const key = `${project.projectId} ${hash}`;
    const text = texts.get(key) ?? (await findText(project.database, hash));
    if (text !== null) texts.set(key, text);
    return text;
  }

  /** The hashes of a project, read once for each version of them. */
  function hashesOf({ projectId, operationsVersion, database }: Project): KnownHashes['hashes'] {
    const found = known.get(projectId);
    if (found && found.version >= operationsVersion) return found.hashes;
    const hashes = findHashes(database).then((read) => new Set(read));
    const entry = { version: operationsVersion, hashes };
    known.set(projectId, entry);
    hashes.catch(() => known.get(projectId) === entry && known.delete(projectId));
    return hashes;
  }

  return { findRegisteredText };
}
