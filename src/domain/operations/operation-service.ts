import type { Clock } from '@vouchgraph/platform/clock';
import { newId } from '@vouchgraph/platform/ids';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { PersistedOperation } from '../../storage/generated/prisma/client.ts';
import type { AuditAction } from '../audit/audit-action.ts';
import { type AuditEntry, auditEntry } from '../audit/audit-entry.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { invalidDocument, tooManyBytes, tooManyOperations } from './errors.ts';
import {
  type CheckDocument,
  hashOfBytes,
  type NewOperation,
  type OperationHash,
  readHashes,
  readOperations,
} from './operation.ts';
import { createOperationCache } from './operation-cache.ts';
import { countOperations, deleteOperations, insertOperations, pageOperations } from './operation-store.ts';

/** Maximum number of hashes in an audit entry, next to their count. */
const AUDITED_HASHES = 50;

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
  const { findRegisteredText } = createOperationCache();

  /** Registers documents, all or none; the registered rows in the order given. Repeating it changes nothing. */
  async function register(
    viewer: Viewer,
    requestId: string | null,
    documents: readonly NewOperation[],
  ): Promise<PersistedOperation[]> {
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
    const byHash = new Map(rows.map((row) => [hashOfBytes(row), row]));
    return operations.map(({ hash }) => byHash.get(hash)!);
  }

  /** Deletes registered documents; returns the ids of those that existed. */
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
    return deleted.map(({ operationId }) => operationId);
  }

  /** A page of registered documents, the newest first. */
  function list(viewer: Viewer, page: KeysetPage): Promise<PersistedOperation[]> {
    assertMay(viewer, 'operation.read');
    return pageOperations(viewer.project.database, page);
  }

  function count(viewer: Viewer): Promise<number> {
    assertMay(viewer, 'operation.read');
    return countOperations(viewer.project.database);
  }

  return { register, remove, list, count, find: findRegisteredText };
}

function valuesOf(hashes: readonly OperationHash[]) {
  return { count: hashes.length, sha256Hashes: hashes.slice(0, AUDITED_HASHES) };
}

function auditOf(
  viewer: Viewer,
  requestId: string | null,
  at: Date,
  action: AuditAction,
  values: Pick<AuditEntry, 'before' | 'after'>,
): AuditEntry {
  const target = `project:${viewer.project.projectId}`;
  return auditEntry(viewer, requestId, at, { action, target, ...values });
}
