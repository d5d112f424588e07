import { type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import { type AuditEntry, auditCall } from '../audit/audit-store.ts';
import type { CheckedOperation, OperationHash } from './operation.ts';

export type OperationRow = {
  operation_id: string;
  hash: Buffer;
  text: string;
  operation_names: string[];
  created_at: Date;
};

const COLUMNS = 'operation_id, hash, text, operation_names, created_at';

const bytesOf = (hashes: readonly OperationHash[]) => hashes.map((hash) => Buffer.from(hash, 'hex'));

const LOCK: Statement = {
  name: 'operation.lock_project',
  text: 'select operations_version from projects where project_id = $1 for no key update',
};

const SIZE: Statement = {
  name: 'operation.size',
  text: `select count(*)::int as operations, coalesce(sum(octet_length(text)), 0)::int as bytes
         from persisted_operations where project_id = $1 and hash <> all($2::bytea[])`,
};

const INSERT: Statement = {
  name: 'operation.insert',
  text: `with given as (
           select o.operation_id, o.hash, o.text, array(select jsonb_array_elements_text(o.names)) as names
           from unnest($2::uuid[], $3::bytea[], $4::text[], $5::jsonb[]) as o (operation_id, hash, text, names)
         ), written as (
           insert into persisted_operations (project_id, operation_id, hash, text, operation_names, created_at)
           select $1, g.operation_id, g.hash, g.text, g.names, $6 from given g
           on conflict (project_id, hash) do nothing returning 1
         )
         update projects set operations_version = operations_version + 1
         where project_id = $1 and exists (select 1 from written)`,
};

const FIND_BY_HASH: Statement = {
  name: 'operation.find_by_hash',
  text: `select ${COLUMNS} from persisted_operations where project_id = $1 and hash = any($2::bytea[])`,
};

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
): Promise<OperationRow[]> {
  const { projectId } = database;
  const hashes = bytesOf(operations.map(({ hash }) => hash));
  return database.transaction(async (transaction) => {
    const [, sizes, found] = await transaction.run(
      [LOCK, [projectId]],
      [SIZE, [projectId, hashes]],
      [FIND_BY_HASH, [projectId, hashes]],
    );
    const known = new Set(found!.map((row) => row.hash.toString('hex')));
    const added = operations.filter(({ hash }) => !known.has(hash));
    if (added.length === 0) return found as OperationRow[];
    const { operations: count, bytes } = sizes![0] as Size;
    const given = operations.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    check({ operations: count + operations.length, bytes: bytes + given });
    const [, rows] = await transaction.commit(
      [
        INSERT,
        [
          projectId,
          added.map(({ operationId }) => operationId),
          bytesOf(added.map(({ hash }) => hash)),
          added.map(({ text }) => text),
          added.map(({ operationNames }) => JSON.stringify(operationNames)),
          createdAt,
        ],
      ],
      [FIND_BY_HASH, [projectId, hashes]],
      auditCall(projectId, audit(added.map(({ hash }) => hash))),
    );
    return rows as OperationRow[];
  });
}

const DELETE: Statement = {
  name: 'operation.delete',
  text: `delete from persisted_operations where project_id = $1 and hash = any($2::bytea[])
         returning operation_id, hash`,
};

const RAISE_VERSION: Statement = {
  name: 'operation.raise_version',
  text: 'update projects set operations_version = operations_version + 1 where project_id = $1',
};

/** Deletes registered documents, with an audit line where there were any; the deleted ones. */
export function deleteOperations(
  database: ProjectDatabase,
  hashes: readonly OperationHash[],
  audit: (deleted: readonly OperationHash[]) => AuditEntry,
): Promise<Pick<OperationRow, 'operation_id' | 'hash'>[]> {
  const { projectId } = database;
  return database.transaction(async (transaction) => {
    const [, deleted] = await transaction.run([LOCK, [projectId]], [DELETE, [projectId, bytesOf(hashes)]]);
    if (deleted!.length === 0) return [];
    const entry = audit(deleted!.map((row) => row.hash.toString('hex')));
    await transaction.commit([RAISE_VERSION, [projectId]], auditCall(projectId, entry));
    return deleted as OperationRow[];
  });
}

const FIND_HASHES: Statement = {
  name: 'operation.find_hashes',
  text: 'select hash from persisted_operations where project_id = $1',
};

/** Hashes of all registered documents. */
export async function findHashes(database: ProjectDatabase): Promise<OperationHash[]> {
  const rows = await database.query<{ hash: Buffer }>(FIND_HASHES, [database.projectId]);
  return rows.map(({ hash }) => hash.toString('hex'));
}

const FIND_TEXT: Statement = {
  name: 'operation.find_text',
  text: 'select text from persisted_operations where project_id = $1 and hash = $2',
};

export async function findText(database: ProjectDatabase, hash: OperationHash): Promise<string | null> {
  const values = [database.projectId, Buffer.from(hash, 'hex')];
  const rows = await database.query<{ text: string }>(FIND_TEXT, values);
  return rows[0]?.text ?? null;
}

/** A page of registered documents, the newest first. */
export function pageOperations(database: ProjectDatabase, page: KeysetPage): Promise<OperationRow[]> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const keyset = keysetOf([{ sql: 'operation_id', type: 'uuid' }], 'DESC', page, parameter);
  return database.query<OperationRow>(
    {
      name: `operation.page:${keyset.shape}`,
      text: `select ${COLUMNS} from persisted_operations
             where ${['project_id = $1', ...keyset.conditions].join(' and ')} ${keyset.order}`,
    },
    values,
  );
}

const COUNT: Statement = {
  name: 'operation.count',
  text: 'select count(*)::int as operations from persisted_operations where project_id = $1',
};

/** Number of registered documents: at most LIMITS.operations. */
export async function countOperations(database: ProjectDatabase): Promise<number> {
  const rows = await database.query<{ operations: number }>(COUNT, [database.projectId]);
  return rows[0]!.operations;
}
