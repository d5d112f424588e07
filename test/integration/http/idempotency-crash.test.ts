import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayProcess, makeFolder, run, until } from '../../acceptance/gateway-process.ts';
import {
  type Body,
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/*
 * A gateway is killed between the commit of changes and the storage of their responses; another gateway on the same database
 * receives the retries.
 */
const masterKey = generateMasterKey();
const LOCK = 4712;
let gateway: Gateway;
let owner: pg.Client;
let folder: { folder: string; remove(): Promise<void> };
let victim: GatewayProcess | undefined;

/** A request of a project of its own to the killed gateway. */
type Interrupted = { project: TestProject; path: string; body: Body; key: string; requestId: string };
let counted: Interrupted;
let opened: Interrupted;
let erased: Interrupted;

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  folder = await makeFolder();
  owner = await connectAs(gateway.database, 'owner');
  await owner.query(`
    create function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(${LOCK}); return new; end $$;
    create trigger wait_for_test before update on idempotency_keys
      for each row when (new.state = 'done' and old.state <> 'done') execute function wait_for_test()`);
  const account = () => ({ id: unique('account') });
  counted = await request('/session/authenticate', async (project) => ({
    session_id: await project.session(),
    account: { ...account(), lists: ['vip'] },
  }));
  opened = await request('/session', async () => ({}));
  erased = await request('/session/authenticate', async (project) => ({
    session_id: await project.session(),
    account: account(),
  }));
  await killBetween([counted, opened, erased]);
}, 180_000);
afterAll(async () => {
  victim?.signal('SIGKILL');
  await victim?.exited;
  await owner.end();
  await gateway.close();
  await folder.remove();
});

async function startVictim(): Promise<string> {
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
  return baseUrl;
}

async function request(path: string, bodyOf: (project: TestProject) => Promise<Body>): Promise<Interrupted> {
  const project = await gateway.project();
  return { project, path, body: await bodyOf(project), key: unique('key'), requestId: '' };
}

/** Sends requests to a gateway that is killed when their changes are committed; sets the ids of the requests. */
async function killBetween(requests: Interrupted[]): Promise<void> {
  const baseUrl = await startVictim();
  await owner.query('select pg_advisory_lock($1)', [LOCK]);
  const answers = requests.map(({ project, path, body, key }) =>
    projectClient(baseUrl, project.projectId, project.key)
      .rest('POST', path, body, { 'idempotency-key': key })
      .catch(() => null),
  );
  const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event = 'advisory'
                   and query like '%idempotency_keys%'`;
  const pids = await until('the answers to be stored', async () => {
    const { rows } = await owner.query(waiting);
    return rows.length === requests.length && rows.map(({ pid }) => pid as number);
  });
  victim!.signal('SIGKILL');
  await victim!.exited;
  expect(await Promise.all(answers)).toEqual(requests.map(() => null));
  // The connections are closed with the gateway, at the latest at the next write.
  await owner.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [pids]);
  await until('their end', async () => (await owner.query(waiting)).rowCount === 0);
  await owner.query('select pg_advisory_unlock($1)', [LOCK]);
  for (const interrupted of requests) {
    const [row] = await gateway.app.database.system.query(
      {
        name: 'test.key',
        text: 'select state, body, request_id from idempotency_keys where project_id = $1',
      },
      [interrupted.project.projectId],
    );
    expect([row.state, row.body]).toEqual(['applied', null]);
    interrupted.requestId = row.request_id;
  }
}

const retry = ({ project, path, body, key }: Interrupted) =>
  project.rest('POST', path, body, { 'idempotency-key': key });

describe('a gateway that is killed between a change and the storage of its response', () => {
  it('allows a retry of an authenticate, which counts nothing twice', async () => {
    const { project, body } = counted;
    const { id } = body.account;
    expect((await project.rest('GET', `/account/${id}`)).body.num_sessions).toBe(1);
    const answer = await retry(counted);
    expect([answer.status, answer.body.account_id, answer.body.account.num_sessions]).toEqual([200, id, 1]);
    expect(answer.body.lists).toEqual(['vip']);
    expect((await retry(counted)).text).toBe(answer.text);
    expect((await project.rest('GET', `/account/${id}`)).body.num_sessions).toBe(1);
  });

  it('causes a retry of POST /session to be rejected with the id of the first request, without a second session', async () => {
    const { project, requestId } = opened;
    const answer = await retry(opened);
    expect(answer.body).toEqual({
      statusCode: 409,
      code: expect.any(String),
      message: expect.stringContaining(requestId),
    });
    expect(answer.status).toBe(409);
    expect(answer.headers.get('x-request-id')).toBe(requestId);
    const { sessions } = await project.graphql('{ sessions(first: 10) { edges { node { requestId } } } }');
    expect(sessions.edges).toEqual([{ node: { requestId } }]);
  });

  it('does not recreate an account that was erased before the retry', async () => {
    const { project, body, requestId } = erased;
    const { id } = body.account;
    expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
    const answer = await retry(erased);
    expect(answer.status).toBe(409);
    expect(answer.body.message).toContain(requestId);
    expect((await project.rest('GET', `/account/${id}`)).status).toBe(400);
  });
});
