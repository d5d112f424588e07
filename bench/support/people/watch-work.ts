import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { takeStatementCosts } from '../statement-costs.ts';

const POLL_MS = 50;
const MAX_WAIT_MS = 60_000;
/** An import of a million accounts leaves as many events to number and to count. */
const MAX_BACKLOG_MS = 30 * 60_000;

/** Work that changes leave for later: numbers of events, recalculations, and statistics of the numbered events. */
const WAITING = {
  name: 'bench.waiting',
  text: `select exists (select 1 from outbox_unnumbered_writes)
    or exists (select 1 from standing_flags) or exists (select 1 from identity_recalculations)
    or exists (select 1 from link_recalculations)
    or exists (select 1 from outbox_positions p join stats_positions s using (project_id) where p.position > s.position)
    as waiting`,
};

const REMOVED = ['outbox_unnumbered_writes', 'outbox_events', 'standing_flags', 'identity_recalculations'];

const BYTES = `select sum(record_size)::float8 as "recordBytes", sum(fpi_size)::float8 as "pageBytes"
    from pg_get_wal_stats($1::pg_lsn, $2::pg_lsn)`;

/** Rows by table and kind of change: the log names the file of a table. */
const ROWS = `select coalesce(parent.relname, c.relname) || case when w.record_type = 'DELETE' then ' deleted'
      when w.record_type like '%UPDATE%' then ' updated' else ' inserted' end as name, count(*)::int as rows
    from pg_get_wal_block_info($1::pg_lsn, $2::pg_lsn, false) w
    join pg_class c on c.relfilenode = w.relfilenode and c.relkind = 'r'
    left join pg_inherits h on h.inhrelid = c.oid left join pg_class parent on parent.oid = h.inhparent
    where w.resource_manager = 'Heap' and w.block_id = 0
      and split_part(w.record_type, '+', 1) in ('INSERT', 'UPDATE', 'HOT_UPDATE', 'DELETE')
    group by 1 order by 1`;

/** Changed rows of a turn by table and kind, as `links inserted`. */
export type ChangedRows = Readonly<Record<string, number>>;

/** The background work of a turn, and what it and its requests write. */
export async function watchWork(superuserUrl: string, countsStatements = false) {
  const client = new pg.Client({ connectionString: superuserUrl });
  // Its server is stopped when the bench fails.
  client.on('error', () => {});
  await client.connect();
  await client.query('create extension if not exists pg_walinspect');
  if (countsStatements) await client.query('create extension if not exists pg_stat_statements');
  let turn: [from: string, to: string] = ['', ''];

  const position = async (): Promise<string> =>
    (await client.query('select pg_current_wal_flush_lsn() as lsn')).rows[0].lsn;

  async function settled(maxMs: number): Promise<void> {
    const until = performance.now() + maxMs;
    while ((await client.query(WAITING)).rows[0].waiting) {
      if (performance.now() > until) throw new Error('background work did not end');
      await delay(POLL_MS);
    }
  }

  return {
    async begin(): Promise<void> {
      turn = [await position(), ''];
    },
    async end(): Promise<void> {
      turn = [turn[0], await position()];
    },
    /** Waits for the end of the work of a turn. */
    settled: () => settled(MAX_WAIT_MS),
    /** Waits for the end of the work that the data set left. */
    backlogSettled: () => settled(MAX_BACKLOG_MS),
    /** Bytes of log records of the turn without whole pages, and of whole pages: of those changed the first time since a checkpoint. */
    logged: async (): Promise<{ recordBytes: number; pageBytes: number }> =>
      (await client.query(BYTES, turn)).rows[0],
    /** Rows that the turn changed. */
    async changedRows(): Promise<ChangedRows> {
      const { rows } = await client.query<{ name: string; rows: number }>(ROWS, turn);
      return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]));
    },
    /** Removes the work that the reference left in its project. */
    async removeWork(projectId: string): Promise<void> {
      for (const table of REMOVED)
        await client.query(`delete from ${table} where project_id = $1`, [projectId]);
    },
    /** Costs of the statements since the last call; none without their counters. */
    takeStatementCosts: () => (countsStatements ? takeStatementCosts(client) : []),
    close: () => client.end(),
  };
}
