import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import {
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/** Tables that grow with accounts and sessions, and that an authenticate reads. */
const TABLES = [
  ...['accounts', 'account_sessions', 'blocking_keys', 'fraud_sightings', 'identifiers', 'links', 'sessions'],
];
const REQUESTS = 12;
const DEVICE = unique('device');

it('authenticate scans no growing table when the planner assumes empty tables', async () => {
  const database = await createTestDatabase();
  const owner = await connectAs(database, 'owner');
  const masterKey = generateMasterKey();
  try {
    await owner.query(`vacuum analyze ${TABLES.join(', ')}`);
    const { project, sessions } = await withGateway(database, masterKey, openSessions);
    const before = await scansOf(owner);
    await withGateway(database, masterKey, (gateway) => authenticateAll(gateway, project, sessions));
    expect(await scansOf(owner)).toEqual(before);
  } finally {
    await owner.end();
    await database.drop();
  }
});

it('authenticate reads by whole keys when its statements were planned while the tables were empty', async () => {
  const database = await createTestDatabase();
  const owner = await connectAs(database, 'owner');
  const system = await connectAs(database, 'vouchgraph_system');
  try {
    for (const table of TABLES)
      await owner.query(
        `alter table ${table} set (autovacuum_enabled = off, toast.autovacuum_enabled = off)`,
      );
    await owner.query(`vacuum analyze ${TABLES.join(', ')}`);
    await withGateway(database, generateMasterKey(), async (gateway) => {
      const { project, sessions } = await openSessions(gateway);
      await authenticateAll(gateway, project, sessions);
      await addRows(system, project.projectId);
      const later = await Promise.all(
        sessions.map(() => project.session({ ip_address: '8.8.8.8', device_id: DEVICE })),
      );
      await authenticateAll(gateway, project, later);
    });
    const { rows } = await owner.query(
      `select relname, indexrelname, idx_tup_read::int from pg_stat_user_indexes
       where relname = any($1) and idx_tup_read > $2`,
      [TABLES, ROWS],
    );
    expect(rows).toEqual([]);
  } finally {
    await system.end();
    await owner.end();
    await database.drop();
  }
});

const ROWS = 20_000;
const BORN = '1984-03-17';

/** Rows of other accounts and sessions of the project. Half of the accounts have the device and the date of birth of the requests. */
async function addRows(system: pg.Client, projectId: string): Promise<void> {
  await system.query(
    `insert into identifiers (project_id, account_id, kind, value_hash, first_seen, last_seen)
     select $1, gen_random_uuid(), 1, decode(md5(n::text), 'hex'), now(), now() from generate_series(1, $2::int) n
     union all
     select $1, gen_random_uuid(), d.kind, d.value_hash, now(), now()
     from (select * from identifiers where project_id = $1 and kind = ${IDENTIFIER_KINDS.device} limit 1) d,
       generate_series(1, $2::int)`,
    [projectId, ROWS],
  );
  await system.query(
    `insert into blocking_keys (project_id, account_id, kind, value_hash)
     select $1, gen_random_uuid(), 9, substr(decode(md5(n::text), 'hex'), 1, 8) from generate_series(1, $2::int) n
     union all
     select $1, gen_random_uuid(), b.kind, b.value_hash
     from (select * from blocking_keys where project_id = $1 and kind = ${IDENTIFIER_KINDS.birth_block} limit 1) b,
       generate_series(1, $2::int)`,
    [projectId, ROWS],
  );
  await system.query(
    `insert into sessions
     select (jsonb_populate_record(null::sessions, to_jsonb(s) || jsonb_build_object('session_id', gen_random_uuid()))).*
     from (select * from sessions where project_id = $1 limit 1) s, generate_series(1, $2::int)`,
    [projectId, ROWS],
  );
}

/** A gateway for one part of the test: connections report their statistics at the latest when they close. */
async function withGateway<T>(
  database: TestDatabase,
  masterKey: string,
  work: (gateway: Gateway) => Promise<T>,
): Promise<T> {
  const gateway = await startGateway({ database, masterKey, worksInBackground: false });
  try {
    return await work(gateway);
  } finally {
    await gateway.close();
  }
}

async function openSessions(gateway: Gateway): Promise<{ project: TestProject; sessions: string[] }> {
  const project = await gateway.project();
  const sessions: string[] = [];
  for (let n = 0; n < REQUESTS; n += 1)
    sessions.push(await project.session({ ip_address: '8.8.8.8', device_id: DEVICE }));
  return { project, sessions };
}

async function authenticateAll(gateway: Gateway, project: TestProject, sessions: readonly string[]) {
  const client = projectClient(gateway.baseUrl, project.projectId, project.key);
  for (const session_id of sessions) {
    const account = {
      id: unique('planned'),
      email: `${unique('planned')}@acme-widgets.com`,
      phone: '+14155552671',
      date_of_birth: BORN,
    };
    const { status } = await client.rest('POST', '/session/authenticate', { session_id, account });
    expect(status).toBe(200);
  }
}

/** Number of sequential scans per table. */
async function scansOf(owner: pg.Client): Promise<Map<string, number>> {
  const { rows } = await owner.query(
    `select relname, seq_scan::int from pg_stat_user_tables where relname = any($1)`,
    [TABLES],
  );
  return new Map(rows.map(({ relname, seq_scan }) => [relname, seq_scan]));
}
