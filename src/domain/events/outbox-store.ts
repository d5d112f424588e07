import type { Database } from '../../storage/database.ts';

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

/** Makes this connection the relay, unless another is; it stays so until it ends. */
export const BECOME_RELAY = `select pg_try_advisory_lock(hashtext('vouchgraph_relay')) as held`;

const BATCH = 2000;

/**
 * Numbers committed events that have no position yet, each project's without a gap. In the order of insertion: of two
 * changes of one account the later begins when the earlier is committed, so its events come behind.
 */
export const STAMP = `with batch as materialized (
    select project_id, created_at, event_id, seq from outbox_events where position is null order by seq limit ${BATCH}
  ), counted as (
    select project_id, count(*) as stamped from batch group by project_id
  ), reached as (
    insert into outbox_positions as p (project_id, position)
    select project_id, stamped from counted order by project_id
    on conflict (project_id) do update set position = p.position + excluded.position
    returning p.project_id, p.position
  ), numbered as (
    select b.project_id, b.created_at, b.event_id,
      r.position - c.stamped + row_number() over (partition by b.project_id order by b.seq) as position
    from batch b join counted c using (project_id) join reached r using (project_id)
  ), stamped as (
    update outbox_events e set position = n.position from numbered n
    where e.project_id = n.project_id and e.created_at = n.created_at and e.event_id = n.event_id and e.position is null
  )
  select project_id, stamped from counted`;

export const TELL_STAMPED = 'select pg_notify($1, $2)';

export const ANY_UNSTAMPED = {
  name: 'outbox.any_unstamped',
  text: 'select exists (select 1 from outbox_events where position is null) as waiting',
};
