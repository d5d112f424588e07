import { startOfDay } from '@vouchgraph/platform/calendar-date';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import type { Database, Statement } from '../../storage/database.ts';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';

/** Number of projects per statement that records purged positions: the relay waits for their rows meanwhile. */
const PROJECTS_AT_ONCE = 100;

const PREPARE = { name: 'outbox.prepare', text: 'select vouchgraph_prepare_outbox($1)' };

/** Creates the outbox's daily partitions for the coming days, unless a reader holds a lock on it. Idempotent. */
export async function prepareOutbox(system: Database['system'], days: number): Promise<void> {
  await system.query(PREPARE, [days]);
}

/** The highest position of each project that is removed: one index look-up in each old partition. */
const RECORD_PURGED: Statement = {
  name: 'outbox.record_purged',
  text: `with numbered as materialized (
           select project_id from outbox_positions where project_id > $2 order by project_id limit ${PROJECTS_AT_ONCE}
         ), recorded as (
           update outbox_positions p set purged_through = e.position from numbered n cross join lateral (
             select x.position from outbox_events x
             where x.project_id = n.project_id and x.created_at < $1 and x.position is not null
             order by x.position desc limit 1
           ) e
           where p.project_id = n.project_id and p.purged_through < e.position
         )
         select project_id from numbered order by project_id desc limit 1`,
};
const DROP_PARTITION = { name: 'outbox.drop', text: 'select vouchgraph_drop_outbox($1) as dropped' };

/**
 * Drops the daily partitions before a day, in UTC. Partitions that are being read are dropped later. Cursors into them are
 * rejected from now on.
 */
export async function dropOutboxPartitions(run: PurgeRun, before: Date): Promise<void> {
  const day = startOfDay(before);
  await recordPurged(run, day);
  while (!run.signal.aborted && (await run.system.query(DROP_PARTITION, [day]))[0].dropped > 0);
}

async function recordPurged({ system }: PurgeRun, day: Date): Promise<void> {
  for (let after = NIL_UUID; ; ) {
    const [last] = await system.query<{ project_id: string }>(RECORD_PURGED, [day, after]);
    if (!last) return;
    after = last.project_id;
  }
}

const purgeDefaultPartition = createPurge({
  name: 'outbox_default',
  table: 'outbox_events_default',
  key: ['created_at', 'event_id'],
  column: 'created_at',
  first: '-infinity',
  condition: 'x.position is not null',
  index: 'project',
});

/** Removes the events of all projects that are older than a day, in UTC. */
export async function purgeOutbox(run: PurgeRun, before: Date): Promise<void> {
  await dropOutboxPartitions(run, before);
  await purgeDefaultPartition(run, new Date(startOfDay(before).getTime() - 1));
}

/** Notifications with the ids of the projects that have newly numbered events; empty for any project. */
export const NUMBERED_CHANNEL = 'vouchgraph_events';
/** Notifications that events were committed, for the relay. */
export const WRITTEN_CHANNEL = 'vouchgraph_outbox';

/** Makes this connection the relay unless another one is; it stays the relay until it closes. */
export const BECOME_RELAY: Statement = {
  name: 'outbox.become_relay',
  text: `select pg_try_advisory_lock(hashtext('vouchgraph_relay')) as held`,
};

/**
 * Notifies the relay that events were committed. The commit does not wait for the disk: a crash of the server ends the
 * connection of the relay too, and the next relay begins with a run.
 */
export const NOTIFY_WRITTEN: Statement = {
  name: 'outbox.notify_written',
  text: `select set_config('synchronous_commit', 'off', true), pg_notify('${WRITTEN_CHANNEL}', '')`,
};

/**
 * Settings of the relay's connection, for the plan of STAMP. It is made once, often while the partition of the day is
 * empty, and must still be right an hour later: with these it can only merge, in their order, the indexes of the partitions
 * that contain only unnumbered events.
 */
export const RELAY_SETTINGS = `set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off;
  set enable_hashjoin = off; set enable_nestloop = off`;

/** Events that one execution of STAMP numbers. */
export const STAMP_BATCH = 2000;

/** Ids of projects that fit into one notification. */
const MAX_NAMED = 150;

/**
 * Numbers committed events without a position, in each project without a gap, and notifies all gateways. In the order of
 * insertion: of two changes of one account the later begins when the earlier is committed, so its events have later
 * positions. The notification is committed with the positions: this saves a second wait for the disk.
 *
 * `is not distinct from` keeps the planner from merging by project, which would compare every event of the batch with every
 * unnumbered one of its project: only `seq` remains to merge by.
 */
export const STAMP: Statement = {
  name: 'outbox.stamp',
  text: `with batch as materialized (
      select project_id, seq from outbox_events where position is null order by seq limit ${STAMP_BATCH}
    ), counted as (
      select project_id, count(*) as stamped from batch group by project_id
    ), reached as (
      insert into outbox_positions as p (project_id, position)
      select project_id, stamped from counted order by project_id
      on conflict (project_id) do update set position = p.position + excluded.position
      returning p.project_id, p.position
    ), numbered as (
      select b.project_id, b.seq,
        r.position - c.stamped + row_number() over (partition by b.project_id order by b.seq) as position
      from batch b join counted c using (project_id) join reached r using (project_id)
    ), stamped as (
      update outbox_events e set position = n.position from numbered n
      where e.seq = n.seq and e.project_id is not distinct from n.project_id and e.position is null
    )
    select sum(stamped)::int as stamped, pg_notify('${NUMBERED_CHANNEL}',
      case when count(*) > ${MAX_NAMED} then '' else string_agg(project_id::text, ',') end)
    from counted having count(*) > 0`,
};

export const ANY_UNSTAMPED = {
  name: 'outbox.any_unstamped',
  text: 'select exists (select 1 from outbox_events where position is null) as waiting',
};
