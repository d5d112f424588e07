import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Statement } from './database.ts';

/*
 * Removes old rows in batches. Each batch is one statement that commits by itself: it stays far below the statement
 * timeout on a slow disk, holds few locks, and what it removed stays removed when the next one fails. Several gateways
 * may purge at once: a batch skips the rows that another one has locked.
 */

/** One run of the purges. */
export type PurgeRun = {
  readonly system: Pick<Database['system'], 'query'>;
  readonly now: Date;
  /** Aborted when the gateway closes: a purge stops behind the batch under way, and the next run continues. */
  readonly signal: AbortSignal;
  /** Receives the number of rows that a purge has processed so far, after each batch. */
  readonly onProgress: (purge: string, rows: number) => void;
};

/** Small enough for a disk that reads 100 pages a second. */
export const BATCH_ROWS = 250;

/** Leaves the disk and the pool to requests between two batches. */
const PAUSE_MS = 5;

/** A value of the column by which a purge selects, as the database returns it. */
type Position = string | Date;

/** What a batch did: how many rows it took, and how far it came, for the next one to continue behind dead rows. */
type Batch = { readonly rows: number; readonly through: Position | null };

/** Repeats a batch until one is not full. */
async function runBatches(
  run: PurgeRun,
  name: string,
  rowsBefore: number,
  start: Position,
  runBatch: (from: Position) => Promise<Batch>,
): Promise<number> {
  let rows = rowsBefore;
  for (let from = start; !run.signal.aborted; await delay(PAUSE_MS)) {
    const batch = await runBatch(from);
    rows += batch.rows;
    if (batch.rows > 0) run.onProgress(name, rows);
    if (batch.rows < BATCH_ROWS) break;
    from = batch.through ?? from;
  }
  return rows;
}

/** Which rows of a table are old, and what becomes of them. */
export type PurgedTable = {
  /** Name of the purge in logs, and of its statements. */
  readonly name: string;
  readonly table: string;
  /** The primary key behind `project_id`. */
  readonly key: readonly string[];
  /** Rows are old up to the limit, by this column. An index must serve it: see `index`. */
  readonly column: string;
  /** Sorts before every value of the column. */
  readonly first: '-infinity' | '00000000-0000-0000-0000-000000000000';
  /** What else must hold, of a row `x`. */
  readonly condition?: string;
  /** Whether the index that serves the column begins with `project_id`, or is one of all projects. */
  readonly index: 'project' | 'all';
  /**
   * Data-modifying statement for the rows in `chosen` (project_id and the key); deletes them by default. An update must
   * make `condition` false.
   */
  readonly change?: string;
};

/** Makes the purge of a table. It returns the number of rows that it processed. */
export function createPurge(table: PurgedTable): (run: PurgeRun, before: Position) => Promise<number> {
  const batch = batchStatement(table);
  if (table.index === 'all') {
    return (run, before) =>
      runBatches(run, table.name, 0, table.first, async (from) => {
        const [result] = await run.system.query<Batch>(batch, [before, from]);
        return result!;
      });
  }
  const projects = projectsStatement(table);
  return async (run, before) => {
    let rows = 0;
    for (const { project_id } of await run.system.query(projects, [before])) {
      rows = await runBatches(run, table.name, rows, table.first, async (from) => {
        const [result] = await run.system.query<Batch>(batch, [before, from, project_id]);
        return result!;
      });
    }
    return rows;
  };
}

/** The projects that have old rows: one look into the index for each. */
function projectsStatement({ name, table, column, condition = 'true' }: PurgedTable): Statement {
  return {
    name: `purge.${name}_projects`,
    text: `select p.project_id from projects p where exists (
             select 1 from ${table} x where x.project_id = p.project_id and x.${column} <= $1 and (${condition})
           )`,
  };
}

function batchStatement(purged: PurgedTable): Statement {
  const { name, table, key, column, condition = 'true', index } = purged;
  const sameRow = ['project_id', ...key].map((each) => `x.${each} = c.${each}`).join(' and ');
  const change = purged.change ?? `delete from ${table} x using chosen c where ${sameRow}`;
  return {
    name: `purge.${name}`,
    text: `with chosen as materialized (
             select x.project_id, ${key.map((each) => `x.${each}`).join(', ')}, x.${column} as at from ${table} x
             where ${index === 'project' ? 'x.project_id = $3 and ' : ''}x.${column} <= $1 and x.${column} >= $2
               and (${condition})
             order by x.${column} limit ${BATCH_ROWS} for update skip locked
           ), changed as (${change})
           select count(*)::int as rows, (array_agg(at order by at desc))[1] as through from chosen`,
  };
}
