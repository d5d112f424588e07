import { LRUCache } from 'lru-cache';
import type { Database } from '../../storage/database.ts';
import { createLeaseQueue, type Lease } from '../../storage/queue/lease-queue.ts';
import { LEASE_SECONDS } from './email-check-sql.ts';

/** Checks outside of batches. */
export const CHECK_QUEUE = createLeaseQueue({
  subject: 'email_check',
  jobs: 'checks',
  table: 'email_checks',
  key: 'check_id',
  leaseSeconds: LEASE_SECONDS,
});

/** A batch that this process works on. */
export type ClaimedBatch = Lease & { readonly emitsEach: boolean };

/**
 * Of the project with the oldest claim, its batch with the oldest claim is next. Candidates are chosen without locks. $4 is
 * the current time, $5 and $6 are projects and their claim times.
 */
export const BATCH_QUEUE = createLeaseQueue<ClaimedBatch & { worked_at: Date }>({
  subject: 'email_check',
  jobs: 'batch',
  table: 'email_batches',
  key: 'batch_id',
  leaseSeconds: LEASE_SECONDS,
  candidates: `open as (
             select b.project_id, b.batch_id, b.worked_at, b.created_at, b.claimable_at,
               greatest(max(b.worked_at) over (partition by b.project_id), t.worked_at) as project_worked_at
             from email_batches b
             left join unnest($5::uuid[], $6::timestamptz[]) t (project_id, worked_at) on t.project_id = b.project_id
             where b.status <> 'completed' and ($1::uuid is null or b.project_id = $1)
           ), candidates as materialized (
             select project_id, batch_id, row_number() over (
                 order by project_worked_at nulls first, worked_at nulls first, created_at, batch_id
               ) as place
             from open where claimable_at <= now()
             order by place limit 50
           )`,
  order: 'c.place',
  claimed: `status = 'processing', started_at = coalesce(x.started_at, $4), worked_at = clock_timestamp()`,
  columns: 'x.emits_each as "emitsEach", x.worked_at',
});

/** Maximum number of projects in memory. */
const MAX_PROJECTS = 1000;

/** Returns the function that claims the next batch of a project, or of all projects. */
export function batchClaimer(
  system: Pick<Database['system'], 'query'>,
  now: () => Date,
): (projectId: string | null) => Promise<ClaimedBatch[]> {
  // Completed batches do not count, so the time of the last claim of each project is kept here.
  const claimTimes = new LRUCache<string, Date>({ max: MAX_PROJECTS });
  return async (projectId) => {
    const known = [...claimTimes.entries()];
    const times = [known.map(([id]) => id), known.map(([, workedAt]) => workedAt)];
    // One at a time: the second batch of a claim would not be in turn.
    const batches = await BATCH_QUEUE.claim(system, projectId, 1, now(), ...times);
    for (const batch of batches) claimTimes.set(batch.projectId, batch.worked_at);
    return batches;
  };
}
