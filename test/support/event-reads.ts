import type pg from 'pg';
import { expect } from 'vitest';
import type { TestDatabase } from './database.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { connectAs } from './sql.ts';

/**
 * Runs the parts of a test, each with a gateway of its own: connections report what they read at the latest when they end.
 * `run` returns what a part returns, and `readsOf` what it reads of events and their writes: entries of indexes and blocks,
 * because counts of entries omit those that an index skips.
 */
export async function openEventReads(database: TestDatabase, masterKey: string) {
  const owner = await connectAs(database, 'owner');
  const run = async <T>(work: (gateway: Gateway) => Promise<T>): Promise<T> => {
    const gateway = await startGateway({ database, masterKey, worksInBackground: false });
    try {
      return await work(gateway);
    } finally {
      await gateway.close();
    }
  };
  return {
    run,
    async readsOf(work: (gateway: Gateway) => Promise<void>): Promise<number> {
      await owner.query(WITHOUT_AUTOVACUUM);
      const before = await countReads(owner);
      await run(work);
      return (await countReads(owner)) - before;
    },
    close: () => owner.end(),
  };
}

/** Also ends a running one. Its reads would be counted. */
const WITHOUT_AUTOVACUUM = `do $$ declare name regclass; begin
  for name in select oid from pg_class where relkind = 'r' and relname ~ '^outbox_(events|writes)' loop
    execute format('alter table %s set (autovacuum_enabled = false)', name);
  end loop; end $$`;

async function countReads(owner: pg.Client): Promise<number> {
  const gateways = `select from pg_stat_activity where datname = current_database() and application_name like 'vouchgraph%'`;
  await expect.poll(async () => (await owner.query(gateways)).rowCount).toBe(0);
  const { rows } = await owner.query(
    `select (
       select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read) from pg_statio_user_tables
       where relname ~ '^outbox_(events|writes)'
     )::int + (
       select sum(idx_tup_read) from pg_stat_user_indexes where relname ~ '^outbox_(events|writes)'
     )::int as reads`,
  );
  return rows[0].reads;
}
