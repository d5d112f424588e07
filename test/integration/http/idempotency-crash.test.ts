import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayProcess, makeFolder, run, until } from '../../acceptance/gateway-process.ts';
import {
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/*
 * A gateway is killed between the commit of a change and the storage of its response; another gateway on the same database
 * receives the retry.
 */
const masterKey = generateMasterKey();
const LOCK = 4712;
let gateway: Gateway;
let project: TestProject;
let owner: pg.Client;
let folder: { folder: string; remove(): Promise<void> };
let victim: GatewayProcess | undefined;

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  folder = await makeFolder();
  owner = await connectAs(gateway.database, 'owner');
  await owner.query(`
    create function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(${LOCK}); return new; end $$;
    create trigger wait_for_test before update on idempotency_keys
      for each row when (new.state = 'done' and old.state <> 'done') execute function wait_for_test()`);
});
beforeEach(async () => {
  project = await gateway.project();
});
afterAll(async () => {
  victim?.signal('SIGKILL');
  await victim?.exited;
  await owner.end();
  await gateway.close();
  await folder.remove();
});

async function startVictim(): Promise<TestProject> {
  victim = run(['serve'], {
    DATABASE_URL: gateway.database.ownerUrl,
    MASTER_KEY: masterKey,
    DATA_DIR: folder.folder,
    RATE_LIMIT_PER_MINUTE: '0',
    MX_LOOKUPS: 'off',
    LOG_LEVEL: 'silent',
  });
  const { child, output } = victim;
  const baseUrl = await until(
    'an address',
    async () => {
      if (child.exitCode !== null) throw new Error(output());
      return /answers on (http:\S+)/.exec(output())?.[1];
    },
    50_000,
  );
  return projectClient(baseUrl, project.projectId, project.key);
}

/** Sends a request to a gateway that is killed when the change is committed; returns the id of the request. */
async function killBetween(path: string, body: unknown, key: string): Promise<string> {
  const client = await startVictim();
  await owner.query('select pg_advisory_lock($1)', [LOCK]);
  const answer = client.rest('POST', path, body, { 'idempotency-key': key }).catch(() => null);
  const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event = 'advisory'
                   and query like '%idempotency_keys%'`;
  const pid: number = await until(
    'the answer to be stored',
    async () => (await owner.query(waiting)).rows[0]?.pid,
  );
  victim!.signal('SIGKILL');
  await victim!.exited;
  expect(await answer).toBeNull();
  // The connection is closed with the gateway, at the latest at the next write.
  await owner.query('select pg_terminate_backend($1)', [pid]);
  await until('its end', async () => (await owner.query(waiting)).rowCount === 0);
  await owner.query('select pg_advisory_unlock($1)', [LOCK]);
  const [row] = await gateway.app.database.system.query(
    { name: 'test.key', text: 'select state, body, request_id from idempotency_keys where project_id = $1' },
    [project.projectId],
  );
  expect([row.state, row.body]).toEqual(['applied', null]);
  return row.request_id;
}

describe('a gateway that is killed between a change and the storage of its response', {
  timeout: 180_000,
}, () => {
  it('allows a retry of an authenticate, which counts nothing twice', async () => {
    const [key, id] = [unique('key'), unique('account')];
    const body = { session_id: await project.session(), account: { id, lists: ['vip'] } };
    await killBetween('/session/authenticate', body, key);
    expect((await project.rest('GET', `/account/${id}`)).body.num_sessions).toBe(1);
    const repeat = () => project.rest('POST', '/session/authenticate', body, { 'idempotency-key': key });
    const answer = await repeat();
    expect([answer.status, answer.body.account_id, answer.body.account.num_sessions]).toEqual([200, id, 1]);
    expect(answer.body.lists).toEqual(['vip']);
    expect((await repeat()).text).toBe(answer.text);
    expect((await project.rest('GET', `/account/${id}`)).body.num_sessions).toBe(1);
  });

  it('causes a retry of POST /session to be rejected with the id of the first request, without a second session', async () => {
    const key = unique('key');
    const first = await killBetween('/session', {}, key);
    const answer = await project.rest('POST', '/session', {}, { 'idempotency-key': key });
    expect(answer.body).toEqual({
      statusCode: 409,
      code: expect.any(String),
      message: expect.stringContaining(first),
    });
    expect(answer.status).toBe(409);
    expect(answer.headers.get('x-request-id')).toBe(first);
    const { sessions } = await project.graphql('{ sessions(first: 10) { edges { node { requestId } } } }');
    expect(sessions.edges).toEqual([{ node: { requestId: first } }]);
  });

  it('does not recreate an account that was erased before the retry', async () => {
    const [key, id] = [unique('key'), unique('account')];
    const body = { session_id: await project.session(), account: { id } };
    const first = await killBetween('/session/authenticate', body, key);
    expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
    const answer = await project.rest('POST', '/session/authenticate', body, { 'idempotency-key': key });
    expect(answer.status).toBe(409);
    expect(answer.body.message).toContain(first);
    expect((await project.rest('GET', `/account/${id}`)).status).toBe(400);
  });
});
