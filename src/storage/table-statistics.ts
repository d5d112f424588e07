import type pg from 'pg';
import { openConnection } from './open-connection.ts';

export type TableStatistics = {
  /** Updates the statistics when the tables have grown so much since that plans may be wrong. */
  noteRows(rows: number): void;
  /** Updates them once more, and closes the connection. */
  finish(): Promise<void>;
};

const FIRST_ROWS = 200;
const GROWTH = 4;

/**
 * Keeps the planner's statistics of tables that one process fills. Autovacuum does so within a minute; until then statements
 * that were planned on empty tables read all rows of a project. A role that does not own the tables leaves it to autovacuum,
 * and so does a lost connection.
 */
export function keepTableStatistics(connectionString: string, tables: readonly string[]): TableStatistics {
  let dueAt = FIRST_ROWS;
  let running: Promise<void> = Promise.resolve();

  async function analyze(): Promise<void> {
    let client: pg.Client | undefined;
    try {
      client = await openConnection({ connectionString });
      await client.query(`analyze ${tables.join(', ')}`);
    } catch {
      // Plans stay as they are.
    } finally {
      await client?.end().catch(() => {});
    }
  }

  function start(): Promise<void> {
    running = running.then(analyze);
    return running;
  }

  return {
    noteRows(rows) {
      if (rows < dueAt) return;
      dueAt = rows * GROWTH;
      void start();
    },
    finish: start,
  };
}
