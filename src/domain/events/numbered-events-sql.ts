/*
 * SQL of reads of numbered events: rows `e` with the columns of outbox_events and `position`. A position is that of the first
 * event of the write plus the place in it. The planner has no choice but the look-ups by index that are written here, so that
 * a plan remains right that was made while the tables were empty. Row-level security permits conditions of an index to use
 * columns and parameters, but no other expressions.
 */

/**
 * Positions follow the times of events but for the length of a transaction. Reads that start at a time allow for this many
 * milliseconds, which no transaction takes.
 */
export const MAX_DISORDER_MS = 300_000;

/** The same as an SQL interval. */
export const MAX_DISORDER = `interval '${MAX_DISORDER_MS} milliseconds'`;

type Range = {
  /** Parameter: the position after which events are read. */
  readonly after: string;
  /** Parameter: the position before which events are read; by default up to the last one. */
  readonly before?: string;
  readonly isBackward?: boolean;
  /** Condition on an event `o`. */
  readonly where?: string;
};

/**
 * SQL: the events of the project $1 in the order of their positions: one look-up in the index for each write, and one for
 * its events. A limit of the statement ends the read early. A range may begin and end within a write.
 */
export function eventsByPosition({ after, before, isBackward = false, where = 'true' }: Range): string {
  const [order, follows] = isBackward ? [' desc', '<'] : ['', '>'];
  const isBefore = before === undefined ? '' : ` and x.first_position < ${before}`;
  const write = (condition: string) => `select x.* from outbox_writes x
          where x.project_id = $1 and ${condition}${isBefore} order by x.first_position${order} limit 1`;
  return `(
      with recursive walk as (
        select x.*, s.start from (
          select coalesce((
            select f.first_position from outbox_writes f where f.project_id = $1 and f.first_position <= ${after}
            order by f.first_position desc limit 1
          ), 0) as start offset 0
        ) s cross join lateral (
          ${write('x.first_position >= s.start')}
        ) x
        union all
        select n.*, walk.start from walk cross join lateral (
          ${write(`x.first_position >= walk.start and x.first_position ${follows} walk.first_position`)}
        ) n
      ) select * from walk
    ) w cross join lateral (
      select w.first_position + o.place as position, o.* from outbox_events o
      where ${isOfWrite('w')} and ${isBetween({ after, before })} and (${where})
      order by o.place${order} offset 0
    ) e`;
}

/** SQL: the numbered events of the project $1 with a condition on `o` that an index of outbox_events serves. */
export function eventsWhere(condition: string, range?: Range): string {
  const inRange = range ? ` and ${isBetween(range)} and (${range.where ?? 'true'})` : '';
  return `select w.first_position + o.place as position, o.* from outbox_events o cross join lateral (
      select x.first_position from outbox_writes x where x.project_id = $1 and x.write_id = o.write_id offset 0
    ) w where o.project_id = $1 and ${condition}${inRange}`;
}

/** SQL: events `o` of the project $1 that belong to a write. Their primary key begins with the times of the write. */
export function isOfWrite(write: string): string {
  return `o.project_id = $1 and o.created_at between ${write}.created_from and ${write}.created_to
        and o.write_id = ${write}.write_id`;
}

/**
 * SQL: a row if the event of a row of the project $1 exists. The row has the columns `position`, `event_created_at` and
 * `event_id`. The position identifies the write, and with it one entry of the primary key: many events can have one time.
 */
export function eventOf(row: string): string {
  return `select from (
        select x.write_id from outbox_writes x where x.project_id = $1 and x.first_position <= ${row}.position
        order by x.first_position desc limit 1
      ) w cross join lateral (
        select from outbox_events o where o.project_id = $1 and o.created_at = ${row}.event_created_at
          and o.write_id = w.write_id and o.event_id = ${row}.event_id offset 0
      ) o`;
}

function isBetween({ after, before }: Range): string {
  const isBefore = before === undefined ? '' : ` and w.first_position + o.place < ${before}`;
  return `w.first_position + o.place > ${after}${isBefore}`;
}
