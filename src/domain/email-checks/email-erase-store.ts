import type { Call, ProjectDatabase, Statement, Transaction } from '../../storage/database.ts';
import { type AuditEntry, auditCall } from '../audit/audit-store.ts';
import { timeOfEvent } from '../events/time-of-event-sql.ts';
import { eraseAnswersCall } from '../idempotency/idempotency-store.ts';
import { LOCK_ORDER } from '../webhooks/delivery-queue-store.ts';
import { deleteAttemptsCall } from '../webhooks/erase-account-store.ts';

/** Checks of one call of `eraseChecksOfAddress`. */
const BATCH_ROWS = 1000;

/**
 * The checks to erase: those of the account $2, and those of the mailboxes $3, also of other accounts: they contain the names
 * of all accounts that have the address. $4 limits the mailboxes' ones; null for no limit.
 */
const CHOSEN = `
    select x.check_id, x.batch_id from email_checks x where x.project_id = $1 and x.account_id = $2
    union
    (select x.check_id, x.batch_id from email_checks x
     where x.project_id = $1 and x.address_hash = any($3::bytea[])
     order by x.created_at, x.check_id limit $4)`;

/** Locks batches before checks, in the order of completions, and waits for a running completion. */
const LOCK_BATCHES: Statement = {
  name: 'email_check.lock_erased_batches',
  text: `select 1 from email_batches b
         where b.project_id = $1 and b.status <> 'completed' and b.batch_id = any(array(select batch_id from (${CHOSEN}) c))
         order by b.batch_id for update`,
};

/**
 * A separate statement: it waits for completions, and the following statements see their events. A later completion finds
 * no row, and writes nothing.
 */
const LOCK_CHECKS: Statement = {
  name: 'email_check.lock_erased',
  text: `select c.check_id from email_checks c
         where c.project_id = $1 and c.check_id = any(array(select check_id from (${CHOSEN}) c))
         order by c.check_id for update`,
};

/**
 * An erased pending check of a batch counts as completed without a result, so that its batch completes. Counts of batches
 * still include it.
 */
const ERASE: Statement = {
  name: 'email_check.erase',
  text: `with gone as (
           delete from email_checks where project_id = $1 and check_id = any($2::uuid[])
           returning event_id, batch_id, status
         ), counted as (
           update email_batches b set completed_count = b.completed_count + g.pending,
             failed_count = b.failed_count + g.pending
           from (
             select batch_id, count(*)::int as pending from gone
             where status = 'pending' and batch_id is not null group by batch_id
           ) g
           where b.project_id = $1 and b.batch_id = g.batch_id
         ), sent as (
           delete from webhook_deliveries d using gone g where d.project_id = $1 and d.event_id = g.event_id
           returning d.delivery_id
         ), events as (
           delete from outbox_events e using gone g
           where e.project_id = $1 and e.created_at = ${timeOfEvent('g.event_id')} and e.event_id = g.event_id
           returning 1
         )
         select (select count(*)::int from events) as events, coalesce((select array_agg(delivery_id) from sent), '{}') as sent`,
};

/** Selection of the checks to erase. */
export type ErasedChecks = {
  /** Internal id of an account that is erased; null when an address is. */
  readonly accountId: string | null;
  readonly addressHashes: readonly Buffer[];
};

/** Erased rows. */
export type ErasedRows = {
  readonly checkIds: readonly string[];
  readonly events: number;
  /** Deliveries of these events. Their attempts are to be deleted by a later statement. */
  readonly deliveryIds: readonly string[];
};

/** The statements that lock the checks to erase; `eraseLocked` receives the rows of the last one. */
export function lockErasedCalls(
  projectId: string,
  { accountId, addressHashes }: ErasedChecks,
  limit: number | null = null,
): Call[] {
  const values = [projectId, accountId, addressHashes, limit];
  return [
    [LOCK_BATCHES, values],
    [LOCK_CHECKS, values],
  ];
}

/** Erases locked checks with their events and deliveries, inside the transaction that locked them. */
export async function eraseLocked(
  transaction: Transaction,
  projectId: string,
  locked: readonly { check_id: string }[],
): Promise<ErasedRows> {
  const checkIds = locked.map(({ check_id }) => check_id);
  if (checkIds.length === 0) return { checkIds, events: 0, deliveryIds: [] };
  const [, [erased] = []] = await transaction.run([LOCK_ORDER, [projectId]], [ERASE, [projectId, checkIds]]);
  return { checkIds, events: erased.events, deliveryIds: erased.sent };
}

/** Number of erased rows. */
export type ErasedCounts = { readonly checks: number; readonly events: number; readonly deliveries: number };

/**
 * Erases up to 1,000 checks of a mailbox with their results and events, and writes an audit entry, in one transaction.
 * `isLast`: no further check exists.
 */
export function eraseChecksOfAddress(
  database: ProjectDatabase,
  addressHash: Buffer,
  auditOf: (counts: ErasedCounts) => AuditEntry,
): Promise<{ counts: ErasedCounts; isLast: boolean }> {
  const { projectId } = database;
  return database.transaction(async (transaction) => {
    const chosen = { accountId: null, addressHashes: [addressHash] };
    const [, locked = []] = await transaction.run(...lockErasedCalls(projectId, chosen, BATCH_ROWS));
    const { checkIds, events, deliveryIds } = await eraseLocked(transaction, projectId, locked);
    const counts = { checks: checkIds.length, events, deliveries: deliveryIds.length };
    await transaction.commit(
      deleteAttemptsCall(projectId, deliveryIds),
      auditCall(projectId, auditOf(counts)),
      eraseAnswersCall(projectId, checkIds),
    );
    return { counts, isLast: checkIds.length < BATCH_ROWS };
  });
}
