import { makeFolder, run, until } from '../acceptance/gateway-process.ts';
import type { TestDatabase } from './database.ts';
import { connectAs } from './sql.ts';

/** Rows whose change the killed gateway does not commit. */
export type HeldChange = {
  readonly table: string;
  /** SQL condition on the new row. */
  readonly when: string;
  /** `update` by default. */
  readonly event?: 'insert' | 'update';
};

type Options = {
  database: TestDatabase;
  masterKey: string;
  change: HeldChange;
  /** Gives the gateway its work. */
  begin?: (baseUrl: string) => Promise<unknown>;
  /** Runs while the gateway is inside of the transaction. */
  inside?: () => Promise<unknown>;
};

const LOCK = 471201;
const MAX_MS = 120_000;

/** Starts a gateway as a process, and kills it by SIGKILL inside of the transaction that changes a row. */
export async function killInside({ database, masterKey, change, begin, inside }: Options): Promise<void> {
  const owner = await connectAs(database, 'owner');
  const { folder, remove } = await makeFolder();
  const { table, when, event = 'update' } = change;
  await owner.query(`create function hold_change() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(${LOCK}); return new; end $$;
    create trigger hold_change before ${event} on ${table} for each row when (${when}) execute function hold_change()`);
  await owner.query(`select pg_advisory_lock(${LOCK})`);
  const victim = run(['serve'], {
    DATABASE_URL: database.ownerUrl,
    MASTER_KEY: masterKey,
    DATA_DIR: folder,
    RATE_LIMIT_PER_MINUTE: '0',
    MX_LOOKUPS: 'off',
    LOG_LEVEL: 'silent',
  });
  const held = `select pid from pg_locks where locktype = 'advisory' and not granted and classid = 0 and objid = ${LOCK}
    and database = (select oid from pg_database where datname = current_database())`;
  try {
    const findAddress = async () => /answers on (http:\S+)/.exec(victim.output())?.[1];
    await begin?.(await until('the address of the gateway', findAddress, MAX_MS));
    const findHeld = async (): Promise<number | undefined> => (await owner.query(held)).rows[0]?.pid;
    const pid = await until('the gateway to be inside of the transaction', findHeld, MAX_MS);
    await inside?.();
    victim.signal('SIGKILL');
    await victim.exited;
    await owner.query('select pg_terminate_backend($1)', [pid]);
    await until('the end of its connection', async () => (await owner.query(held)).rowCount === 0, MAX_MS);
  } finally {
    victim.signal('SIGKILL');
    await owner.query('select pg_advisory_unlock_all()');
    await owner.query(`drop trigger hold_change on ${table}; drop function hold_change()`);
    await owner.end();
    await remove();
  }
}
