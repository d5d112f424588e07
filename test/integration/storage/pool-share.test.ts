import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

const POOL_SIZE = 10;
const BUSY = {
  statusCode: 503,
  code: expect.any(String),
  message: 'Another request is changing the same data, try again shortly',
};

let gateway: Gateway;
let busy: TestProject;
let other: TestProject;
let holder: pg.Client;
let watcher: pg.Client;

beforeAll(async () => {
  gateway = await startOwnGateway({ settings: { DATABASE_POOL_SIZE: String(POOL_SIZE) } });
  [busy, other] = [await gateway.project(), await gateway.project()];
  watcher = await connectAs(gateway.database, 'owner');
});
afterAll(async () => {
  await watcher.end();
  await gateway.close();
});
beforeEach(async () => {
  holder = await connectAs(gateway.database, 'vouchgraph_system');
  await holder.query('begin');
});
afterEach(() => holder.end());

/** Number of connections of the gateway that wait for a lock. */
async function countBlocked(): Promise<number> {
  const { rows } = await watcher.query(
    `select count(*)::int as blocked from pg_stat_activity
     where datname = current_database() and application_name = 'vouchgraph' and wait_event_type = 'Lock'`,
  );
  return rows[0].blocked;
}

/** More authenticates than connections, each of a session whose row another transaction locks. */
async function blockedAuthenticates(count: number) {
  const sessions = await Promise.all(Array.from({ length: count }, () => busy.session()));
  await holder.query('select 1 from sessions where session_id = any($1) for update', [sessions]);
  return sessions.map((session_id) =>
    busy.rest('POST', '/session/authenticate', { session_id, account: { id: unique('blocked') } }),
  );
}

it('a project with requests that wait for a lock leaves connections to another project', async () => {
  const blocked = await blockedAuthenticates(3 * POOL_SIZE);
  await expect.poll(countBlocked, { interval: 5 }).toBeGreaterThanOrEqual(POOL_SIZE - 3);
  for (let round = 0; round < 3; round += 1) expect((await other.rest('GET', '/list')).status).toBe(200);
  expect(await countBlocked()).toBeGreaterThan(0);
  await holder.query('rollback');
  for (const { status, headers } of await Promise.all(blocked)) {
    // One of them binds the session; requests that waited too long for a connection get a retry time.
    expect([200, 400, 503]).toContain(status);
    if (status === 503) expect(headers.get('retry-after')).toBe('1');
  }
});

it('an authenticate that waits too long for a lock returns 503 with a retry time', async () => {
  const answers = await Promise.all(await blockedAuthenticates(POOL_SIZE / 2));
  for (const { status, headers, body } of answers) {
    expect(body).toEqual(BUSY);
    expect({ status, retry: headers.get('retry-after') }).toEqual({ status: 503, retry: '1' });
  }
  // No row of them is left.
  expect(await countBlocked()).toBe(0);
});

it('an account with an advisory lock of another transaction returns 503 in the same way', async () => {
  const id = unique('account');
  await busy.authenticate({ id });
  const session_id = await busy.session();
  // The first lock of an authenticate of this account, read while one of them waits.
  await holder.query('select 1 from sessions where session_id = $1 for update', [session_id]);
  const first = busy.rest('POST', '/session/authenticate', { session_id, account: { id } });
  await expect.poll(countBlocked, { interval: 5 }).toBe(1);
  const { rows } = await watcher.query(
    `select ((classid::bigint << 32) | objid::bigint)::text as key from pg_locks
     where locktype = 'advisory' and granted and objsubid = 1 and database = (select oid from pg_database where datname = current_database())
       and pid = (select pid from pg_stat_activity where datname = current_database() and application_name = 'vouchgraph'
                  and wait_event_type = 'Lock')`,
  );
  await holder.query('rollback');
  expect((await first).status).toBe(200);
  await holder.query('begin');
  for (const { key } of rows) await holder.query('select pg_advisory_xact_lock($1)', [key]);
  const second = await busy.rest('POST', '/session/authenticate', { session_id, account: { id } });
  expect(second.body).toEqual(BUSY);
  expect({ status: second.status, retry: second.headers.get('retry-after') }).toEqual({
    status: 503,
    retry: '1',
  });
});
