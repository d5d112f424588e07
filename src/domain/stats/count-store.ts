import type pg from 'pg';
import type { Database, Row, Statement } from '../../storage/database.ts';
import { isSerializationFailure, translateError } from '../../storage/translate-error.ts';
import { withConnection } from '../../storage/with-connection.ts';
import { eventsByPosition } from '../events/numbered-events-sql.ts';

/*
 * Statements of the worker and of rebuilds, executed as vouchgraph_system; each has the project as a parameter. Positions and
 * counters change in one transaction, under a lock of the project's position.
 */

export type CountTransaction = {
  run<T = Row>(statement: Statement, values: readonly unknown[]): Promise<T[]>;
};

/** Planner settings enforce index scans, because the statistics of event tables are often outdated. */
const WITH_INDEXES =
  'set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off';

/** Commits are asynchronous: after a crash, counters and position are lost together, and the events are counted again. */
const BEGIN = `begin; set local synchronous_commit = off; ${WITH_INDEXES}`;
const BEGIN_SNAPSHOT = `begin isolation level repeatable read read only; ${WITH_INDEXES}`;

const MAX_TRIES = 3;

/** Runs `work` in a transaction. Retries it up to twice after a deadlock or serialization failure. */
export function countTransaction<T>(
  system: Database['system'],
  work: (transaction: CountTransaction) => Promise<T>,
): Promise<T> {
  return attempts(system, BEGIN, work);
}

/** Runs `work`, whose statements all read the same state of the database and lock no rows. */
export function readSnapshot<T>(
  system: Database['system'],
  work: (snapshot: CountTransaction) => Promise<T>,
): Promise<T> {
  return attempts(system, BEGIN_SNAPSHOT, work);
}

async function attempts<T>(
  system: Database['system'],
  begin: string,
  work: (transaction: CountTransaction) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await withConnection(system, (client) => attempt(client, begin, work));
    } catch (error) {
      if (tries < MAX_TRIES && isSerializationFailure(error)) continue;
      throw translateError(error);
    }
  }
}

async function attempt<T>(
  client: pg.ClientBase,
  begin: string,
  work: (transaction: CountTransaction) => Promise<T>,
): Promise<T> {
  try {
    await client.query(begin);
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
         join stats_positions s on s.project_id = p.project_id
         where p.position > s.position and ($1::uuid is null or p.project_id = $1)
         order by random() limit $2`,
};

/** Returns no row while another process counts or an account is erased. */
export const TRY_LOCK_POSITION: Statement = {
  name: 'stats.try_lock_position',
  text: `select s.position, coalesce((select p.position from outbox_positions p where p.project_id = $1), 0) as head
         from stats_positions s where s.project_id = $1 for update of s skip locked`,
};

export const READ_UNCOUNTED: Statement = {
  name: 'stats.read_uncounted',
  text: `select position, type, account_id, session_id, request_id, created_at
         from ${eventsByPosition({ after: '$2', before: '$3' })} limit $4`,
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

/** A counter of an hour and what is added to it. */
export type AddedCount = { hour: Date; kind: string; key: string; value: number | string };

/** Adds to the counters of a project. */
export async function addCounts(
  transaction: CountTransaction,
  projectId: string,
  rows: readonly AddedCount[],
): Promise<void> {
  if (rows.length === 0) return;
  await transaction.run(ADD, [
    projectId,
    rows.map(({ hour }) => hour),
    rows.map(({ kind }) => kind),
    rows.map(({ key }) => key),
    rows.map(({ value }) => value),
  ]);
}
