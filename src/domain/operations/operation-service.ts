import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { KeysetPage } from '../../platform/keyset.ts';
import { LIMITS } from '../../platform/limits.ts';
import type { AuditAction } from '../audit/audit-action.ts';
import type { AuditEntry } from '../audit/audit-store.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { invalidDocument, tooManyBytes, tooManyOperations } from './errors.ts';
import {
  type CheckDocument,
  type NewOperation,
  type OperationHash,
  readHashes,
  readOperations,
} from './operation.ts';
import {
  countOperations,
  deleteOperations,
  findHashes,
  findText,
  insertOperations,
  type OperationRow,
  pageOperations,
} from './operation-store.ts';

export type { OperationRow } from './operation-store.ts';

/** Hashes that an audit line names; their number stands beside them. */
const AUDITED_HASHES = 50;
const REMEMBERED_PROJECTS = 200;
const REMEMBERED_BYTES = 32 * 1024 * 1024;

type KnownHashes = { version: number; hashes: Promise<ReadonlySet<OperationHash>> };

export type OperationService = ReturnType<typeof createOperationService>;

/**
 * Registered GraphQL documents of projects, executed by the SHA-256 of their text. `onChange` receives a project whose
 * documents changed.
 */
export function createOperationService(deps: {
  clock: Clock;
  check: CheckDocument;
  onChange?: (projectId: string) => void;
}) {
  const { clock, check, onChange = () => {} } = deps;
  const known = new LRUCache<string, KnownHashes>({ max: REMEMBERED_PROJECTS });
  // A text belongs to its hash for ever: only whether it is registered changes.
  const texts = new LRUCache<string, string>({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: (text) => text.length + 200,
  });

  /** Registers documents, all or none; the registered rows in the order given. Repeating it changes nothing. */
  async function register(
    viewer: Viewer,
    requestId: string | null,
    documents: readonly NewOperation[],
  ): Promise<OperationRow[]> {
    assertMay(viewer, 'operation.register');
    const operations = readOperations(documents).map(({ index, hash, text }) => {
      const checked = check(text);
      if ('problem' in checked) throw invalidDocument(index, checked.problem);
      return { hash, text, operationNames: checked.operationNames };
    });
    const now = clock.now();
    const rows = await insertOperations(
      viewer.project.database,
      operations.map((each) => ({ ...each, operationId: newId(now.getTime()) })),
      now,
      ({ operations: count, bytes }) => {
        if (count > LIMITS.operations) throw tooManyOperations(count);
        if (bytes > LIMITS.operationsBytes) throw tooManyBytes(bytes);
      },
      (added) => auditOf(viewer, requestId, now, 'operation.register', { after: valuesOf(added) }),
    );
    onChange(viewer.project.projectId);
    const byHash = new Map(rows.map((row) => [row.hash.toString('hex'), row]));
    return operations.map(({ hash }) => byHash.get(hash)!);
  }

  /** Deletes registered documents; the ids of those that existed. */
  async function remove(
    viewer: Viewer,
    requestId: string | null,
    hashes: readonly string[],
  ): Promise<string[]> {
    assertMay(viewer, 'operation.delete');
    const deleted = await deleteOperations(viewer.project.database, readHashes(hashes), (gone) =>
      auditOf(viewer, requestId, clock.now(), 'operation.delete', { before: valuesOf(gone) }),
    );
    onChange(viewer.project.projectId);
    return deleted.map(({ operation_id }) => operation_id);
  }

  /** A page of registered documents, the newest first. */
  function list(viewer: Viewer, page: KeysetPage): Promise<OperationRow[]> {
    assertMay(viewer, 'operation.read');
    return pageOperations(viewer.project.database, page);
  }

  function count(viewer: Viewer): Promise<number> {
    assertMay(viewer, 'operation.read');
    return countOperations(viewer.project.database);
  }

  /** The text of a registered document; null for every other hash. An unknown hash costs no statement. */
  async function find(project: Project, hash: OperationHash): Promise<string | null> {
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

  return { register, remove, list, count, find };
}

function valuesOf(hashes: readonly OperationHash[]) {
  return { count: hashes.length, sha256Hashes: hashes.slice(0, AUDITED_HASHES) };
}

function auditOf(
  { project, actor }: Viewer,
  requestId: string | null,
  at: Date,
  action: AuditAction,
  values: Pick<AuditEntry, 'before' | 'after'>,
): AuditEntry {
  const target = `project:${project.projectId}`;
  return { auditId: newId(at.getTime()), at, actor, action, target, requestId, ...values };
}
