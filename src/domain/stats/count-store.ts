import type pg from 'pg';
import type { Database, Row, Statement } from '../../storage/database.ts';
import { isSerializationFailure, translateError } from '../../storage/translate-error.ts';
import { withConnection } from '../../storage/with-connection.ts';
import type { HourlyCounts } from './counters.ts';

/*
 * Statements of the worker and of rebuilds, executed as vouchgraph_system; each has the project as a parameter. Positions and
 * counters change in one transaction, under a lock of the project's position.
 */

export type CountTransaction = {
  run<T = Row>(statement: Statement, values: readonly unknown[]): Promise<T[]>;
};

/**
 * Commits are asynchronous: after a crash, counters and position are lost together, and the events are counted again. Planner
 * settings enforce index scans, because the statistics of event tables are often outdated.
 */
const BEGIN = `begin; set local synchronous_commit = off; set local enable_seqscan = off;
  set local enable_bitmapscan = off; set local enable_sort = off`;

const MAX_TRIES = 3;

/** Runs `work` in a transaction. Retries it up to twice after a deadlock or serialization failure. */
export async function countTransaction<T>(
  system: Database['system'],
  work: (transaction: CountTransaction) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await withConnection(system, (client) => attempt(client, work));
    } catch (error) {
      if (tries < MAX_TRIES && isSerializationFailure(error)) continue;
      throw translateError(error);
    }
  }
}

async function attempt<T>(
  client: pg.ClientBase,
  work: (transaction: CountTransaction) => Promise<T>,
): Promise<T> {
  try {
    await client.query(BEGIN);
    const result = await work({
      run: async <R>({ name, text }: Statement, values: readonly unknown[]) =>
        (await client.query({ name, text, values: values as unknown[] })).rows as R[],
    });
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/**
 * Projects with uncounted events, at most $2, or all with null; `$1`: one project, or null for all. In random order, so that no
 * project starves.
 */
export const FIND_UNCOUNTED: Statement = {
  name: 'stats.find_uncounted',
  text: `select p.project_id from outbox_positions p
         left join stats_positions s on s.project_id = p.project_id
         where p.position > coalesce(s.position, 0) and ($1::uuid is null or p.project_id = $1)
         order by random() limit $2`,
};

export const CREATE_POSITION: Statement = {
  name: 'stats.create_position',
  text: 'insert into stats_positions (project_id) values ($1) on conflict (project_id) do nothing',
};

const POSITION = `select s.position, s.rebuilds_from,
    coalesce((select p.position from outbox_positions p where p.project_id = $1), 0) as head
  from stats_positions s where s.project_id = $1`;

export type CountPosition = { position: string; head: string; rebuilds_from: Date | null };

/** Returns no row while another process counts. */
export const TRY_LOCK_POSITION: Statement = {
  name: 'stats.try_lock_position',
  text: `${POSITION} for update of s skip locked`,
};

export const LOCK_POSITION: Statement = {
  name: 'stats.lock_position',
  text: `${POSITION} for update of s`,
};

export const READ_UNCOUNTED: Statement = {
  name: 'stats.read_uncounted',
  text: `select position, type, account_id, session_id, request_id, created_at from outbox_events
         where project_id = $1 and position > $2 and position <= $3 order by position limit $4`,
};

export type UncountedEvent = {
  position: string;
  type: string;
  account_id: string | null;
  session_id: string | null;
  request_id: string | null;
  created_at: Date;
};

export const ADVANCE: Statement = {
  name: 'stats.advance',
  text: 'update stats_positions set position = $2 where project_id = $1',
};

const ADD: Statement = {
  name: 'stats.add',
  text: `insert into project_counters as c (project_id, hour, kind, key, value)
         select $1, n.hour, n.kind, n.key, n.value
         from unnest($2::timestamptz[], $3::text[], $4::text[], $5::bigint[]) as n (hour, kind, key, value)
         on conflict (project_id, hour, kind, key) do update set value = c.value + excluded.value`,
};

/** Adds to the counters of a project. */
export async function addCounts(
  transaction: CountTransaction,
  projectId: string,
  counts: HourlyCounts,
): Promise<void> {
  const rows = counts.rows();
  if (rows.length === 0) return;
  await transaction.run(ADD, [
    projectId,
    rows.map(({ hour }) => hour),
    rows.map(({ kind }) => kind),
    rows.map(({ key }) => key),
    rows.map(({ value }) => value),
  ]);
}
