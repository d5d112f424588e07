import { LRUCache } from 'lru-cache';
import type { ProjectCipher } from '../../platform/crypto.ts';
import { inTurns } from '../../platform/slices.ts';
import type { Call, Database, ProjectDatabase, Statement, Transaction } from '../../storage/database.ts';
import { parseEmail } from '../email/email-address.ts';
import { insertEvents } from '../events/insert-events-store.ts';
import type { OutboxEvent } from '../events/outbox-event.ts';
import type { Project } from '../projects/project.ts';
import { addressHashOf } from './address-hash.ts';
import type {
  EmailBatch,
  EmailBatchStatus,
  EmailCheck,
  EmailCheckInput,
  EmailCheckOutcome,
  EmailCheckStatus,
} from './email-check.ts';

/** Time after which another process continues the work of one that shows no more signs of life. */
export const LEASE = `interval '30 seconds'`;

type CheckRow = {
  check_id: string;
  batch_id: string | null;
  position: number | null;
  account_id: string | null;
  status: EmailCheckStatus;
  input: Buffer;
  result: Buffer | null;
  request_id: string;
  created_at: Date;
  completed_at: Date | null;
};

const CHECK_COLUMNS =
  'check_id, batch_id, position, account_id, status, input, result, request_id, created_at, completed_at';

const INPUT = 'email_checks.input';
const RESULT = 'email_checks.result';

function toCheck(cipher: ProjectCipher, row: CheckRow): EmailCheck {
  const outcome = row.result && cipher.openJson<EmailCheckOutcome>(RESULT, row.check_id, row.result);
  return {
    checkId: row.check_id,
    batchId: row.batch_id,
    position: row.position,
    accountId: row.account_id,
    status: row.status,
    input: openInput(cipher, row),
    assessment: outcome && 'assessment' in outcome ? outcome.assessment : null,
    error: outcome && 'error' in outcome ? outcome.error : null,
    requestId: row.request_id,
    createdAt: row.created_at,
    completedAt: row.completed_at,
  };
}

/** One that cannot be decrypted never will be: its check ends with an error, and stays readable. */
function openInput(cipher: ProjectCipher, { check_id, input }: CheckRow): EmailCheckInput | null {
  try {
    return cipher.openJson<EmailCheckInput>(INPUT, check_id, input);
  } catch {
    return null;
  }
}

function toChecks({ cipher }: Project, rows: readonly CheckRow[]): Promise<EmailCheck[]> {
  return inTurns(rows, (row) => toCheck(cipher, row));
}

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

function toBatch(cipher: ProjectCipher, row: BatchRow): EmailBatch {
  return {
    batchId: row.batch_id,
    importId: row.import_id,
    importNumber: row.import_number,
    name: row.name === null ? '' : cipher.openJson<string>(BATCH_NAME, row.batch_id, row.name),
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

/** SQL: whether an enabled webhook endpoint of the project $1 receives events of a type. */
const receives = (type: string): string => `exists (
    select 1 from webhook_endpoints w
    where w.project_id = $1 and w.state = 'enabled' and (cardinality(w.event_types) = 0 or ${type} = any(w.event_types))
  )`;

/* Adding */

/** A check that is added. */
export type NewCheck = {
  readonly checkId: string;
  readonly input: EmailCheckInput;
  /** Address by which the check is found and erased, where it differs from that of the input. */
  readonly address?: string;
};

/** A check as its row holds it. */
export type EncryptedCheck = {
  readonly checkId: string;
  readonly addressHash: Buffer;
  readonly input: Buffer;
};

/** Encrypts checks for their rows, in slices that leave the event loop to others. */
export function encryptChecks(project: Project, checks: readonly NewCheck[]): Promise<EncryptedCheck[]> {
  return inTurns(checks, (check) => encryptCheck(project, check));
}

/** Encrypts a check for its row. */
export function encryptCheck(
  { cipher }: Project,
  { checkId, input, address = input.email }: NewCheck,
): EncryptedCheck {
  return {
    checkId,
    addressHash: addressHashOf(cipher, parseEmail(address)),
    input: cipher.sealJson(INPUT, checkId, input),
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
  /** Keyed hash of the rows of an import, by which a repeated upload is recognised. */
  readonly digest: Buffer | null;
  readonly actor: string;
  readonly requestId: string;
  readonly createdAt: Date;
};

/** Nothing is inserted when the import already has a batch at this place. */
const INSERT_BATCH: Statement = {
  name: 'email_check.insert_batch',
  text: `with batch as (
           insert into email_batches (project_id, batch_id, import_id, import_number, name, total_count,
             identity_intelligence, emits_each, digest, actor, request_id, created_at)
           values ($1, $2, $3, $4, $5, $15, $6, $7, $8, $9, $10, $11)
           on conflict (project_id, import_id, import_number) do nothing
           returning batch_id
         ), checks as (
           insert into email_checks (project_id, check_id, batch_id, position, address_hash, input, request_id, created_at)
           select $1, c.check_id, batch.batch_id, c.place - 1, c.address_hash, c.input, $10, $11
           from batch, unnest($12::uuid[], $13::bytea[], $14::bytea[]) with ordinality
             as c (check_id, address_hash, input, place)
         )
         select batch_id, ${receives(`'email.batch.completed'`)}
           or ($7 and ${receives(`'email.intelligence.completed'`)}) as webhook_configured from batch`,
};

/** Further checks of a batch, behind those that it was inserted with. */
const INSERT_CHECKS: Statement = {
  name: 'email_check.insert_checks',
  text: `insert into email_checks (project_id, check_id, batch_id, position, address_hash, input, request_id, created_at)
         select $1, c.check_id, $2, $3::int + c.place - 1, c.address_hash, c.input, $4, $5
         from unnest($6::uuid[], $7::bytea[], $8::bytea[]) with ordinality as c (check_id, address_hash, input, place)`,
};

/** Rows of one statement of an import: a longer one keeps the event loop and the database from other requests. */
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
    calls.push([INSERT_CHECKS, [project.projectId, batchId, from, requestId, createdAt, ...columns]]);
  }
  return calls;
}

function columnsOf(checks: readonly EncryptedCheck[]) {
  return [
    checks.map(({ checkId }) => checkId),
    checks.map(({ addressHash }) => addressHash),
    checks.map(({ input }) => input),
  ];
}

/** The statement that inserts a batch with its checks, in the order given. */
function insertBatchCall(
  { projectId, cipher }: Project,
  batch: NewBatch,
  checks: readonly EncryptedCheck[],
  totalCount: number = checks.length,
): Call {
  const name = batch.name === '' ? null : cipher.sealJson(BATCH_NAME, batch.batchId, batch.name);
  const values = [projectId, batch.batchId, batch.importId, batch.importNumber, name];
  const settings = [batch.identityIntelligence, batch.emitsEach, batch.digest, batch.actor];
  return [
    INSERT_BATCH,
    [...values, ...settings, batch.requestId, batch.createdAt, ...columnsOf(checks), totalCount],
  ];
}

/** What the insertion of a batch returns; null when its import already has a batch at this place. */
export type InsertedBatch = { readonly isWebhookConfigured: boolean } | null;

/** Inserts a batch with its checks, in the order given, in one statement. */
export async function insertBatch(
  project: Project,
  batch: NewBatch,
  checks: readonly EncryptedCheck[],
  transaction?: Transaction,
): Promise<InsertedBatch> {
  const call = insertBatchCall(project, batch, checks);
  const [rows] = transaction ? await transaction.run(call) : [await project.database.query(...call)];
  const [row] = rows!;
  return row ? { isWebhookConfigured: row.webhook_configured } : null;
}

const INSERT_CHECK: Statement = {
  name: 'email_check.insert',
  text: `with event as (
           ${insertEvents(
             {
               createdAt: '$11',
               eventId: '$8::uuid',
               type: '$9::text',
               accountId: '$3',
               requestId: '$2',
               payload: '$10::bytea',
             },
             'where $8::uuid is not null',
           )}
         )
         insert into email_checks (project_id, check_id, account_id, address_hash, status, input, result, event_id,
           request_id, created_at, completed_at, locked_until)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $12, $11, case when $5 <> 'pending' then $11::timestamptz end,
           case when $5 = 'pending' then now() + ${LEASE} end)
         returning ${receives(`'email.intelligence.completed'`)} as webhook_configured`,
};

/** What a check outside of batches is stored with. */
export type SingleCheck = {
  readonly check: EncryptedCheck;
  readonly accountId: string | null;
  readonly requestId: string;
  readonly at: Date;
  /** Null while it is pending: this process then has it for the time of a lease. */
  readonly completed: { readonly outcome: EmailCheckOutcome; readonly event: OutboxEvent } | null;
};

/** Stores a check outside of batches, with its event when it is completed, in one statement. */
export async function insertCheck(
  { projectId, cipher, database }: Project,
  { check, accountId, requestId, at, completed }: SingleCheck,
): Promise<{ isWebhookConfigured: boolean }> {
  const { checkId } = check;
  const [row] = await database.query(INSERT_CHECK, [
    ...[projectId, checkId, accountId, check.addressHash],
    completed ? statusOf(completed.outcome) : 'pending',
    check.input,
    completed && encryptOutcome(cipher, checkId, completed.outcome),
    ...[completed?.event.eventId ?? null, completed?.event.type ?? null, completed?.event.payload ?? null],
    ...[at, requestId],
  ]);
  return { isWebhookConfigured: row.webhook_configured };
}

function statusOf(outcome: EmailCheckOutcome): EmailCheckStatus {
  return 'assessment' in outcome ? 'success' : 'error';
}

/** Encrypts how a check ended for its row. */
export function encryptOutcome(cipher: ProjectCipher, checkId: string, outcome: EmailCheckOutcome): Buffer {
  return cipher.sealCompactJson(RESULT, checkId, outcome);
}

/* Reading */

const FIND_CHECK: Statement = {
  name: 'email_check.find',
  text: `select ${CHECK_COLUMNS} from email_checks where project_id = $1 and check_id = $2`,
};

/** A check by its id; null when the project has none. */
export async function findCheck(project: Project, checkId: string): Promise<EmailCheck | null> {
  const { projectId, cipher, database } = project;
  const [row] = await database.query<CheckRow>(FIND_CHECK, [projectId, checkId]);
  return row ? toCheck(cipher, row) : null;
}

const ARE_COMPLETED: Statement = {
  name: 'email_check.are_completed',
  text: `select i.id from unnest($2::uuid[]) i (id) where coalesce(
             (select c.status <> 'pending' from email_checks c where c.project_id = $1 and c.check_id = i.id),
             (select b.status = 'completed' from email_batches b where b.project_id = $1 and b.batch_id = i.id),
             true
           )`,
};

/** Those of these checks and batches that are completed, or do not exist (any more). */
export async function findCompletedIds(
  { projectId, database }: Project,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await database.query<{ id: string }>(ARE_COMPLETED, [projectId, ids]);
  return rows.map(({ id }) => id);
}

const FIND_BATCH: Statement = {
  name: 'email_check.find_batch',
  text: `select ${BATCH_COLUMNS} from email_batches where project_id = $1 and batch_id = $2`,
};

/** A batch by its id; null when the project has none. */
export async function findBatch(
  { projectId, cipher, database }: Project,
  batchId: string,
): Promise<EmailBatch | null> {
  const [row] = await database.query<BatchRow>(FIND_BATCH, [projectId, batchId]);
  return row ? toBatch(cipher, row) : null;
}

const FIND_BATCH_OF_IMPORT: Statement = {
  name: 'email_check.find_batch_of_import',
  text: `select ${BATCH_COLUMNS} from email_batches where project_id = $1 and import_id = $2 and import_number = $3`,
};

/** The batch at a place of an import; null when there is none. */
export async function findBatchOfImport(
  { projectId, cipher, database }: Project,
  importId: string,
  importNumber: number,
): Promise<EmailBatch | null> {
  const [row] = await database.query<BatchRow>(FIND_BATCH_OF_IMPORT, [projectId, importId, importNumber]);
  return row ? toBatch(cipher, row) : null;
}

const LIST_BATCHES: Statement = {
  name: 'email_check.list_batches',
  text: `select ${BATCH_COLUMNS} from email_batches
         where project_id = $1 and batch_id < $2 and ($3::text is null or status = $3)
         order by batch_id desc limit $4`,
};

/** Batches before an id, the newest first, of a status or of all. */
export async function listBatches(
  { projectId, cipher, database }: Project,
  page: { before: string; status: EmailBatchStatus | null; limit: number },
): Promise<EmailBatch[]> {
  const values = [projectId, page.before, page.status, page.limit];
  return (await database.query<BatchRow>(LIST_BATCHES, values)).map((row) => toBatch(cipher, row));
}

/** A page of the checks of a batch. */
export type CheckPage = {
  /** Behind this position; -1 for the first page. */
  readonly after: number;
  /** Whether pending ones are left out. */
  readonly isCompleted: boolean;
  readonly limit: number;
};

const LIST_CHECKS: Statement = {
  name: 'email_check.list_of_batches',
  text: `select c.* from unnest($2::uuid[]) b (id) cross join lateral (
           select ${CHECK_COLUMNS} from email_checks
           where project_id = $1 and batch_id = b.id and position > $3 and (not $4::boolean or status <> 'pending')
           order by position limit $5
         ) c order by c.batch_id, c.position`,
};

/** The same page of several batches, each in the order sent. */
export async function listChecks(
  project: Project,
  batchIds: readonly string[],
  { after, isCompleted: completedOnly, limit }: CheckPage,
): Promise<EmailCheck[]> {
  const values = [project.projectId, batchIds, after, completedOnly, limit];
  return toChecks(project, await project.database.query<CheckRow>(LIST_CHECKS, values));
}

/* Working */

/** Work that this process has for the time of a lease. */
export type ClaimedBatch = {
  readonly projectId: string;
  readonly batchId: string;
  readonly emitsEach: boolean;
  readonly lease: Date;
};

/** When this process last worked on a batch of each project. */
export type ProjectTurns = LRUCache<string, Date>;

/** Projects whose turns are remembered. */
const MAX_PROJECTS = 1000;

/** Remembers turns: completed batches say nothing of them. */
export function createProjectTurns(): ProjectTurns {
  return new LRUCache({ max: MAX_PROJECTS });
}

/**
 * The next batch: of the project that was worked on least recently its batch that was worked on least recently. Candidates
 * are chosen without locks, and the first that no other process holds is taken. $3 and $4 are the turns of projects.
 */
const CLAIM_BATCH: Statement = {
  name: 'email_check.claim_batch',
  text: `with open as (
           select b.project_id, b.batch_id, b.worked_at, b.created_at, b.locked_until,
             greatest(max(b.worked_at) over (partition by b.project_id), t.worked_at) as project_worked_at
           from email_batches b
           left join unnest($3::uuid[], $4::timestamptz[]) t (project_id, worked_at) on t.project_id = b.project_id
           where b.status <> 'completed' and ($1::uuid is null or b.project_id = $1)
         ), candidates as materialized (
           select project_id, batch_id, row_number() over (
               order by project_worked_at nulls first, worked_at nulls first, created_at, batch_id
             ) as place
           from open where locked_until is null or locked_until < now()
           order by place limit 50
         ), next as (
           select b.project_id, b.batch_id from candidates c
           join email_batches b on b.project_id = c.project_id and b.batch_id = c.batch_id
           where b.status <> 'completed' and (b.locked_until is null or b.locked_until < now())
           order by c.place limit 1 for update of b skip locked
         )
         update email_batches b set status = 'processing', started_at = coalesce(b.started_at, $2),
           locked_until = now() + ${LEASE}, worked_at = clock_timestamp()
         from next where b.project_id = next.project_id and b.batch_id = next.batch_id
         returning b.project_id, b.batch_id, b.emits_each, b.locked_until, b.worked_at`,
};

/** Claims the next open batch of a project, or of all; null when there is none that is free. */
export async function claimBatch(
  system: Pick<Database['system'], 'query'>,
  projectId: string | null,
  now: Date,
  turns: ProjectTurns,
): Promise<ClaimedBatch | null> {
  const known = [...turns.entries()];
  const values = [projectId, now, known.map(([id]) => id), known.map(([, workedAt]) => workedAt)];
  const [row] = await system.query(CLAIM_BATCH, values);
  if (!row) return null;
  turns.set(row.project_id, row.worked_at);
  const { batch_id: batchId, emits_each: emitsEach, locked_until: lease } = row;
  return { projectId: row.project_id, batchId, emitsEach, lease };
}

const CLAIM_CHECKS: Statement = {
  name: 'email_check.claim_checks',
  text: `with next as (
           select project_id, check_id from email_checks
           where status = 'pending' and batch_id is null and locked_until < now()
             and ($1::uuid is null or project_id = $1)
           order by locked_until limit $2 for update skip locked
         )
         update email_checks c set locked_until = now() + ${LEASE}
         from next where c.project_id = next.project_id and c.check_id = next.check_id
         returning c.project_id, c.check_id`,
};

/** Claims checks outside of batches whose process shows no more signs of life, of a project or of all. */
export function claimChecks(
  system: Pick<Database['system'], 'query'>,
  projectId: string | null,
  limit: number,
): Promise<{ project_id: string; check_id: string }[]> {
  return system.query(CLAIM_CHECKS, [projectId, limit]);
}

/** A check to work on. */
export type PendingCheck = EmailCheck & { readonly attempts: number };

type PendingRow = CheckRow & { attempts: number };

async function toPending(project: Project, rows: readonly PendingRow[]): Promise<PendingCheck[]> {
  const checks = await toChecks(project, rows);
  return checks.map((check, index) => ({ ...check, attempts: rows[index]!.attempts }));
}

const READ_PENDING_OF_BATCH: Statement = {
  name: 'email_check.read_pending_of_batch',
  text: `select ${CHECK_COLUMNS}, attempts from email_checks
         where project_id = $1 and batch_id = $2 and status = 'pending' order by position limit $3`,
};

/** The next pending checks of a batch, in the order sent. */
export async function readPendingOfBatch(
  project: Project,
  batchId: string,
  limit: number,
): Promise<PendingCheck[]> {
  const values = [project.projectId, batchId, limit];
  return toPending(project, await project.database.query<PendingRow>(READ_PENDING_OF_BATCH, values));
}

const READ_PENDING: Statement = {
  name: 'email_check.read_pending',
  text: `select ${CHECK_COLUMNS}, attempts from email_checks
         where project_id = $1 and check_id = any($2::uuid[]) and status = 'pending' order by check_id`,
};

/** Those of these checks that are pending. */
export async function readPending(project: Project, checkIds: readonly string[]): Promise<PendingCheck[]> {
  const values = [project.projectId, checkIds];
  return toPending(project, await project.database.query<PendingRow>(READ_PENDING, values));
}

/** A check with how it ends; the event is null where the batch emits none for each address. */
export type CompletedCheck = {
  readonly checkId: string;
  readonly outcome: EmailCheckOutcome;
  /** The outcome as it is stored. */
  readonly result: Buffer;
  readonly event: OutboxEvent | null;
};

/**
 * A check that another process completed meanwhile is left as it is, without an event. Callers hold the lock of the batch,
 * so that two processes complete in one order. A batch is completed when none of its checks is pending: pending ones that
 * were erased do not keep it open.
 */
const COMPLETE: Statement = {
  name: 'email_check.complete',
  text: `with given as (
           select * from unnest($3::uuid[], $4::text[], $5::bytea[], $6::uuid[], $7::bytea[]) with ordinality
             as g (check_id, status, result, event_id, payload, place)
         ), completed as (
           update email_checks c set status = g.status, result = g.result, event_id = g.event_id, completed_at = $2,
             locked_until = null
           from given g where c.project_id = $1 and c.check_id = g.check_id and c.status = 'pending'
           returning c.check_id, c.batch_id, c.status, c.account_id, c.request_id, g.event_id, g.payload, g.place
         ), events as (
           ${insertEvents(
             {
               createdAt: '$2',
               eventId: 'c.event_id',
               type: `'email.intelligence.completed'`,
               accountId: 'c.account_id',
               requestId: 'case when c.batch_id is null then c.check_id else c.request_id end',
               payload: 'c.payload',
             },
             'from completed c where c.event_id is not null order by c.place',
           )}
         ), batch as (
           update email_batches b set completed_count = b.completed_count + n.completed,
             failed_count = b.failed_count + n.failed, worked_at = clock_timestamp(),
             status = case when n.completed >= n.pending then 'completed' else b.status end,
             completed_at = case when n.completed >= n.pending then $2::timestamptz end,
             locked_until = case when b.locked_until = $9 then null else b.locked_until end
           from (
             select count(*)::int as completed, (count(*) filter (where status = 'error'))::int as failed, (
                 select count(*)::int from email_checks p
                 where p.project_id = $1 and p.batch_id = $8::uuid and p.status = 'pending'
               ) as pending
             from completed
           ) n
           where b.project_id = $1 and b.batch_id = $8::uuid and b.status <> 'completed'
           returning b.status
         )
         select (select coalesce(array_agg(check_id order by place), '{}') from completed) as check_ids,
           (select status from batch) as batch_status`,
};

const LOCK_BATCH: Statement = {
  name: 'email_check.lock_batch',
  text: 'select 1 from email_batches where project_id = $1 and batch_id = $2 for update',
};

/** What a completion changed. */
export type Completion = {
  /** Those that this call completed, and no other one. */
  readonly checkIds: readonly string[];
  /** The batch when this call completed it. */
  readonly finishedBatch: EmailBatch | null;
};

/** Stores how checks of one batch, or of none, end, with their events; the batch is released. Does not commit. */
export async function completeChecks(
  transaction: Transaction,
  { projectId, cipher }: Project,
  checks: readonly CompletedCheck[],
  batch: ClaimedBatch | null,
  at: Date,
): Promise<Completion> {
  const complete: Call = [
    COMPLETE,
    [
      ...[projectId, at],
      checks.map(({ checkId }) => checkId),
      checks.map(({ outcome }) => statusOf(outcome)),
      checks.map(({ result }) => result),
      checks.map(({ event }) => event?.eventId ?? null),
      checks.map(({ event }) => event?.payload ?? null),
      ...[batch?.batchId ?? null, batch?.lease ?? null],
    ],
  ];
  if (!batch) {
    const [rows] = await transaction.run(complete);
    return { checkIds: rows![0].check_ids, finishedBatch: null };
  }
  const key = [projectId, batch.batchId];
  const [, rows, found] = await transaction.run([LOCK_BATCH, key], complete, [FIND_BATCH, key]);
  const { check_ids: checkIds, batch_status: status } = rows![0];
  return { checkIds, finishedBatch: status === 'completed' ? toBatch(cipher, found![0]) : null };
}

const NOTE_FAILURES: Statement = {
  name: 'email_check.note_failures',
  text: 'update email_checks set attempts = attempts + 1 where project_id = $1 and check_id = any($2::uuid[])',
};

/** Counts a failed attempt for each of these checks. */
export function noteFailuresCall(projectId: string, checkIds: readonly string[]): Call {
  return [NOTE_FAILURES, [projectId, checkIds]];
}

const RELEASE_BATCH: Statement = {
  name: 'email_check.release_batch',
  text: `update email_batches set locked_until = null where project_id = $1 and batch_id = $2 and locked_until = $3`,
};

/** Leaves a batch to any process. */
export async function releaseBatch(database: ProjectDatabase, batch: ClaimedBatch): Promise<void> {
  await database.query(RELEASE_BATCH, [database.projectId, batch.batchId, batch.lease]);
}

const RELEASE_CHECKS: Statement = {
  name: 'email_check.release_checks',
  text: `update email_checks set locked_until = now()
         where project_id = $1 and check_id = any($2::uuid[]) and status = 'pending'`,
};

/** Leaves checks outside of batches to any process. */
export async function releaseChecks(database: ProjectDatabase, checkIds: readonly string[]): Promise<void> {
  await database.query(RELEASE_CHECKS, [database.projectId, checkIds]);
}
