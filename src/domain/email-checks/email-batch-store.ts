import type { EmailBatch, EmailBatchStatus } from '@vouchgraph/email/checks';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Call, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { countFound, findPage, selectionIn } from '../../storage/selection.ts';
import type { Project } from '../projects/project.ts';
import type { EncryptedCheck } from './email-check-row.ts';
import { receives } from './email-check-sql.ts';

type BatchRow = {
  batch_id: string;
  import_id: string | null;
  import_number: number | null;
  name: Buffer | null;
  status: EmailBatchStatus;
  total_count: number;
  completed_count: number;
  failed_count: number;
  identity_intelligence: boolean;
  emits_each: boolean;
  actor: string;
  request_id: string;
  created_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
};

const BATCH_COLUMNS = `batch_id, import_id, import_number, name, status, total_count, completed_count, failed_count,
    identity_intelligence, emits_each, actor, request_id, created_at, started_at, completed_at`;

const BATCH_NAME = 'email_batches';

/** Decrypts a batch. */
export function toBatch(cipher: ProjectCipher, row: BatchRow): EmailBatch {
  return {
    batchId: row.batch_id,
    importId: row.import_id,
    importNumber: row.import_number,
    name: row.name === null ? '' : cipher.decryptJson<string>(BATCH_NAME, row.batch_id, row.name),
    status: row.status,
    totalCount: row.total_count,
    completedCount: row.completed_count,
    failedCount: row.failed_count,
    identityIntelligence: row.identity_intelligence,
    emitsEach: row.emits_each,
    actor: row.actor,
    requestId: row.request_id,
    createdAt: row.created_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
  };
}

/** A batch that is added. */
export type NewBatch = {
  readonly batchId: string;
  readonly name: string;
  readonly identityIntelligence: boolean;
  readonly emitsEach: boolean;
  readonly importId: string | null;
  readonly importNumber: number | null;
  /** Keyed hash of the rows of an import, by which a repeated upload is recognized. */
  readonly digest: Buffer | null;
  readonly actor: string;
  readonly requestId: string;
  readonly createdAt: Date;
};

/** Nothing is inserted when the import already has a batch with this number. */
const INSERT_BATCH = namedStatement(
  'email_check.insert_batch',
  `with batch as (
           insert into email_batches (project_id, batch_id, import_id, import_number, name, total_count,
             identity_intelligence, emits_each, digest, actor, request_id, created_at, claimable_at)
           values (:projectId, :batchId, :importId, :importNumber, :name, :totalCount, :identityIntelligence, :emitsEach,
             :digest, :actor, :requestId, :createdAt, now())
           on conflict (project_id, import_id, import_number) do nothing
           returning batch_id
         ), checks as (
           insert into email_checks (project_id, check_id, batch_id, position, address_hash, input, request_id, created_at)
           select :projectId, c.check_id, batch.batch_id, c.place - 1, c.address_hash, c.input, :requestId, :createdAt
           from batch, unnest(:checkIds::uuid[], :addressHashes::bytea[], :inputs::bytea[]) with ordinality
             as c (check_id, address_hash, input, place)
         )
         select batch_id, ${receives(`'email.batch.completed'`)}
           or (:emitsEach and ${receives(`'email.intelligence.completed'`)}) as webhook_configured from batch`,
);

/** Inserts further checks of a batch. */
const INSERT_CHECKS = namedStatement(
  'email_check.insert_checks',
  `insert into email_checks (project_id, check_id, batch_id, position, address_hash, input, request_id, created_at)
         select :projectId, c.check_id, :batchId, :firstPlace::int + c.place - 1, c.address_hash, c.input, :requestId, :createdAt
         from unnest(:checkIds::uuid[], :addressHashes::bytea[], :inputs::bytea[]) with ordinality as c (check_id,
           address_hash, input, place)`,
);

/** Rows of one statement of an import: a longer one would delay other requests in the event loop and the database. */
const ROWS_PER_STATEMENT = 200;

/** The statements that insert a batch with its checks, in the order given, a few hundred rows each. */
export function insertBatchCalls(
  project: Project,
  batch: NewBatch,
  checks: readonly EncryptedCheck[],
): Call[] {
  const calls = [insertBatchCall(project, batch, checks.slice(0, ROWS_PER_STATEMENT), checks.length)];
  for (let from = ROWS_PER_STATEMENT; from < checks.length; from += ROWS_PER_STATEMENT) {
    const columns = columnsOf(checks.slice(from, from + ROWS_PER_STATEMENT));
    const { batchId, requestId, createdAt } = batch;
    const { projectId } = project;
    calls.push(
      INSERT_CHECKS.call({ projectId, batchId, firstPlace: from, requestId, createdAt, ...columns }),
    );
  }
  return calls;
}

function columnsOf(checks: readonly EncryptedCheck[]) {
  return {
    checkIds: checks.map(({ checkId }) => checkId),
    addressHashes: checks.map(({ addressHash }) => addressHash),
    inputs: checks.map(({ input }) => input),
  };
}

/** The statement that inserts a batch with its checks, in the order given. */
function insertBatchCall(
  { projectId, cipher }: Project,
  batch: NewBatch,
  checks: readonly EncryptedCheck[],
  totalCount: number = checks.length,
): Call {
  const name = batch.name === '' ? null : cipher.encryptJson(BATCH_NAME, batch.batchId, batch.name);
  const { batchId, importId, importNumber, identityIntelligence, emitsEach, digest } = batch;
  const { actor, requestId, createdAt } = batch;
  return INSERT_BATCH.call({
    ...{ projectId, batchId, importId, importNumber, name, identityIntelligence, emitsEach, digest },
    ...{ actor, requestId, createdAt, totalCount },
    ...columnsOf(checks),
  });
}

/** Result of the insertion of a batch; null if its import already has a batch at this position. */
export type InsertedBatch = { readonly isWebhookConfigured: boolean } | null;

/** Inserts a batch with its checks, in the order given, in one statement. */
export async function insertBatch(
  project: Project,
  batch: NewBatch,
  checks: readonly EncryptedCheck[],
): Promise<InsertedBatch> {
  const [row] = await project.database.query(...insertBatchCall(project, batch, checks));
  return row ? { isWebhookConfigured: row.webhook_configured } : null;
}

/** A batch by its id; null when the project has none. */
export async function findBatch(project: Project, batchId: string): Promise<EmailBatch | null> {
  const [found] = await findBatches(project, [batchId]);
  return found ?? null;
}

const FIND_BATCH_OF_IMPORT: Statement = {
  name: 'email_check.find_batch_of_import',
  text: `select ${BATCH_COLUMNS} from email_batches where project_id = $1 and import_id = $2 and import_number = $3`,
};

/** The batch of an import by its number; null when it does not exist. */
export async function findBatchOfImport(
  { projectId, cipher, database }: Project,
  importId: string,
  importNumber: number,
): Promise<EmailBatch | null> {
  const [row] = await database.query<BatchRow>(FIND_BATCH_OF_IMPORT, [projectId, importId, importNumber]);
  return row ? toBatch(cipher, row) : null;
}

/** Values: project and batch ids. */
export const FIND_BATCHES: Statement = {
  name: 'email_check.find_batches',
  text: `select ${BATCH_COLUMNS} from email_batches where project_id = $1 and batch_id = any($2::uuid[])`,
};

/** Batches by their ids, in no particular order. */
export async function findBatches(
  { projectId, cipher, database }: Project,
  batchIds: readonly string[],
): Promise<EmailBatch[]> {
  const rows = await database.query<BatchRow>(FIND_BATCHES, [projectId, batchIds]);
  return rows.map((row) => toBatch(cipher, row));
}

const ORDER = [{ sql: 'batch_id', type: 'uuid' }] as const;
const OF_STATUS = ['project_id = $1', '($2::text is null or status = $2)'];

/** A page of batches, the newest first, of a status or of all. */
export async function listBatches(
  { cipher, database }: Project,
  status: EmailBatchStatus | null,
  page: KeysetPage,
): Promise<EmailBatch[]> {
  const rows = await findPage<BatchRow>(
    selectionIn(database, OF_STATUS, [status]),
    'email_check.list_batches',
    { columns: ORDER, direction: 'DESC', page },
    ({ where, order }) => `select ${BATCH_COLUMNS} from email_batches where ${where} ${order}`,
  );
  return rows.map((row) => toBatch(cipher, row));
}

/** Number of batches of a status or of all, counted up to a limit. */
export function countBatches(
  { database }: Project,
  status: EmailBatchStatus | null,
  limit: number,
): Promise<number> {
  return countFound(
    selectionIn(database, OF_STATUS, [status]),
    'email_check.count_batches',
    limit,
    (where, most) => `select from email_batches where ${where} limit ${most}`,
  );
}
