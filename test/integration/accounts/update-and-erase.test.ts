import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs, tablesOf } from '../../support/sql.ts';

let gateway: Gateway;
let project: TestProject;
let system: pg.Client;

beforeAll(async () => {
  gateway = await startOwnGateway();
  project = await gateway.project();
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

const read = (id: string) => project.rest('GET', `/account/${id}`);
const write = (id: string, fields: Body) => project.rest('PUT', `/account/${id}`, fields);
const NOT_FOUND = { statusCode: 400, code: expect.any(String), message: 'Account not found' };

describe('updating an account', () => {
  it('keeps the last value of each field, and absent fields', async () => {
    const id = unique('fields');
    const first = {
      email: 'ada@example.com',
      phone: '+14155552671',
      first_name: 'Ada',
      last_name: 'Byron',
      username: unique('ada'),
      expected_countries: ['GB', 'FR'],
      metadata: { plan: 'free' },
      group: id,
    };
    await project.authenticate({ id, ...first });
    await write(id, { last_name: 'Lovelace', phone: '+14155550000' });
    await write(id, { phone: '+14155550001', first_name: null });
    const { account } = (await read(id)).body;
    expect(account).toEqual({ id, ...first, last_name: 'Lovelace', phone: '+14155550001' });
  });

  it('merges metadata key by key, one level deep', async () => {
    const id = unique('metadata');
    await project.authenticate({ id, metadata: { kept: 1, nested: { a: 1 }, list: [1, 2] } });
    await write(id, { metadata: { nested: { b: 2 }, list: [3], added: null } });
    await project.authenticate({ id, metadata: { again: true } });
    expect((await read(id)).body.account.metadata).toEqual({
      kept: 1,
      nested: { b: 2 },
      list: [3],
      added: null,
      again: true,
    });
  });

  it('replaces expected countries only by a non-empty list', async () => {
    const id = unique('countries');
    await project.authenticate({ id, expected_countries: ['FR', 'fr', 'DE'] });
    for (const [sent, stored] of [
      [[], ['FR', 'DE']],
      [null, ['FR', 'DE']],
      [['us'], ['US']],
      [undefined, ['US']],
    ]) {
      await write(id, { expected_countries: sent });
      expect((await read(id)).body.account.expected_countries).toEqual(stored);
    }
  });

  it('returns the same record as a later read', async () => {
    const id = unique('record');
    await project.authenticate({ id, lists: ['vip'] }, { ip_address: '90.54.1.1', device_id: id });
    const { request_id: _put, ...written } = (await write(id, { username: id, email: `${id}@gmail.com` }))
      .body;
    const { request_id: _get, ...stored } = (await read(id)).body;
    expect(stored).toEqual(written);
    expect(stored).toMatchObject({ num_sessions: 1, country: 'FR', lists: ['vip'], decision: 'Real' });
  });

  it('adds no session, and creates no account', async () => {
    const id = unique('quiet');
    await project.authenticate({ id }, { start_time: '2026-01-01T10:00:00.125Z' });
    expect((await write(id, { username: id })).body).toMatchObject({
      num_sessions: 1,
      last_seen: '2026-01-01T10:00:00.125Z',
    });
    const unknown = unique('unknown');
    expect((await write(unknown, { username: unknown })).body).toEqual(NOT_FOUND);
    expect((await read(unknown)).body).toEqual(NOT_FOUND);
  });

  it('rejects a body with another id than the path, and changes nothing', async () => {
    const id = unique('path');
    await project.authenticate({ id, username: id });
    const answer = await write(id, { id: 'other', username: 'changed' });
    expect(answer.body).toEqual({
      statusCode: 400,
      code: expect.any(String),
      message: expect.stringMatching(/^id: /),
    });
    expect((await write(id, { id })).body.account.username).toBe(id);
  });
});

describe('erasing an account', () => {
  const erase = (id: string) => project.rest('DELETE', `/account/${id}`);
  const sessionOf = (id: string) => project.rest('GET', `/session/${id}`);

  it('leaves no readable data, and cannot be repeated', async () => {
    const id = unique('erased');
    const { session_id } = await project.authenticate({ id });
    const { body } = await erase(id);
    expect(body).toEqual({ request_id: expect.any(String), account_id: id, success: true });
    for (const path of ['', '/accounts-linked', '/sessions']) {
      expect((await project.rest('GET', `/account/${id}${path}`)).body).toEqual(NOT_FOUND);
    }
    expect((await sessionOf(session_id)).body).toEqual({
      statusCode: 400,
      code: expect.any(String),
      message: 'Session ID not found',
    });
    expect((await erase(id)).body).toEqual(NOT_FOUND);
  });

  it('returns the id of the erased node, and fails for an unknown account', async () => {
    const id = unique('erased-node');
    await project.authenticate({ id });
    const { account } = await project.graphql('query ($id: ID!) { account(accountId: $id) { id } }', { id });
    const erase = 'mutation ($id: ID!) { deleteAccount(input: { accountId: $id }) { deletedId accountId } }';
    const { deleteAccount } = await project.graphql(erase, { id });
    expect(deleteAccount).toEqual({ deletedId: account.id, accountId: id });
    const { body } = await project.rawGraphql(erase, { id });
    expect(body).toMatchObject({
      data: { deleteAccount: null },
      errors: [{ extensions: { code: 'account.not_found' } }],
    });
  });

  it('removes its links from the linked accounts', async () => {
    const [id, other] = [unique('erased'), unique('other')];
    const phone = '+14155552671';
    await project.authenticate({ id, phone, group: id });
    await project.authenticate({ id: other, phone, group: id });
    expect((await read(other)).body.accounts_linked).toBe(1);
    await erase(id);
    expect((await read(other)).body).toMatchObject({ accounts_linked: 0, multiple_accounts: 0 });
    expect((await project.rest('GET', `/account/${other}/accounts-linked`)).body.accounts_linked).toEqual([]);
  });

  it('keeps a session of another account', async () => {
    const [id, other] = [unique('erased'), unique('other')];
    const { session_id } = await project.authenticate({ id });
    await project.rest('POST', '/session/authenticate', { session_id, account: { id: other } });
    await erase(id);
    expect((await sessionOf(session_id)).body.account_ids).toEqual([other]);
    expect((await project.rest('GET', `/account/${other}/sessions`)).body.sessions).toEqual([session_id]);
  });

  it('allows a new account with the same id', async () => {
    const id = unique('phoenix');
    await project.authenticate({ id, username: id, lists: ['block'] });
    await erase(id);
    const again = await project.authenticate({ id });
    expect(again).toMatchObject({ decision: 'Real', lists: [], account: { num_sessions: 1 } });
    expect((await read(id)).body.account.username).toBe('');
  });

  it('leaves no row with its id, and one audit entry with a hash of it', async () => {
    const [id, other, group] = [unique('erased'), unique('other'), unique('group')];
    const phone = '+14155552671';
    await project.authenticate({ id, phone, email: 'a@example.com', group, lists: ['vip'] });
    await project.authenticate({ id: other, phone, group });
    const { rows } = await system.query('select id from accounts where account_id = $1', [id]);
    const internalId: string = rows[0].id;
    const tables = ['account_sessions', 'identifiers', 'links', 'list_members', 'outbox_events'];
    const count = async (table: string) =>
      (await system.query(`select 1 from ${table} where account_id = $1`, [internalId])).rowCount;
    for (const table of tables) expect(await count(table), table).toBeGreaterThan(0);

    const { body } = await erase(id);
    for (const table of tables) expect(await count(table), table).toBe(0);
    // Pending recalculations contain the account's id until they are processed.
    await gateway.app.recalculateLinks(project.projectId);
    for (const table of await tablesOf(system)) {
      for (const trace of [id, internalId]) {
        const sql = `select 1 from ${table} t where t::text like '%' || $1 || '%'`;
        expect((await system.query(sql, [trace])).rowCount, `${trace} in ${table}`).toBe(0);
      }
    }
    const { rows: lines } = await system.query('select * from audit_log where request_id = $1', [
      body.request_id,
    ]);
    expect(lines).toEqual([
      expect.objectContaining({
        action: 'account.delete',
        target: expect.stringMatching(/^account:[0-9a-f]{32}$/),
        before: null,
        after: null,
      }),
    ]);
  });
});
