import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { openForCommandLine, openProjectForCommandLine } from '../../support/command-project.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type Gateway, projectClient, startGateway, type TestProject } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/*
 * A large project beside many small ones. Statements are planned for any project: with the average number of rows per project,
 * which is about two, reading all rows of the project seems as cheap as a key.
 */

/** Tables that grow with accounts, sessions and requests. */
const TABLES = [
  ...['account_sessions', 'account_standing', 'accounts', 'blocking_keys', 'decisions', 'fraud_sightings'],
  ...['idempotency_keys', 'idempotency_subjects', 'identifiers', 'identity_members', 'links', 'sessions'],
];
const SMALL_PROJECTS = 8000;
const ROWS_OF_LARGE = 8000;
const ACCOUNTS = 6;

const masterKey = generateMasterKey();

it('changes of a large project read by keys when most projects are small', async () => {
  const database = await createTestDatabase();
  const owner = await connectAs(database, 'owner');
  const system = await connectAs(database, 'vouchgraph_system');
  try {
    // The plans depend on these statistics only.
    for (const table of TABLES) await owner.query(`alter table ${table} set (autovacuum_enabled = off)`);
    const project = await withGateway(database, async (gateway) => {
      const created = await gateway.project();
      await changeAccounts(gateway, created, 'first');
      return created;
    });
    for (const table of TABLES) await addRows(system, table, project.projectId);
    await owner.query(`vacuum analyze ${TABLES.join(', ')}`);
    const before = await readRowsOf(owner);
    await withGateway(database, (gateway) =>
      changeAccounts(gateway, projectClient(gateway.baseUrl, project.projectId, project.key), 'second'),
    );
    await importAccounts(database, project.projectId);
    const read = [...(await readRowsOf(owner))].map(
      ([index, rows]) => [index, rows - before.get(index)!] as const,
    );
    expect(read.filter(([, rows]) => rows >= ROWS_OF_LARGE)).toEqual([]);
  } finally {
    await system.end();
    await owner.end();
    await database.drop();
  }
});

/** Every change of accounts, in batches and alone: they share identifiers, lose links, are recalculated, and are erased. */
async function changeAccounts(gateway: Gateway, project: TestProject, name: string): Promise<void> {
  const ids = Array.from({ length: ACCOUNTS }, (_, index) => `${name}-${index}`);
  const send = async (method: string, path: string, body?: unknown) => {
    const key = { 'idempotency-key': `${name} ${method} ${path} ${JSON.stringify(body)}` };
    const { status, text } = await project.rest(method, path, body, key);
    expect(status, text).toBe(200);
  };
  for (const round of [1, 2])
    await Promise.all(
      ids.map(async (id, index) => {
        const session_id = await project.session({ ip_address: `90.54.${round}.${index}`, device_id: name });
        const account = { id, email: `${name}@acme-widgets.com`, phone: `+1415555267${index % 3}` };
        await send('POST', '/session/authenticate', { session_id, account });
      }),
    );
  const [, , ...others] = ids;
  await Promise.all(
    others.map((id) => send('PUT', `/account/${id}`, { email: `${id}@acme-widgets.com`, phone: '' })),
  );
  await send('PUT', `/account/${others[0]}`, { group: 'other' });
  await gateway.app.recalculateLinks(project.projectId);
  for (const id of others) await send('DELETE', `/account/${id}`);
  await gateway.app.recalculateLinks(project.projectId);
}

/** An import in batches, with the recalculations that it leaves. */
async function importAccounts({ ownerUrl }: TestDatabase, projectId: string): Promise<void> {
  const storage = await openForCommandLine(
    readConfig({ DATABASE_URL: ownerUrl, MASTER_KEY: masterKey }),
    ownerUrl,
    2,
  );
  try {
    const { accounts, viewer, settle } = await openProjectForCommandLine(storage, projectId);
    const store = accounts.openImport(viewer, newId(), { batches: 2 });
    const ids = Array.from({ length: 2 * ACCOUNTS }, (_, index) => `imported-${index}`);
    await Promise.all(
      ids.map((id, index) => store({ id, email: `imported-${index % ACCOUNTS}@acme-widgets.com` })),
    );
    await settle();
  } finally {
    await storage.close();
  }
}

/** Copies of one row with keys of their own: one row of each small project, and all others of the large one. */
async function addRows(system: pg.Client, table: string, projectId: string): Promise<void> {
  const { rows: columns } = await system.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
     where table_schema = 'public' and table_name = $1 order by ordinal_position`,
    [table],
  );
  const columnOf = ({ name, type }: { name: string; type: string }) => {
    if (name === 'project_id') return 'case when n <= $2 then md5(n::text)::uuid else $1 end';
    if (type === 'uuid') return 'gen_random_uuid()';
    if (table === 'accounts' && name === 'account_id') return `'copy-' || n`;
    if (table === 'blocking_keys' && name === 'value_hash')
      return `substr(decode(md5(n::text), 'hex'), 1, 8)`;
    return name.endsWith('_hash') ? `decode(md5(n::text), 'hex')` : `r.${name}`;
  };
  const { rowCount } = await system.query(
    `insert into ${table} (${columns.map(({ name }) => name).join(', ')})
     select ${columns.map(columnOf).join(', ')}
     from (select * from ${table} where project_id = $1 limit 1) r, generate_series(1, $2::int + $3::int) n`,
    [projectId, SMALL_PROJECTS, ROWS_OF_LARGE],
  );
  expect(rowCount, table).toBe(SMALL_PROJECTS + ROWS_OF_LARGE);
}

/** A gateway for one part of the test: connections report their statistics at the latest when they close. */
async function withGateway<T>(database: TestDatabase, work: (gateway: Gateway) => Promise<T>): Promise<T> {
  const gateway = await startGateway({ database, masterKey, worksInBackground: false });
  try {
    return await work(gateway);
  } finally {
    await gateway.close();
  }
}

/** Number of entries that each index has returned. */
async function readRowsOf(owner: pg.Client): Promise<Map<string, number>> {
  const { rows } = await owner.query(
    `select indexrelname, idx_tup_read::int from pg_stat_user_indexes where relname = any($1)`,
    [TABLES],
  );
  return new Map(rows.map(({ indexrelname, idx_tup_read }) => [indexrelname, idx_tup_read]));
}
