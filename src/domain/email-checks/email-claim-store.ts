import { LRUCache } from 'lru-cache';
import type { Database, ProjectDatabase, Statement } from '../../storage/database.ts';
import { LEASE } from './email-check-sql.ts';

/** Work that this process has for the time of a lease. */
export type ClaimedBatch = {
  readonly projectId: string;
  readonly batchId: string;
  readonly emitsEach: boolean;
  readonly lease: Date;
};

/** When this process last worked on a batch of each project. */
export type ClaimTimes = LRUCache<string, Date>;

/** Maximum number of projects in memory. */
const MAX_PROJECTS = 1000;

/** Time of the last claim of each project, which completed batches do not contain. */
export function createClaimTimes(): ClaimTimes {
  return new LRUCache({ max: MAX_PROJECTS });
}

/**
 * Claims the next batch: of the project with the oldest claim, its batch with the oldest claim. Candidates are chosen
 * without locks, and the first one without a claim of another process is claimed. $3 and $4 are the projects and their
 * claim times.
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

/** Claims the next open batch of a project, or of all projects; null when none is free. */
export async function claimBatch(
  system: Pick<Database['system'], 'query'>,
  projectId: string | null,
  now: Date,
  turns: ClaimTimes,
): Promise<ClaimedBatch | null> {
  const known = [...turns.entries()];
  const values = [projectId, now, known.map(([id]) => id), known.map(([, workedAt]) => workedAt)];
  const [row] = await system.query(CLAIM_BATCH, values);
  if (!row) return null;
  turns.set(row.project_id, row.worked_at);
  const { batch_id: batchId, emits_each: emitsEach, locked_until: lease } = row;
  return { projectId: row.project_id, batchId, emitsEach, lease };
}

const RELEASE_BATCH: Statement = {
  name: 'email_check.release_batch',
  text: `update email_batches set locked_until = null where project_id = $1 and batch_id = $2 and locked_until = $3`,
};

/** Releases a batch to any process. */
export async function releaseBatch(database: ProjectDatabase, batch: ClaimedBatch): Promise<void> {
  await database.query(RELEASE_BATCH, [database.projectId, batch.batchId, batch.lease]);
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

/** Claims checks outside of batches whose lease has expired, of a project or of all projects. */
export function claimChecks(
  system: Pick<Database['system'], 'query'>,
  projectId: string | null,
  limit: number,
): Promise<{ project_id: string; check_id: string }[]> {
  return system.query(CLAIM_CHECKS, [projectId, limit]);
}

const RELEASE_CHECKS: Statement = {
  name: 'email_check.release_checks',
  text: `update email_checks set locked_until = now()
         where project_id = $1 and check_id = any($2::uuid[]) and status = 'pending'`,
};

/** Releases checks outside of batches to any process. */
export async function releaseChecks(database: ProjectDatabase, checkIds: readonly string[]): Promise<void> {
  await database.query(RELEASE_CHECKS, [database.projectId, checkIds]);
}
