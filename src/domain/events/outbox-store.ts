import type { Database, Statement } from '../../storage/database.ts';

const PREPARE = { name: 'outbox.prepare', text: 'select vouchgraph_prepare_outbox($1)' };

/** Makes the outbox's daily partitions for the days to come, unless somebody reads it just now; safe to repeat. */
export async function prepareOutbox(system: Database['system'], days: number): Promise<void> {
  await system.query(PREPARE, [days]);
}

const MARK_PURGED = {
  name: 'outbox.mark_purged',
  text: `insert into outbox_positions (project_id, position, purged_through)
         select e.project_id, max(e.position), max(e.position) from outbox_events e
         where e.created_at < $1 and e.position is not null group by e.project_id
         on conflict (project_id) do update set
           purged_through = greatest(outbox_positions.purged_through, excluded.purged_through)`,
};
const DROP_PARTITION = { name: 'outbox.drop', text: 'select vouchgraph_drop_outbox($1) as dropped' };
const EMPTY_DEFAULT = {
  name: 'outbox.empty_default',
  text: 'delete from outbox_events_default where created_at < $1 and position is not null',
};

/**
 * Forgets the events of days before one, in UTC; those that somebody is reading just now another time. Cursors that point
 * there are told so from now on.
 */
export async function purgeOutbox(system: Database['system'], before: Date): Promise<void> {
  const day = new Date(Date.UTC(before.getUTCFullYear(), before.getUTCMonth(), before.getUTCDate()));
  await system.query(MARK_PURGED, [day]);
  while ((await system.query(DROP_PARTITION, [day]))[0].dropped > 0);
  await system.query(EMPTY_DEFAULT, [day]);
}

/** Notifications with the ids of the projects that have newly numbered events; empty for any project. */
export const NUMBERED_CHANNEL = 'vouchgraph_events';
/** Notifications that events were committed, for the relay. */
export const WRITTEN_CHANNEL = 'vouchgraph_outbox';

/** Makes this connection the relay, unless another is; it stays so until it ends. */
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
 * empty, and must still be right an hour later: with these it can only merge the indexes of the partitions that hold
 * unnumbered events alone, in their order. Compiling it would take longer than its execution.
 */
export const RELAY_SETTINGS = `set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off;
  set enable_hashjoin = off; set enable_nestloop = off; set jit = off`;

/** Events that one execution of STAMP numbers. */
export const STAMP_BATCH = 2000;

/** Ids of projects that fit into one notification. */
const MAX_NAMED = 150;

/**
 * Numbers committed events that have no position yet, each project's without a gap, and notifies all gateways. In the
 * order of insertion: of two changes of one account the later begins when the earlier is committed, so its events come
 * behind. The notification is committed with the positions: this saves a second wait for the disk.
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
      where e.seq = n.seq and e.project_id = n.project_id and e.position is null
    )
    select sum(stamped)::int as stamped, pg_notify('${NUMBERED_CHANNEL}',
      case when count(*) > ${MAX_NAMED} then '' else string_agg(project_id::text, ',') end)
    from counted having count(*) > 0`,
};

export const ANY_UNSTAMPED = {
  name: 'outbox.any_unstamped',
  text: 'select exists (select 1 from outbox_events where position is null) as waiting',
};
