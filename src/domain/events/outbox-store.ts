import { startOfDay } from '@vouchgraph/platform/calendar-date';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import type { Database, Statement } from '../../storage/database.ts';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';
import { MAX_DISORDER } from './numbered-events-sql.ts';

const PROJECTS_AT_ONCE = 100;
/** Writes per statement that deletes them. */
const WRITES_AT_ONCE = 1000;

const PREPARE = { name: 'outbox.prepare', text: 'select vouchgraph_prepare_outbox($1)' };

/** Creates the outbox's daily partitions for the coming days, unless a reader holds a lock on it. Idempotent. */
export async function prepareOutbox(system: Database['system'], days: number): Promise<void> {
  await system.query(PREPARE, [days]);
}

/**
 * Records the highest position of each project that is removed: of the events in the last minutes before the day $1. Found before
 * the rows are locked for which the relay waits.
 */
const RECORD_PURGED: Statement = {
  name: 'outbox.record_purged',
  text: `with numbered as materialized (
           select project_id from outbox_positions where project_id > $2 order by project_id limit ${PROJECTS_AT_ONCE}
         ), removed as materialized (
           select n.project_id, highest.position from numbered n cross join lateral (
             select o.created_at from outbox_events o
             where o.project_id = n.project_id and o.created_at < $1 order by o.created_at desc limit 1
           ) last cross join lateral (
             select max(w.first_position + w.events - 1) as position from (
               select distinct o.write_id from outbox_events o
               where o.project_id = n.project_id and o.created_at < $1 and o.created_at >= last.created_at - ${MAX_DISORDER}
             ) x cross join lateral (
               select y.first_position, y.events from outbox_writes y
               where y.project_id = n.project_id and y.write_id = x.write_id offset 0
             ) w
           ) highest
         ), recorded as (
           update outbox_positions p set purged_through = r.position from removed r
           where p.project_id = r.project_id and p.purged_through < r.position
         )
         select project_id from numbered order by project_id desc limit 1`,
};

/** Deletes writes up to the position that is recorded as purged. */
const DELETE_WRITES: Statement = {
  name: 'outbox.delete_writes',
  text: `with chosen as materialized (
           select w.project_id, w.first_position from outbox_positions p cross join lateral (
             select x.project_id, x.first_position from outbox_writes x
             where x.project_id = p.project_id and x.first_position <= p.purged_through
             order by x.first_position limit ${WRITES_AT_ONCE}
           ) w limit ${WRITES_AT_ONCE}
         ), deleted as (
           delete from outbox_writes w using chosen c
           where w.project_id = c.project_id and w.first_position = c.first_position
         )
         select count(*)::int as deleted from chosen`,
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
  key: ['created_at', 'write_id', 'event_id'],
  column: 'created_at',
  first: '-infinity',
  condition: `not exists (
    select 1 from outbox_unnumbered_writes u where u.project_id = x.project_id and u.write_id = x.write_id
  )`,
  index: 'project',
});

/** Removes the events of all projects that are older than a day, in UTC. */
export async function purgeOutbox(run: PurgeRun, before: Date): Promise<void> {
  await dropOutboxPartitions(run, before);
  await purgeDefaultPartition(run, new Date(startOfDay(before).getTime() - 1));
  while (!run.signal.aborted && (await run.system.query(DELETE_WRITES, []))[0].deleted === WRITES_AT_ONCE);
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
 * Settings of the relay's connection, for the plan of NUMBER. It is made once, often while the table of unnumbered writes is
 * empty, and must still be right during a backlog.
 */
export const RELAY_SETTINGS = 'set enable_seqscan = off; set enable_bitmapscan = off';

/** Writes that one execution of NUMBER numbers. */
export const NUMBER_BATCH = 1000;

/** Ids of projects that fit into one notification. */
const MAX_NAMED = 150;

/**
 * Moves committed writes from the unnumbered ones to those with positions, in each project without a gap, and notifies all
 * gateways. In the order of insertion: of two changes of one account the later begins when the earlier is committed, so its
 * events have later positions. No row of an event is changed. The notification is committed with the positions: this saves a
 * second wait for the disk.
 */
export const NUMBER: Statement = {
  name: 'outbox.number',
  text: `with batch as (
      delete from outbox_unnumbered_writes where write_id = any (array(
        select write_id from outbox_unnumbered_writes order by write_id limit ${NUMBER_BATCH}
      )) returning project_id, write_id, created_from, created_to, events
    ), counted as (
      select project_id, sum(events) as events, count(*) as writes from batch group by project_id
    ), reached as (
      insert into outbox_positions as p (project_id, position)
      select project_id, events from counted order by project_id
      on conflict (project_id) do update set position = p.position + excluded.position
      returning p.project_id, p.position
    ), numbered as (
      insert into outbox_writes (project_id, first_position, write_id, created_from, created_to, events)
      select b.project_id, r.position - c.events + 1 - b.events
          + sum(b.events) over (partition by b.project_id order by b.write_id),
        b.write_id, b.created_from, b.created_to, b.events
      from batch b join counted c using (project_id) join reached r using (project_id)
    )
    select sum(writes)::int as numbered, pg_notify('${NUMBERED_CHANNEL}',
      case when count(*) > ${MAX_NAMED} then '' else string_agg(project_id::text, ',') end)
    from counted having count(*) > 0`,
};

export const ANY_UNNUMBERED = {
  name: 'outbox.any_unnumbered',
  text: 'select exists (select 1 from outbox_unnumbered_writes) as waiting',
};
