import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, queryAsAdmin } from '../../support/database.ts';
import {
  type Answer,
  type Gateway,
  send,
  startOwnGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

let gateway: Gateway;
let project: TestProject;
let owner: pg.Client;
const id = unique('account');

beforeAll(async () => {
  gateway = await startOwnGateway();
  project = await gateway.project();
  await project.authenticate({ id });
});
afterAll(() => gateway.close());

const ready = () => send(`${gateway.baseUrl}/readyz`, 'GET');
const name = () => new URL(gateway.database.ownerUrl).pathname.slice(1);
const endConnections = () =>
  queryAsAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name()}'`);

async function writes(): Promise<Answer[]> {
  const session_id = '01975a8e-3b18-7c11-9d0e-5f2a8c4b7e61';
  return [
    await project.rest('POST', '/session', {}),
    await project.rest('POST', '/session/authenticate', { session_id, account: { id } }),
    await project.rest('PUT', `/account/${id}`, { email: 'ada@example.com' }),
    await project.rawGraphql(
      'mutation ($id: ID!) { updateAccount(input: { accountId: $id, email: "ada@example.com" }) { requestId } }',
      { id },
    ),
  ];
}

function expectUnavailable(answers: readonly Answer[]): void {
  for (const { status, headers, body } of answers) {
    expect({ status, retry: headers.get('retry-after') }, JSON.stringify(body)).toEqual({
      status: 503,
      retry: '1',
    });
    if (body.errors)
      expect(body.errors[0].extensions).toMatchObject({ code: 'service.unavailable', retryAfterSeconds: 1 });
    else
      expect(body).toEqual({
        statusCode: 503,
        code: expect.any(String),
        message: 'Service unavailable, try again shortly',
      });
  }
}

describe('a read-only database after an incomplete failover', () => {
  it('returns 503 for writes and readiness, serves reads, and is replaced by the new one connection by connection', async () => {
    await queryAsAdmin(`alter database ${name()} set default_transaction_read_only = on`);
    try {
      await endConnections();
      await expect.poll(async () => (await ready()).body.reason).toBe('read_only');
      expectUnavailable(await writes());
      expect((await project.rest('GET', `/account/${id}`)).status).toBe(200);
    } finally {
      // Open connections are not affected: only new ones accept writes.
      await queryAsAdmin(`alter database ${name()} reset default_transaction_read_only`);
    }
    await expect.poll(async () => (await ready()).status).toBe(200);
    await expect
      .poll(async () => (await project.rest('PUT', `/account/${id}`, { email: 'b@example.com' })).status)
      .toBe(200);
    await expect.poll(async () => (await writes())[0]!.status).toBe(200);
  });
});

describe('a full disk', () => {
  it('returns 503 for writes, is named by readiness, and recovers once there is space', async () => {
    owner = await connectAs(gateway.database, 'owner');
    await owner.query(`
      create function disk_full() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file "base/5/16384"' using errcode = '53100'; end $$;
      create trigger disk_full before insert or update on sessions for each row execute function disk_full()`);
    try {
      expectUnavailable([await project.rest('POST', '/session', {})]);
      const unready = await ready();
      expect(unready).toMatchObject({
        status: 503,
        body: { status: 'unavailable', reason: 'disk_full' },
      });
      expect(unready.headers.get('retry-after')).toBe('1');
    } finally {
      await owner.query('drop function disk_full cascade');
      await owner.end();
    }
    await expect.poll(async () => (await ready()).status).toBe(200);
    expect((await project.rest('POST', '/session', {})).status).toBe(200);
  });
});

describe('a server with other output formats of values', () => {
  it('serves changes of accounts that are linked', async () => {
    const database = await createTestDatabase();
    const name = new URL(database.ownerUrl).pathname.slice(1);
    for (const setting of [`bytea_output = 'escape'`, `datestyle = 'German'`, 'extra_float_digits = -15'])
      await queryAsAdmin(`alter database "${name}" set ${setting}`);
    const other = await startOwnGateway({ database });
    try {
      const project = await other.project();
      const [one, two, email] = [unique('one'), unique('two'), `${unique('mail')}@example.com`];
      for (const id of [one, two, one]) await project.authenticate({ id, email });
      const { body } = await project.rest('GET', `/account/${one}/accounts-linked`);
      expect(body.accounts_linked).toMatchObject([{ account_id: two, score: 1 }]);
    } finally {
      await other.close();
    }
  });
});
