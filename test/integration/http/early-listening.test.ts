import { once } from 'node:events';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import pg from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type GatewayProcess, makeFolder, run, until } from '../../acceptance/gateway-process.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { PROTOCOL } from '../../support/websocket.ts';

// A start takes long while other tests run.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** The advisory lock that a gateway waits for before it migrates. */
const MIGRATION_LOCK = 72707369;

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let migrating: pg.Client;
let gateway: GatewayProcess;
let baseUrl: string;

beforeEach(async () => {
  database = await createTestDatabase();
  folder = await makeFolder();
  migrating = new pg.Client(database.ownerUrl);
  await migrating.connect();
  await migrating.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  gateway = run(['serve'], {
    PORT: String(port),
    DATABASE_URL: database.ownerUrl,
    MASTER_KEY: generateMasterKey(),
    DATA_DIR: folder.folder,
  });
  await until('the wait for the lock', async () => /waiting for it/.test(gateway.output()), 60_000);
});
afterEach(async () => {
  gateway.signal('SIGKILL');
  await gateway.exited;
  await migrating.end();
  await database.drop();
  await folder.remove();
});

async function get(path: string) {
  const response = await fetch(baseUrl + path);
  const { status, headers } = response;
  return { status, retryAfter: headers.get('retry-after'), body: await response.json() };
}

it('a starting gateway is alive and not ready while its database is migrated, and then serves requests', async () => {
  expect(await get('/livez')).toEqual({ status: 200, retryAfter: null, body: { status: 'ok' } });
  expect(await get('/readyz')).toEqual({ status: 503, retryAfter: '1', body: { status: 'starting' } });
  expect(await get('/account/nobody')).toMatchObject({
    status: 503,
    retryAfter: '1',
    body: { statusCode: 503, code: 'service.unavailable' },
  });
  const [error] = await once(new WebSocket(`${baseUrl}/graphql`, PROTOCOL), 'error');
  expect(String(error)).toContain('503');

  await migrating.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
  await until('readiness', async () => (await get('/readyz')).status === 200, 60_000);
  expect((await get('/account/nobody')).status).toBe(401);
  const socket = new WebSocket(`${baseUrl}/graphql`, PROTOCOL);
  await once(socket, 'open');
  socket.terminate();
});
