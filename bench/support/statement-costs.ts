import type pg from 'pg';
import { printTable } from './report.ts';

/** Settings of a server that counts the costs of its statements. */
export const COUNTS_STATEMENTS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
  'pg_stat_statements.max': '10000',
};

/** Costs of a statement since the last read. Times in milliseconds, pages of 8 kB. */
export type StatementCost = {
  query: string;
  calls: number;
  plan: number;
  exec: number;
  rows: number;
  wal: number;
  /** Pages found in PostgreSQL's cache, and pages read into it. */
  hit: number;
  read: number;
};

const SHOWN = 25;

/** The costliest statements of roles other than the superuser's, costliest first. Resets the counters. */
export async function takeStatementCosts(superuser: pg.Client): Promise<StatementCost[]> {
  const { rows } = await superuser.query<StatementCost>(
    `select calls::float8, total_plan_time as plan, total_exec_time as exec, rows::float8, wal_bytes::float8 as wal,
       shared_blks_hit::float8 as hit, shared_blks_read::float8 as read,
       regexp_replace(left(query, 90), '\\s+', ' ', 'g') as query
     from pg_stat_statements s join pg_roles r on r.oid = s.userid where not r.rolsuper
     order by total_plan_time + total_exec_time desc limit ${SHOWN}`,
  );
  await superuser.query('select pg_stat_statements_reset()');
  return rows;
}

export function printStatementCosts(title: string, costs: readonly StatementCost[]): void {
  printTable(
    [title, 'calls', 'plan s', 'exec s', 'µs a call', 'rows', 'WAL MB', 'hits a call', 'reads a call'],
    costs.map(({ query, calls, plan, exec, rows, wal, hit, read }) => [
      query,
      String(calls),
      (plan / 1000).toFixed(2),
      (exec / 1000).toFixed(2),
      (((plan + exec) * 1000) / calls).toFixed(0),
      String(rows),
      (wal / 1e6).toFixed(1),
      (hit / calls).toFixed(1),
      (read / calls).toFixed(2),
    ]),
  );
}
