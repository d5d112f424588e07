import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type StrippingProxy, startStrippingProxy } from '../support/option-stripping-proxy.ts';
import { call, type GatewayProcess, makeFolder, run, start, until } from './gateway-process.ts';

/* A pooler between gateway and server that drops startup parameters would return connections of the owner. */

let database: TestDatabase;
let proxy: StrippingProxy;
let dataDir: string;
let removeFolder: () => Promise<void>;
let gateway: GatewayProcess;

beforeEach(async () => {
  const { folder, remove } = await makeFolder();
  dataDir = path.join(folder, 'data');
  removeFolder = remove;
  database = await createTestDatabase();
  proxy = await startStrippingProxy(database.ownerUrl, false);
});
afterEach(async () => {
  gateway.signal('SIGTERM');
  await gateway.exited;
  await proxy.close();
  await database.drop();
  await removeFolder();
});

const REASON =
  /^a database connection does not have the role vouchgraph_(app|system): a connection pooler drops the start-up parameter "options"/;

describe('a connection with another role than the configured one', () => {
  it('prevents the start of the gateway, with the reason in one line', async () => {
    proxy.strips = true;
    gateway = run(['serve'], { DATA_DIR: dataDir, DATABASE_URL: proxy.url, LOG_LEVEL: 'silent' });
    expect(await gateway.exited).toBe(1);
    const lines = gateway.errors().trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]!.replace(/^vouchgraph: /, '')).toMatch(REASON);
  });

  it('is rejected while the gateway runs: 503, one line in the log, and normal operation afterwards', async () => {
    const started = await start(dataDir, { DATABASE_URL: proxy.url, LOG_LEVEL: 'error' });
    gateway = started.gateway;
    const list = () => call(started.sandbox, 'GET', '/list');
    expect((await list()).status).toBe(200);
    const refusals = () =>
      gateway
        .errors()
        .split('\n')
        .filter((line) => line.includes('does not have the role'))
        .map((line) => JSON.parse(line).msg as string);

    proxy.strips = true;
    proxy.disconnect();
    await until('a refused connection', async () => refusals().length > 0);
    for (let round = 0; round < 3; round += 1) {
      const { status, body } = await list();
      expect({ status, body }).toEqual({
        status: 503,
        body: {
          statusCode: 503,
          code: expect.any(String),
          message: 'Service unavailable, try again shortly',
        },
      });
    }
    // Once for each of the two roles.
    expect(new Set(refusals()).size).toBe(refusals().length);
    for (const line of refusals()) expect(line).toMatch(REASON);

    proxy.strips = false;
    await until('an answer', async () => (await list()).status === 200);
  });
});
