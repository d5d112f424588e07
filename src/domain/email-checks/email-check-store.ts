import type { EmailBatch, EmailCheck, EmailCheckOutcome } from '@vouchgraph/email/checks';
import type { OutboxEvent } from '@vouchgraph/events';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Call, Statement, Transaction } from '../../storage/database.ts';
import { lockRow } from '../../storage/locks.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { ENDED, leaseEnd } from '../../storage/queue/lease-queue.ts';
import { countEach, countOfEach, findPage, selectionIn } from '../../storage/selection.ts';
import { insertEventsCtes } from '../events/insert-events-store.ts';
import type { Project } from '../projects/project.ts';
import { FIND_BATCHES, toBatch } from './email-batch-store.ts';
import {
  CHECK_COLUMNS,
  type CheckRow,
  type EncryptedCheck,
  encryptOutcome,
  type PendingCheck,
  type PendingRow,
  statusOf,
  toChecks,
  toPending,
} from './email-check-row.ts';
import { LEASE_SECONDS, receives } from './email-check-sql.ts';
import type { ClaimedBatch } from './email-claim-store.ts';

const INSERT_CHECK = namedStatement(
  'email_check.insert',
  `with ${insertEventsCtes(
    {
      createdAt: ':at',
      eventId: ':eventId::uuid',
      type: ':eventType::text',
      accountId: ':accountId',
      requestId: ':checkId',
      payload: ':eventPayload::bytea',
    },
    'where :eventId::uuid is not null',
  )}
         insert into email_checks (project_id, check_id, account_id, address_hash, status, input, result, event_id,
           request_id, created_at, completed_at, lease_id, claimable_at)
         values (:projectId, :checkId, :accountId, :addressHash, :status, :input, :result, :eventId, :requestId, :at,
           case when :status <> 'pending' then :at::timestamptz end,
           case when :status = 'pending' then :checkId::uuid end,
           case when :status = 'pending' then ${leaseEnd(LEASE_SECONDS)} end)
         returning ${receives(`'email.intelligence.completed'`)} as webhook_configured`,
  ['eventType', 'eventPayload'],
);

/** Stored values of a check outside of batches. */
export type SingleCheck = {
  readonly check: EncryptedCheck;
  readonly accountId: string | null;
  readonly requestId: string;
  readonly at: Date;
  /** Null while it is pending: this process then has its first lease, with the id of the check. */
  readonly completed: { readonly outcome: EmailCheckOutcome; readonly event: OutboxEvent } | null;
};

/** Stores a check outside of batches, with its event when it is completed, in one statement. */
export async function insertCheck(
  { projectId, cipher, database }: Project,
  { check, accountId, requestId, at, completed }: SingleCheck,
): Promise<{ isWebhookConfigured: boolean }> {
  const { checkId } = check;
  const [row] = await database.query(
    ...INSERT_CHECK.call({
      projectId,
      checkId,
      accountId,
      addressHash: check.addressHash,
      status: completed ? statusOf(completed.outcome) : 'pending',
      input: check.input,
      result: completed && encryptOutcome(cipher, checkId, completed.outcome),
      eventId: completed?.event.eventId ?? null,
      eventType: completed?.event.type ?? null,
      eventPayload: completed?.event.payload ?? null,
      at,
      requestId,
    }),
  );
  return { isWebhookConfigured: row.webhook_configured };
}

/** A check by its id; null when the project has none. */
export async function findCheck(project: Project, checkId: string): Promise<EmailCheck | null> {
  const [found] = await findChecks(project, [checkId]);
  return found ?? null;
}

const ARE_COMPLETED: Statement = {
  name: 'email_check.are_completed',
  text: `select i.id from unnest($2::uuid[]) i (id) where coalesce(
             (select c.status <> 'pending' from email_checks c where c.project_id = $1 and c.check_id = i.id),
             (select b.status = 'completed' from email_batches b where b.project_id = $1 and b.batch_id = i.id),
             true
           )`,
};

/** The completed or nonexistent ones of these checks and batches. */
export async function findCompletedIds(
  { projectId, database }: Project,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await database.query<{ id: string }>(ARE_COMPLETED, [projectId, ids]);
  return rows.map(({ id }) => id);
}

const FIND_CHECKS: Statement = {
  name: 'email_check.find_many',
  text: `select ${CHECK_COLUMNS} from email_checks where project_id = $1 and check_id = any($2::uuid[])`,
};

/** Checks by their ids, in no particular order. */
export async function findChecks(project: Project, checkIds: readonly string[]): Promise<EmailCheck[]> {
  const values = [project.projectId, checkIds];
  return toChecks(project, await project.database.query<CheckRow>(FIND_CHECKS, values));
}

/** A page of the checks of a batch, by their positions. */
export type CheckPage = {
  /** Whether pending checks are omitted. */
  readonly isCompleted: boolean;
  readonly page: KeysetPage;
};

const ORDER = [{ sql: 'position', type: 'int' }] as const;

/** The same page of several batches, each in the order sent; of a backward page in the reverse order. */
export async function listChecks(
  project: Project,
  batchIds: readonly string[],
  { isCompleted, page }: CheckPage,
): Promise<EmailCheck[]> {
  const rows = await findPage<CheckRow>(
    selectionIn(
      project.database,
      ['project_id = $1', 'batch_id = b.id', `(not $3::boolean or status <> 'pending')`],
      [batchIds, isCompleted],
    ),
    'email_check.list_of_batches',
    { columns: ORDER, direction: 'ASC', page },
    ({ where, order, reads }) => `select c.* from unnest($2::uuid[]) b (id) cross join lateral (
               select ${CHECK_COLUMNS} from email_checks where ${where} ${order}
             ) c order by c.batch_id, c.position ${reads}`,
  );
  return toChecks(project, rows);
}

const COUNT_CHECKS = countOfEach(
  'email_check.count_of_batches',
  `email_checks c where c.project_id = $1 and c.batch_id = p.id and (not $4::boolean or c.status <> 'pending')`,
);

/** Numbers of checks of batches, each counted up to a limit. */
export function countChecks(
  { database }: Project,
  batchIds: readonly string[],
  { isCompleted, limit }: { isCompleted: boolean; limit: number },
): Promise<number[]> {
  return countEach(database, COUNT_CHECKS, batchIds, limit, isCompleted);
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

/** The pending ones of these checks. */
export async function readPending(project: Project, checkIds: readonly string[]): Promise<PendingCheck[]> {
  const values = [project.projectId, checkIds];
  return toPending(project, await project.database.query<PendingRow>(READ_PENDING, values));
}

/** A check with its outcome; the event is null if the batch emits none for each address. */
export type CompletedCheck = {
  readonly checkId: string;
  readonly outcome: EmailCheckOutcome;
  /** The outcome as it is stored. */
  readonly result: Buffer;
  readonly event: OutboxEvent | null;
};

/**
 * A check that another process completed meanwhile is unchanged, without an event. Callers hold the lock of the batch, so
 * that two processes complete in one order. A batch is completed when none of its checks is pending: erased pending ones do
 * not keep it open.
 */
const COMPLETE = namedStatement(
  'email_check.complete',
  `with given as (
           select * from unnest(:checkIds::uuid[], :statuses::text[], :results::bytea[], :eventIds::uuid[],
             :payloads::bytea[]) with ordinality
             as g (check_id, status, result, event_id, payload, place)
         ), completed as (
           update email_checks c set status = g.status, result = g.result, event_id = g.event_id, completed_at = :at,
             ${ENDED}
           from given g where c.project_id = :projectId and c.check_id = g.check_id and c.status = 'pending'
           returning c.check_id, c.batch_id, c.status, c.account_id, c.request_id, g.event_id, g.payload, g.place
         ), ${insertEventsCtes(
           {
             createdAt: ':at',
             eventId: 'c.event_id',
             type: `'email.intelligence.completed'`,
             accountId: 'c.account_id',
             requestId: 'case when c.batch_id is null then c.check_id else c.request_id end',
             payload: 'c.payload',
           },
           'from completed c where c.event_id is not null order by c.place',
         )}, batch as (
           update email_batches b set completed_count = b.completed_count + n.completed,
             failed_count = b.failed_count + n.failed, worked_at = clock_timestamp(),
             status = case when n.completed >= n.pending then 'completed' else b.status end,
             completed_at = case when n.completed >= n.pending then :at::timestamptz end,
             lease_id = case when n.completed >= n.pending or b.lease_id = :leaseId then null else b.lease_id end,
             claimable_at = case
               when n.completed >= n.pending then null when b.lease_id = :leaseId then now() else b.claimable_at
             end
           from (
             select count(*)::int as completed, (count(*) filter (where status = 'error'))::int as failed, (
                 select count(*)::int from email_checks p
                 where p.project_id = :projectId and p.batch_id = :batchId::uuid and p.status = 'pending'
               ) as pending
             from completed
           ) n
           where b.project_id = :projectId and b.batch_id = :batchId::uuid and b.status <> 'completed'
           returning b.status
         )
         select (select coalesce(array_agg(check_id order by place), '{}') from completed) as check_ids,
           (select status from batch) as batch_status`,
);

const LOCK_BATCH = lockRow('email_check.lock_batch', { table: 'email_batches', key: 'batch_id' });

/** Changes of a completion. */
export type Completion = {
  /** Only checks that this call completed. */
  readonly checkIds: readonly string[];
  /** The batch when this call completed it. */
  readonly finishedBatch: EmailBatch | null;
};

/** Stores the outcomes of checks of one batch, or of none, with their events; the batch is released. Does not commit. */
export async function completeChecks(
  transaction: Transaction,
  { projectId, cipher }: Project,
  checks: readonly CompletedCheck[],
  batch: ClaimedBatch | null,
  at: Date,
): Promise<Completion> {
  const complete: Call = COMPLETE.call({
    projectId,
    at,
    checkIds: checks.map(({ checkId }) => checkId),
    statuses: checks.map(({ outcome }) => statusOf(outcome)),
    results: checks.map(({ result }) => result),
    eventIds: checks.map(({ event }) => event?.eventId ?? null),
    payloads: checks.map(({ event }) => event?.payload ?? null),
    batchId: batch?.id ?? null,
    leaseId: batch?.leaseId ?? null,
  });
  if (!batch) {
    const [rows] = await transaction.run(complete);
    return { checkIds: rows![0].check_ids, finishedBatch: null };
  }
  const key = [projectId, batch.id];
  const find: Call = [FIND_BATCHES, [projectId, [batch.id]]];
  const [, rows, found] = await transaction.run([LOCK_BATCH, key], complete, find);
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
