import { firstIdAt, NIL_UUID } from '@vouchgraph/platform/ids';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';
import { timeOfEvent } from '../events/time-of-event-sql.ts';

/** Rows are old by their ids, which begin with the time of creation: their primary keys serve the purges. */
const BY_ID = { first: NIL_UUID, index: 'project' } as const;

/** A check is kept as long as its event, which the erasure of its address finds by it. */
const purgeChecks = createPurge({
  ...BY_ID,
  name: 'email_check',
  table: 'email_checks',
  key: ['check_id'],
  column: 'check_id',
  condition: `x.status <> 'pending' and not exists (
    select 1 from outbox_events e
    where e.project_id = x.project_id and e.created_at = ${timeOfEvent('x.event_id')} and e.event_id = x.event_id
  )`,
});

/** A batch remains as long as one of its checks does. */
const purgeBatches = createPurge({
  ...BY_ID,
  name: 'email_batch',
  table: 'email_batches',
  key: ['batch_id'],
  column: 'batch_id',
  condition: `x.status = 'completed' and not exists (
    select 1 from email_checks c where c.project_id = x.project_id and c.batch_id = x.batch_id
  )`,
});

/** Also one that was interrupted and never resumed: its batches were deleted. */
const purgeImports = createPurge({
  ...BY_ID,
  name: 'email_import',
  table: 'email_imports',
  key: ['import_id'],
  column: 'import_id',
  condition: `not exists (
    select 1 from email_batches b where b.project_id = x.project_id and b.import_id = x.import_id
  )`,
});

/** Removes completed checks that were created before a time, then batches and imports without checks. */
export async function purgeEmailChecks(run: PurgeRun, before: Date): Promise<void> {
  const limit = firstIdAt(before);
  await purgeChecks(run, limit);
  await purgeBatches(run, limit);
  await purgeImports(run, limit);
}
