import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import type { PersistedOperation } from '../../storage/generated/prisma/client.ts';
import { lockRow } from '../../storage/locks.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { idList, prismaPage } from '../../storage/prisma-page.ts';
import { type AuditEntry, auditCall } from '../audit/audit-store.ts';
import { type CheckedOperation, hashOfBytes, type OperationHash } from './operation.ts';

type Operations = Pick<ProjectDatabase, 'projectId' | 'prisma'>;

const bytesOf = (hash: OperationHash) => Uint8Array.from(Buffer.from(hash, 'hex'));

/** Registered documents by their hashes, in any order. */
function findByHashes({ projectId, prisma }: Operations, hashes: readonly OperationHash[]) {
  const where = { projectId, hash: { in: idList(hashes).map(bytesOf) } };
  return prisma.persistedOperation.findMany({ where });
}

const LOCK = lockRow('operation.lock_project', {
  table: 'projects',
  columns: 'operations_version',
  isForReferences: false,
});

const SIZE: Statement = {
  name: 'operation.size',
  text: `select count(*)::int as operations, coalesce(sum(octet_length(text)), 0)::int as bytes
         from persisted_operations where project_id = $1 and hash <> all($2::bytea[])`,
};

const INSERT = namedStatement(
  'operation.insert',
  `with given as (
           select o.operation_id, o.hash, o.text, array(select jsonb_array_elements_text(o.names)) as names
           from unnest(:operationIds::uuid[], :hashes::bytea[], :texts::text[], :names::jsonb[]) as o (operation_id, hash,
             text, names)
         ), written as (
           insert into persisted_operations (project_id, operation_id, hash, text, operation_names, created_at)
           select :projectId, g.operation_id, g.hash, g.text, g.names, :createdAt from given g
           on conflict (project_id, hash) do nothing returning 1
         )
         update projects set operations_version = operations_version + 1
         where project_id = :projectId and exists (select 1 from written)`,
);

type Size = { operations: number; bytes: number };
export type NewRow = CheckedOperation & { operationId: string };

/**
 * Registers documents that are not registered yet, with an audit line where there are any; the rows of all of them.
 * The project's row is locked, so that two calls together stay within the limits: `check` throws when the size, which
 * includes the given documents, is beyond them.
 */
export function insertOperations(
  database: ProjectDatabase,
  operations: readonly NewRow[],
  createdAt: Date,
  check: (size: Size) => void,
  audit: (added: readonly OperationHash[]) => AuditEntry,
): Promise<PersistedOperation[]> {
  const { projectId } = database;
  const hashes = operations.map(({ hash }) => hash);
  return database.transaction(async ({ run, commit, prisma }) => {
    const [, sizes] = await run([LOCK, [projectId]], [SIZE, [projectId, hashes.map(bytesOf)]]);
    const found = await findByHashes({ projectId, prisma }, hashes);
    const known = new Set(found.map(hashOfBytes));
    const added = operations.filter(({ hash }) => !known.has(hash));
    if (added.length === 0) return found;
    const { operations: count, bytes } = sizes![0] as Size;
    const given = operations.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    check({ operations: count + operations.length, bytes: bytes + given });
    await run(
      INSERT.call({
        projectId,
        operationIds: added.map(({ operationId }) => operationId),
        hashes: added.map(({ hash }) => bytesOf(hash)),
        texts: added.map(({ text }) => text),
        names: added.map(({ operationNames }) => JSON.stringify(operationNames)),
        createdAt,
      }),
    );
    const rows = await findByHashes({ projectId, prisma }, hashes);
    await commit(auditCall(projectId, audit(added.map(({ hash }) => hash))));
    return rows;
  });
}

/** Deletes registered documents, with an audit line where there were any; the deleted ones. */
export function deleteOperations(
  database: ProjectDatabase,
  hashes: readonly OperationHash[],
  audit: (deleted: readonly OperationHash[]) => AuditEntry,
): Promise<PersistedOperation[]> {
  const { projectId } = database;
  return database.transaction(async ({ run, commit, prisma }) => {
    await run([LOCK, [projectId]]);
    const found = await findByHashes({ projectId, prisma }, hashes);
    if (found.length === 0) return [];
    const operationIds = idList(found.map(({ operationId }) => operationId));
    await prisma.persistedOperation.deleteMany({ where: { projectId, operationId: { in: operationIds } } });
    const data = { operationsVersion: { increment: 1 } };
    await prisma.project.update({ where: { projectId }, data, select: { projectId: true } });
    await commit(auditCall(projectId, audit(found.map(hashOfBytes))));
    return found;
  });
}

/** Hashes of all registered documents. */
export async function findHashes({ projectId, prisma }: ProjectDatabase): Promise<OperationHash[]> {
  const rows = await prisma.persistedOperation.findMany({ where: { projectId }, select: { hash: true } });
  return rows.map(hashOfBytes);
}

export async function findText(
  { projectId, prisma }: ProjectDatabase,
  hash: OperationHash,
): Promise<string | null> {
  const where = { projectId_hash: { projectId, hash: bytesOf(hash) } };
  const found = await prisma.persistedOperation.findUnique({ where, select: { text: true } });
  return found?.text ?? null;
}

/** A page of registered documents, the newest first. */
export function pageOperations(
  { projectId, prisma }: ProjectDatabase,
  page: KeysetPage,
): Promise<PersistedOperation[]> {
  const { where, ...order } = prismaPage('operationId', 'desc', page);
  return prisma.persistedOperation.findMany({ ...order, where: { projectId, ...where } });
}

/** Number of registered documents: at most LIMITS.operations. */
export function countOperations({ projectId, prisma }: ProjectDatabase): Promise<number> {
  return prisma.persistedOperation.count({ where: { projectId } });
}
