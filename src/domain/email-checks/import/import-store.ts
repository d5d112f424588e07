import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EmailCheckError } from '@vouchgraph/email/checks';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Call, ProjectDatabase, Statement } from '../../../storage/database.ts';
import { lockRow } from '../../../storage/locks.ts';
import { namedStatement } from '../../../storage/named-statement.ts';
import type { PurgeRun } from '../../../storage/purge.ts';
import { countFound, findPage, selectionIn } from '../../../storage/selection.ts';
import { timeOfEvent } from '../../events/time-of-event-sql.ts';
import type { Project } from '../../projects/project.ts';
import { LOCK_ORDER } from '../../webhooks/delivery-queue-store.ts';
import { deleteAttemptsCall } from '../../webhooks/erase-account-store.ts';
import { insertBatchCalls, type NewBatch } from '../email-batch-store.ts';
import { type EncryptedCheck, encryptOutcome } from '../email-check-row.ts';
import type { EmailImport, EmailImportStatus, ImportDescription } from './import-record.ts';

const TABLE = 'email_imports';
/** Status of an import that is being erased: no read finds it. */
const ERASING = 'erasing';
const NOT_ERASING = `i.status <> '${ERASING}'`;

type ImportRow = {
  import_id: string;
  description: Buffer;
  status: EmailImportStatus;
  rows_received: number;
  completed_count: number;
  failed_count: number;
  batches: number;
  created_at: Date;
  last_completed_at: Date | null;
  is_open: boolean;
};

/** Progress counts batches, not rows. */
const PROGRESS = `i.import_id, i.description, i.status, i.rows_received, i.created_at, b.*
  from email_imports i cross join lateral (
    select count(*)::int as batches, coalesce(sum(completed_count), 0)::int as completed_count,
      coalesce(sum(failed_count), 0)::int as failed_count, max(completed_at) as last_completed_at,
      coalesce(bool_or(status <> 'completed'), false) as is_open
    from email_batches where project_id = i.project_id and import_id = i.import_id
  ) b`;

function toImport({ cipher }: Project, row: ImportRow): EmailImport {
  const isCompleted = row.status !== 'receiving' && !row.is_open;
  return {
    importId: row.import_id,
    description: cipher.decryptJson<ImportDescription>(TABLE, row.import_id, row.description),
    status: isCompleted ? 'completed' : row.status,
    rowsReceived: row.rows_received,
    completedCount: row.completed_count,
    badRows: row.failed_count,
    batches: row.batches,
    createdAt: row.created_at,
    // An import without rows is completed when it is received.
    completedAt: isCompleted ? (row.last_completed_at ?? row.created_at) : null,
  };
}

const INSERT = namedStatement(
  'email_import.insert',
  `insert into email_imports (project_id, import_id, description, status, actor, request_id, created_at, updated_at)
         values (:projectId, :importId, :description, 'receiving', :actor, :requestId, :createdAt,
           :createdAt) on conflict do nothing returning import_id`,
);

/** A file of which nothing is received yet. */
export type NewImport = {
  readonly importId: string;
  readonly description: ImportDescription;
  readonly actor: string;
  readonly requestId: string;
  readonly createdAt: Date;
};

/** Inserts an import; false when it exists. */
export async function insertImport(
  { projectId, cipher, database }: Project,
  added: NewImport,
): Promise<boolean> {
  const { importId, description, actor, requestId, createdAt } = added;
  const encrypted = cipher.encryptJson(TABLE, importId, description);
  const rows = await database.query(
    ...INSERT.call({ projectId, importId, description: encrypted, actor, requestId, createdAt }),
  );
  return rows.length === 1;
}

const FIND: Statement = {
  name: 'email_import.find',
  text: `select ${PROGRESS} where i.project_id = $1 and i.import_id = any($2::uuid[]) and ${NOT_ERASING}`,
};

/** An import by its id; null when the project has none. */
export async function findImport(project: Project, importId: string): Promise<EmailImport | null> {
  const [found] = await findImports(project, [importId]);
  return found ?? null;
}

/** Imports by their ids, in no particular order. */
export async function findImports(project: Project, importIds: readonly string[]): Promise<EmailImport[]> {
  const rows = await project.database.query<ImportRow>(FIND, [project.projectId, importIds]);
  return rows.map((row) => toImport(project, row));
}

const ORDER = [{ sql: 'i.import_id', type: 'uuid' }] as const;

/** A page of imports, the newest first. */
export async function listImports(project: Project, page: KeysetPage): Promise<EmailImport[]> {
  const rows = await findPage<ImportRow>(
    selectionIn(project.database, ['i.project_id = $1', NOT_ERASING]),
    'email_import.list',
    { columns: ORDER, direction: 'DESC', page },
    ({ where, order }) => `select ${PROGRESS} where ${where} ${order}`,
  );
  return rows.map((row) => toImport(project, row));
}

/** Number of imports, counted up to a limit. */
export function countImports({ database }: Project, limit: number): Promise<number> {
  return countFound(
    selectionIn(database, ['i.project_id = $1', NOT_ERASING]),
    'email_import.count',
    limit,
    (where, most) => `select from email_imports i where ${where} limit ${most}`,
  );
}

/* Receiving */

/** Locked, so that two uploads of one file take turns and an erasure waits for neither half of a batch. */
const LOCK = lockRow('email_import.lock', { table: 'email_imports', key: 'import_id', columns: 'status' });

const COMPLETE_BAD: Statement = {
  name: 'email_import.complete_bad_rows',
  text: `with bad as (
           update email_checks c set status = 'error', result = g.result, completed_at = $3
           from unnest($4::uuid[], $5::bytea[]) as g (check_id, result)
           where c.project_id = $1 and c.check_id = g.check_id
           returning 1
         ), n as (select count(*)::int as bad from bad)
         update email_batches b set completed_count = n.bad, failed_count = n.bad
         from n where b.project_id = $1 and b.batch_id = $2`,
};

const ADVANCE = namedStatement(
  'email_import.advance',
  `update email_imports i set rows_received = i.rows_received + :rows, bytes_received = greatest(i.bytes_received,
    :bytesReceived),
           updated_at = :updatedAt
         where i.project_id = :projectId and i.import_id = :importId
           and exists (select 1 from email_batches b where b.project_id = :projectId and b.batch_id = :batchId)`,
);

const DIGEST: Statement = {
  name: 'email_import.digest_of_batch',
  text: 'select digest from email_batches where project_id = $1 and import_id = $2 and import_number = $3',
};

/** Rows of an import that are stored together. */
export type ImportBatch = NewBatch & { readonly importId: string; readonly importNumber: number };

/** Result of adding a batch. `closed`: the whole file was received before without this batch. */
export type AddedBatch = 'added' | 'repeated' | 'differs' | 'closed' | 'missing';

/**
 * Adds the next batch of an import, with its bad rows completed already. A batch that exists at this place is compared
 * with it instead.
 */
export function addImportBatch(
  project: Project,
  batch: ImportBatch,
  checks: readonly EncryptedCheck[],
  bad: readonly { checkId: string; error: EmailCheckError }[],
  bytesReceived: number,
): Promise<AddedBatch> {
  const { projectId, cipher, database } = project;
  const { importId, importNumber, batchId, createdAt } = batch;
  const results = bad.map(({ checkId, error }) => encryptOutcome(cipher, checkId, { error }));
  const completeBad: Call = [
    COMPLETE_BAD,
    [projectId, batchId, createdAt, bad.map(({ checkId }) => checkId), results],
  ];
  return database.transaction(async (transaction) => {
    const [locked, stored] = await transaction.run(
      [LOCK, [projectId, importId]],
      [DIGEST, [projectId, importId, importNumber]],
    );
    const status = locked![0]?.status;
    if (status === undefined || status === ERASING) return 'missing';
    const digest: Buffer | undefined = stored![0]?.digest;
    if (digest !== undefined) return batch.digest?.equals(digest) ? 'repeated' : 'differs';
    if (status !== 'receiving') return 'closed';
    for (const call of insertBatchCalls(project, batch, checks)) {
      await transaction.run(call);
      await nextTurn();
    }
    await transaction.commit(
      ...(bad.length > 0 ? [completeBad] : []),
      ADVANCE.call({
        projectId,
        importId,
        batchId,
        rows: checks.length,
        bytesReceived,
        updatedAt: createdAt,
      }),
    );
    return 'added';
  });
}

/** The keyed hashes of the batches of an import, in their order. */
export async function readDigests({ projectId, database }: Project, importId: string): Promise<Uint8Array[]> {
  const rows = await database.prisma.emailBatch.findMany({
    where: { projectId, importId },
    orderBy: { importNumber: 'asc' },
    select: { digest: true },
  });
  return rows.map(({ digest }) => digest!);
}

/** Notes that the whole file is stored. */
export async function noteReceived(
  { projectId, database }: Project,
  importId: string,
  at: Date,
): Promise<void> {
  await database.prisma.emailImport.updateMany({
    where: { projectId, importId, status: 'receiving' },
    data: { status: 'processing', updatedAt: at },
  });
}

/** Stores the status of the batches: all rows are checked. */
export async function noteCompleted(
  { projectId, database }: Project,
  importId: string,
  at: Date,
): Promise<void> {
  await database.prisma.emailImport.updateMany({
    where: { projectId, importId, status: 'processing' },
    data: { status: 'completed', completedAt: at, updatedAt: at },
  });
}

/* Reading rows */

/** The batches of an import, in the order of its file. */
export async function readBatchIds({ projectId, database }: Project, importId: string): Promise<string[]> {
  const rows = await database.prisma.emailBatch.findMany({
    where: { projectId, importId },
    orderBy: { importNumber: 'asc' },
    select: { batchId: true },
  });
  return rows.map(({ batchId }) => batchId);
}

/* Erasing */

const BEGIN_ERASING: Statement = {
  name: 'email_import.begin_erasing',
  text: `update email_imports set status = '${ERASING}' where project_id = $1 and import_id = $2 returning 1`,
};

/**
 * Waits for running completions, whose events the next statement sees. Locks by id, as the erasure of an address locks
 * batches.
 */
const LOCK_BATCHES: Statement = {
  name: 'email_import.lock_erased_batches',
  text: `select batch_id from email_batches
         where project_id = $1 and batch_id = any(array(
           select batch_id from email_batches where project_id = $1 and import_id = $2 order by import_number limit $3
         ))
         order by batch_id for update`,
};

/** In the order in which erasing an address locks them: in another order, the two would wait for each other. */
const LOCK_CHECKS: Statement = {
  name: 'email_import.lock_erased_checks',
  text: `select 1 from email_checks where project_id = $1 and batch_id = any($2::uuid[]) order by check_id for update`,
};

/**
 * Events of addresses contain results: they are deleted with their deliveries. Those of batches contain counts, and are
 * kept.
 */
const ERASE_BATCHES: Statement = {
  name: 'email_import.erase_batches',
  text: `with gone as (
           delete from email_checks where project_id = $1 and batch_id = any($2::uuid[]) returning event_id
         ), sent as (
           delete from webhook_deliveries d using gone g where d.project_id = $1 and d.event_id = g.event_id
           returning d.delivery_id
         ), events as (
           delete from outbox_events e using gone g
           where e.project_id = $1 and e.created_at = ${timeOfEvent('g.event_id')} and e.event_id = g.event_id
         )
         select coalesce(array_agg(delivery_id), '{}') as sent from sent`,
};

const ERASE_EMPTY: Statement = {
  name: 'email_import.erase_empty_batches',
  text: 'delete from email_batches where project_id = $1 and batch_id = any($2::uuid[])',
};

const ERASE: Statement = {
  name: 'email_import.erase',
  text: 'delete from email_imports where project_id = $1 and import_id = $2',
};

/** Batches that one statement deletes, with their rows: the locks of more would delay others. */
const BATCHES_AT_ONCE = 5;

/** Erases an import with its rows; false when it does not exist. Repeatable after a crash. */
export async function eraseImport(
  { projectId, database }: Pick<Project, 'projectId' | 'database'>,
  importId: string,
): Promise<boolean> {
  const found = await database.query(BEGIN_ERASING, [projectId, importId]);
  if (found.length === 0) return false;
  while (await eraseSomeBatches(database, importId));
  await database.query(ERASE, [projectId, importId]);
  return true;
}

/** Of all projects: for the maintenance alone. */
const FIND_ERASING: Statement = {
  name: 'email_import.find_erasing',
  text: `select project_id, import_id from email_imports where status = '${ERASING}' order by project_id, import_id`,
};

/** Finishes interrupted erasures of imports. */
export async function finishErasures(
  { system, signal }: PurgeRun,
  getProject: (projectId: string) => Promise<Pick<Project, 'projectId' | 'database'> | null>,
): Promise<void> {
  const erasing = await system.query<{ project_id: string; import_id: string }>(FIND_ERASING, []);
  for (const { project_id, import_id } of erasing) {
    if (signal.aborted) return;
    const project = await getProject(project_id);
    if (project) await eraseImport(project, import_id);
  }
}

/** False when none remains. */
function eraseSomeBatches(database: ProjectDatabase, importId: string): Promise<boolean> {
  const { projectId } = database;
  return database.transaction(async (transaction) => {
    const [locked] = await transaction.run([LOCK_BATCHES, [projectId, importId, BATCHES_AT_ONCE]]);
    const batchIds = locked!.map(({ batch_id }) => batch_id);
    if (batchIds.length === 0) return false;
    const values = [projectId, batchIds];
    const [, , erased] = await transaction.run(
      [LOCK_CHECKS, values],
      [LOCK_ORDER, [projectId]],
      [ERASE_BATCHES, values],
    );
    await transaction.commit(deleteAttemptsCall(projectId, erased![0].sent), [
      ERASE_EMPTY,
      [projectId, batchIds],
    ]);
    return true;
  });
}
