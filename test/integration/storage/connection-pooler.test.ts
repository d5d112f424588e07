import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/storage/database.ts';
import { makeFolder, run } from '../../acceptance/gateway-process.ts';
import { createTestDatabase, queryAsAdmin, type TestDatabase } from '../../support/database.ts';
import { startGateway, unique } from '../../support/gateway.ts';
import { installedPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts';
import { createEndpoint, startReceiver } from '../../support/webhook-receiver.ts';

/* With the PgBouncer of the machine: npm run test:postgres15 installs one. */

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function pooled(settings: Record<string, string | number>): Promise<string> {
  const pooler = await startPgBouncer(database.ownerUrl, settings);
  onTestFinished(pooler.stop);
  return pooler.url;
}

/** What `serve` writes to standard error. */
async function failedStart(databaseUrl: string): Promise<{ code: number | null; errors: string }> {
  const { folder, remove } = await makeFolder();
  onTestFinished(remove);
  const gateway = run(['serve'], { DATA_DIR: folder, DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' });
  return { code: await gateway.exited, errors: gateway.errors() };
}

const BEGINNING = 'vouchgraph: DATABASE_URL leads to a connection pooler that ';
const END = ', or point DATABASE_URL at PostgreSQL itself\n';

describe.runIf(installedPgBouncer())('a gateway behind PgBouncer', () => {
  it('works in session mode', async () => {
    const ownerUrl = await pooled({ pool_mode: 'session' });
    const gateway = await startGateway({
      database: { ...database, ownerUrl },
      settings: { WEBHOOK_ALLOW_LOOPBACK: '1' },
    });
    const receiver = await startReceiver();
    onTestFinished(async () => {
      await receiver.close();
      await gateway.close();
    });
    const [project, other] = [await gateway.project(), await gateway.project()];
    await createEndpoint(project, { url: receiver.url(), eventTypes: ['account.authenticated'] });
    const id = unique('pooled');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => [
        project.authenticate({ id }),
        other.rest('GET', `/account/${id}`),
      ]).flat(),
    );
    const notFound = answers.filter((answer) => answer.status === 400);
    expect(notFound).toHaveLength(20);
    await gateway.app.settleWebhooks();
    await receiver.until(20);
  });

  it.each([
    ['transaction mode', { pool_mode: 'transaction' }, /works in transaction mode.*pool_mode = session/],
    ['statement mode', { pool_mode: 'statement' }, /works in statement mode.*pool_mode = session/],
    [
      'session mode without a reset',
      { pool_mode: 'session', server_reset_query: '' },
      /returned a connection with the settings of another session.*server_reset_query = DISCARD ALL/,
    ],
    [
      'session mode with one connection',
      { pool_mode: 'session', default_pool_size: 1 },
      /did not open a second connection within 5 s.*default_pool_size/,
    ],
  ])('does not start in %s, and names the reason in one line', async (_name, settings, reason) => {
    const { code, errors } = await failedStart(await pooled(settings));
    expect(code).toBe(1);
    expect(errors.startsWith(BEGINNING)).toBe(true);
    expect(errors.endsWith(END)).toBe(true);
    expect(errors.trim().split('\n')).toHaveLength(1);
    expect(errors).toMatch(reason);
  });

  it('rejects each connection of another session while it runs, and logs the reason once', async () => {
    const connectionString = await pooled({ pool_mode: 'session', server_reset_query: '' });
    const former = new pg.Client({ connectionString });
    await former.connect();
    const { rows } = await former.query(
      "select set_config('app.connection', 'open', false), pg_backend_pid()::int as pid",
    );
    await former.end();
    const lines: string[] = [];
    const gateway = openDatabase({ connectionString, poolSize: 1, onRefused: (line) => lines.push(line) });
    onTestFinished(gateway.close);
    const role = {
      name: 'test.role',
      text: 'select current_user::text as role, pg_backend_pid()::int as pid',
    };
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(gateway.system.query(role, [])).rejects.toMatchObject({ kind: 'unavailable' });
    expect(lines).toEqual([expect.stringMatching(/server_reset_query = DISCARD ALL/)]);
    await queryAsAdmin(`select pg_terminate_backend(${rows[0].pid})`);
    const accepted = async () => (await gateway.system.query<{ role: string }>(role, []))[0]?.role;
    await expect.poll(() => accepted().catch(() => null)).toBe('vouchgraph_system');
  });

  it('names a parameter of DATABASE_URL that PgBouncer rejects', async () => {
    const url = new URL(await pooled({ pool_mode: 'session' }));
    url.searchParams.set('options', '-c geqo=off');
    expect(await failedStart(url.toString())).toEqual({
      code: 1,
      errors: `${BEGINNING}rejects the start-up parameter "options": remove it from DATABASE_URL, or let the pooler ignore it (PgBouncer: ignore_startup_parameters)${END}`,
    });
  });
});
