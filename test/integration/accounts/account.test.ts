import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Body,
  type Gateway,
  send,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';

const DAY = 86_400_000;
let clock: TestClock;
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  clock = new TestClock();
  gateway = await startGateway({ clock });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const daysAgo = (days: number) => new Date(clock.now().getTime() - days * DAY).toISOString();
const get = async (id: string): Promise<Body> => (await project.rest('GET', `/account/${id}`)).body;
const linkedIds = async (id: string): Promise<string[]> =>
  (await project.rest('GET', `/account/${id}/accounts-linked`)).body.accounts_linked.map(
    (one: Body) => one.account_id,
  );

describe('an account', () => {
  it('keeps the last value of each field, merges metadata, and keeps absent fields', async () => {
    const id = unique('fields');
    await project.authenticate({
      id,
      email: 'a@example.com',
      username: 'one',
      metadata: { a: 1, b: { c: 1 } },
      expected_countries: ['FR'],
    });
    const updated = await project.rest('PUT', `/account/${id}`, {
      id,
      username: 'two',
      metadata: { b: { d: 2 } },
      expected_countries: [],
    });
    expect(updated.body.account).toEqual({
      id,
      email: 'a@example.com',
      phone: '',
      first_name: '',
      last_name: '',
      username: 'two',
      expected_countries: ['FR'],
      metadata: { a: 1, b: { d: 2 } },
      group: '',
    });
    const { request_id: _, ...record } = updated.body;
    const { request_id: __, ...read } = await get(id);
    expect(read).toEqual(record);
    await project.rest('PUT', `/account/${id}`, { expected_countries: ['DE', 'at'] });
    expect((await get(id)).account.expected_countries).toEqual(['DE', 'AT']);
    expect((await project.rest('PUT', `/account/${id}`, { id: 'other' })).body.message).toMatch(/^id: /);
  });

  it('counts its sessions, devices and networks before its last seen time', async () => {
    const id = unique('history');
    const visit = (days: number, device: string, ip_address: string) =>
      project.authenticate({ id }, { start_time: daysAgo(days), device_id: `${id}-${device}`, ip_address });
    await visit(20, 'a', '8.8.8.8');
    await visit(14, 'b', '90.54.1.1');
    await visit(10.5, 'c', '2.125.160.216');
    const last = await visit(10, 'd', '2.125.160.216');
    const early = await visit(30, 'e', '172.56.20.10');
    expect(early.account).toMatchObject({
      num_sessions: 5,
      first_seen: daysAgo(30),
      last_seen: daysAgo(10),
      last_session: last.session_id,
      country: 'GB',
      countries: ['US', 'FR', 'GB'],
      unique_devices: { '1_day': 2, '7_day': 3 },
      unique_networks: { '1_day': 1, '7_day': 2 },
    });
    const sessions = (await project.rest('GET', `/account/${id}/sessions`)).body.sessions;
    expect(sessions[0]).toBe(last.session_id);
    expect(sessions.at(-1)).toBe(early.session_id);
  });

  it('averages risk with a half-life of 30 days', async () => {
    const id = unique('average');
    await project.authenticate({ id }, { start_time: daysAgo(30), ip_address: '52.95.110.1' });
    const { account, risk_signals } = await project.authenticate(
      { id },
      { start_time: daysAgo(0), ip_address: '90.54.1.1' },
    );
    expect(account.risk_signal_average.datacenter).toBe(0.3);
    expect(risk_signals).toBeGreaterThan(0);
  });

  it('is decided by its lists before its score, block before allow, in the same response', async () => {
    const risky = { ip_address: '185.220.101.1', browser: { user_agent: 'AhrefsBot/7.0' } };
    const id = unique('lists');
    expect((await project.authenticate({ id }, risky)).decision).toBe('Fake');
    const allowed = await project.authenticate({ id, lists: ['allow', 'regulars'] }, risky);
    expect(allowed).toMatchObject({ decision: 'Real', lists: ['allow', 'regulars'] });
    const blocked = await project.authenticate({ id, lists: ['block'] });
    expect(blocked).toMatchObject({ decision: 'Fake', lists: ['block', 'regulars'] });
    expect((await project.authenticate({ id, lists: ['main_account'] })).lists).toEqual([
      'main_account',
      'regulars',
    ]);
  });

  it('is Suspicious in GraphQL, and Real for REST clients with two values', async () => {
    const phone = '+14155550188';
    const ids = [unique('a'), unique('b'), unique('c')];
    for (const id of ids) await project.authenticate({ id, phone });
    expect((await get(ids[0]!)).decision).toBe('Real');
    const { account } = await project.graphql(
      'query ($id: ID!) { account(accountId: $id) { decision accountScore multipleAccounts } }',
      {
        id: ids[0],
      },
    );
    expect(account).toEqual({ decision: 'SUSPICIOUS', accountScore: 0.504, multipleAccounts: 0.84 });
    await project.authenticate({ id: ids[0], lists: ['main_account'] });
    expect((await get(ids[0]!)).multiple_accounts).toBe(0);
  });

  it('counts the accounts of its domain', async () => {
    const domain = `${unique('d')}.com`;
    await project.authenticate({ id: unique('x'), email: `a@${domain}` });
    const second = await project.authenticate({ id: unique('x'), email: `b@mail.${domain}` });
    expect(second.account.email.num_account_from_domain).toBe(2);
  });

  it('is erased with all of its data; a session of another account is kept', async () => {
    const [id, other] = [unique('erased'), unique('kept')];
    const phone = '+14155550199';
    const own = await project.authenticate({ id, phone, email: 'gone@example.com' });
    const shared = await project.session();
    for (const account of [{ id }, { id: other, phone }]) {
      await project.rest('POST', '/session/authenticate', { session_id: shared, account });
    }
    expect(await linkedIds(other)).toEqual([id]);
    const internal = (await project.graphql('query ($id: ID!) { account(accountId: $id) { id } }', { id }))
      .account.id;
    expect((await project.rest('DELETE', `/account/${id}`)).body).toMatchObject({
      account_id: id,
      success: true,
    });
    expect((await project.rest('DELETE', `/account/${id}`)).body.message).toBe('Account not found');
    expect(await linkedIds(other)).toEqual([]);
    expect((await project.rest('GET', `/session/${own.session_id}`)).status).toBe(400);
    expect((await project.rest('GET', `/session/${shared}`)).body.account_ids).toEqual([other]);
    const uuid = Buffer.from(internal, 'base64').toString().split(':')[1]!;
    // Pending recalculations contain the account's id until they are processed.
    await gateway.app.recalculateLinks(project.projectId);
    expect(await tablesNaming(uuid)).toEqual([]);
    expect(await tablesNaming(id)).toEqual([]);
  });
});

/** Tables with a row that contains a text. */
async function tablesNaming(text: string): Promise<string[]> {
  const url = new URL(gateway.database.ownerUrl);
  url.searchParams.set('options', '-c role=vouchgraph_system');
  const client = new pg.Client({ connectionString: url.toString() });
  await client.connect();
  const { rows } = await client.query(
    `select relname from pg_class where relkind in ('r','p') and relnamespace = 'public'::regnamespace and relname <> '_prisma_migrations'`,
  );
  const found: string[] = [];
  for (const { relname } of rows) {
    const { rowCount } = await client.query(`select 1 from ${relname} t where t::text like $1 limit 1`, [
      `%${text}%`,
    ]);
    if (rowCount) found.push(relname);
  }
  await client.end();
  return found;
}

describe('a session without an account', () => {
  it('is scored with the accounts that it would be linked to, and nothing is written', async () => {
    const browser_id = unique('browser');
    const id = unique('owner');
    await project.authenticate({ id }, { browser_id });
    const session_id = await project.session({ browser_id, ip_address: '8.8.8.8' });
    const { body } = await project.rest('POST', '/session/unauthenticated?accounts_linked=true', {
      session_id,
    });
    expect(body).toMatchObject({ accounts_linked: 1, multiple_accounts: 0.6, lists: [] });
    expect(body.linked_accounts).toMatchObject([{ account_id: id, match_type: ['browser'], score: 1 }]);
    expect(body).not.toHaveProperty('account');
    expect((await project.rest('GET', `/session/${session_id}`)).body.account_ids).toEqual([]);
  });
});

describe('a session opened by a page', () => {
  const open = (headers: Record<string, string> = {}, body: Record<string, unknown> = {}) =>
    send(`${gateway.baseUrl}/session`, 'POST', { project_id: project.projectId, ...body }, headers);

  it('accepts facts by its token until it is complete', async () => {
    const { body } = await open(
      { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/137.0.0.0 Safari/537.36' },
      {
        browser: { timezone: 'Europe/Paris', user_agent: 'made up' },
        device: { memory: 8 },
      },
    );
    const path = `${gateway.baseUrl}/session/${body.session_id}`;
    const authorization = `Bearer ${body.token}`;
    const facts = { project_id: project.projectId, device: { gpu: 'Mesa' }, bot: { click_num_events: 3 } };
    expect((await send(path, 'PATCH', facts, { authorization: 'Bearer nonsense' })).status).toBe(401);
    const other = await open();
    expect((await send(path, 'PATCH', facts, { authorization: `Bearer ${other.body.token}` })).status).toBe(
      401,
    );
    expect((await send(path, 'PATCH', facts, { authorization })).body).toMatchObject({ success: true });
    expect((await send(`${path}/complete`, 'POST', undefined, { authorization })).status).toBe(200);
    expect((await send(`${path}/complete`, 'POST', undefined, { authorization })).status).toBe(200);
    expect((await send(path, 'PATCH', facts, { authorization })).status).toBe(409);
    const session = (await project.rest('GET', `/session/${body.session_id}`)).body;
    expect(session).toMatchObject({
      network: { ip_address: '127.0.0.1' },
      browser: { type: 'Chrome', timezone: 'Europe/Paris' },
      device: { gpu: 'Mesa', memory: 8 },
      bot: { click_num_events: 3 },
    });
    expect(session.browser.user_agent).not.toBe('made up');
  });

  it('recognizes its browser by a signed cookie, and rejects other cookies', async () => {
    const first = await open();
    const cookie = first.headers.get('set-cookie')!.split(';')[0]!;
    const again = await open({ cookie });
    expect(again.headers.get('set-cookie')).toBeNull();
    const forged = await open({ cookie: `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}` });
    expect(forged.headers.get('set-cookie')).not.toBeNull();
    const ids = [unique('first'), unique('again'), unique('forged')];
    for (const [index, opened] of [first, again, forged].entries()) {
      const body = { session_id: opened.body.session_id, account: { id: ids[index] } };
      expect((await project.rest('POST', '/session/authenticate', body)).status).toBe(200);
    }
    expect(await linkedIds(ids[0]!)).toEqual([ids[1]]);
  });

  it('can be bound within 24 hours, and scored again later', async () => {
    const [late, bound] = [(await open()).body.session_id, (await open()).body.session_id];
    const account = { id: unique('late') };
    await project.rest('POST', '/session/authenticate', { session_id: bound, account });
    clock.advance(24 * 3_600_000);
    const refused = await project.rest('POST', '/session/authenticate', { session_id: late, account });
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringMatching(/expired/) } });
    expect((await project.rest('POST', '/session/authenticate', { session_id: bound, account })).status).toBe(
      200,
    );
  });
});
