import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import { pageAfter } from '@vouchgraph/platform/keyset';
import { RISK_SCORE_KEYS, scoreName } from '@vouchgraph/signals';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../../../src/domain/projects/project.ts';
import { conditionsOf, type SessionFilter } from '../../../src/domain/sessions/session-filter.ts';
import { countSessions, searchSessions } from '../../../src/domain/sessions/session-search-store.ts';
import {
  type Body,
  type Gateway,
  send,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { planOf } from '../../support/plans.ts';
import { connectAs } from '../../support/sql.ts';
import { costOf, tripsOf } from '../../support/trips.ts';

/* Addresses of access providers in Poitiers and the United States, and of one that serves IPv6. */
const POITIERS = '90.54.1.1';
const NEARBY = '90.54.1.200';
const ELSEWHERE = '90.54.2.1';
const V6 = {
  one: '2a01:cb00:1:1::1',
  same64: '2a01:cb00:1:1::2',
  same56: '2a01:cb00:1:ff::1',
  other56: '2a01:cb00:1:100::1',
};
const at = (hours: number) => new Date(Date.UTC(2026, 5, 1) + hours * 3_600_000).toISOString();

const masterKey = generateMasterKey();
let gateway: Gateway;
let system: pg.Client;
let app: pg.Client;
beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false, masterKey });
  system = await connectAs(gateway.database, 'vouchgraph_system');
  app = await connectAs(gateway.database, 'vouchgraph_app');
});
afterAll(async () => {
  await Promise.all([system.end(), app.end()]);
  await gateway.close();
});

type Filter = Record<string, unknown>;

const SEARCH = `query ($filter: SessionFilter, $first: Int, $after: String, $last: Int, $before: String, $orderBy: SessionOrder) {
  sessions(filter: $filter, first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy) {
    edges { node { sessionId } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount { value isExact } } }`;

const search = async (project: TestProject, filter: Filter, page: Filter = {}): Promise<Body> =>
  (await project.graphql(SEARCH, { filter, first: 100, ...page })).sessions;
const idsIn = ({ edges }: Body): string[] => edges.map(({ node }: Body) => node.sessionId);

/** Ids of the sessions that meet a filter, sorted; the count is theirs. */
async function found(project: TestProject, filter: Filter): Promise<string[]> {
  const page = await search(project, filter);
  const ids = idsIn(page);
  expect(page.totalCount).toEqual({ value: ids.length, isExact: true });
  return ids.sort();
}

async function refusal(project: TestProject, filter: Filter) {
  const { body } = await project.rawGraphql(SEARCH, { filter });
  expect(body.errors, JSON.stringify(body)).toHaveLength(1);
  return { message: body.errors[0].message, code: body.errors[0].extensions.code };
}

/** A project with a session of each address. */
async function addressed() {
  const project = await gateway.project();
  const addresses = [
    POITIERS,
    NEARBY,
    ELSEWHERE,
    ...Object.values(V6),
    '10.0.0.5',
    '10.0.0.6',
    '10.0.1.5',
    '::1',
  ];
  const byAddress: Record<string, string> = {};
  for (const ip_address of addresses) byAddress[ip_address] = await project.session({ ip_address });
  await project.session();
  const of = (...ips: string[]) => ips.map((ip) => byAddress[ip]!).sort();
  return { project, of };
}

describe('sessions by address', () => {
  it('match the whole address, public or private, in any spelling', async () => {
    const { project, of } = await addressed();
    for (const ipAddress of [POITIERS, V6.one, V6.same64, '10.0.0.5', '::1'])
      expect(await found(project, { ipAddress }), ipAddress).toEqual(of(ipAddress));
    expect(await found(project, { ipAddress: '2A01:CB00:0001:0001:0:0:0:1' })).toEqual(of(V6.one));
    expect(await found(project, { ipAddress: `::ffff:${POITIERS}` })).toEqual(of(POITIERS));
    expect(await found(project, { ipAddress: '90.54.1.9' })).toEqual([]);
  });

  it('match a network of one address, a /24 or a /56', async () => {
    const { project, of } = await addressed();
    expect(await found(project, { network: `${POITIERS}/32` })).toEqual(of(POITIERS));
    expect(await found(project, { network: `${V6.one}/128` })).toEqual(of(V6.one));
    expect(await found(project, { network: '90.54.1.0/24' })).toEqual(of(POITIERS, NEARBY));
    expect(await found(project, { network: '90.54.1.77/24' })).toEqual(of(POITIERS, NEARBY));
    expect(await found(project, { network: '::ffff:90.54.1.0/120' })).toEqual(of(POITIERS, NEARBY));
    expect(await found(project, { network: `::ffff:${POITIERS}/128` })).toEqual(of(POITIERS));
    expect(await found(project, { network: '10.0.0.0/24' })).toEqual(of('10.0.0.5', '10.0.0.6'));
    expect(await found(project, { network: '2a01:cb00:1::/56' })).toEqual(of(V6.one, V6.same64, V6.same56));
    expect(await found(project, { network: '90.54.1.0/24', ipAddress: NEARBY })).toEqual(of(NEARBY));
    expect(await found(project, { network: `${POITIERS}/32`, ipAddress: NEARBY })).toEqual([]);
  });

  it('are rejected for invalid addresses, and for networks of other prefixes', async () => {
    const project = await gateway.project();
    for (const ipAddress of ['', 'localhost', '1.2.3', '90.54.1.0/24', '010.0.0.1']) {
      const { code, message } = await refusal(project, { ipAddress });
      expect(code, ipAddress).toBe('input.invalid');
      expect(message).toContain('ipAddress: must be an IPv4 or IPv6 address');
    }
    for (const network of [
      '',
      POITIERS,
      '90.54.0.0/16',
      '90.54.1.0/25',
      '2a01:cb00::/64',
      '2a01::/32',
      'a/24',
      '1.2.3.4/24/24',
      '::ffff:90.54.1.0/24',
      '::ffff:90.54.1.0/32',
      '::ffff:90.54.1.0/56',
      'fe80::1%eth0/128',
    ]) {
      const { code, message } = await refusal(project, { network });
      expect(code, network).toBe('input.invalid');
      expect(message).toContain(
        'network: must be an IPv4 network with the prefix /32 or /24, or an IPv6 network with /128 or /56',
      );
    }
    expect((await refusal(project, { signal: 'NONE' })).code).toBe('graphql.invalid');
  });
});

describe('sessions by device and browser', () => {
  it('match a device as sessions show it', async () => {
    const project = await gateway.project();
    const device = unique('device');
    const own = [await project.session({ device_id: device }), await project.session({ device_id: device })];
    await project.session({ device_id: unique('device') });
    await project.session();
    const { session } = await project.graphql('query ($id: ID!) { session(sessionId: $id) { deviceId } }', {
      id: own[0],
    });
    expect(await found(project, { deviceId: session.deviceId })).toEqual(own.sort());
    expect(await found(project, { deviceId: device })).toEqual([]);
    expect(await found(project, { deviceId: '' })).toEqual([]);
  });

  it('match a browser by its id, and by the signed id that a page stores', async () => {
    const project = await gateway.project();
    const browser = unique('browser');
    const own = [
      await project.session({ browser_id: browser }),
      await project.session({ browser_id: browser }),
    ];
    await project.session({ browser_id: unique('browser') });
    expect(await found(project, { browserId: browser })).toEqual(own.sort());
    const opened = await send(`${gateway.baseUrl}/session`, 'POST', { project_id: project.projectId });
    const { session_id, browser_token } = opened.body;
    expect(await found(project, { browserId: browser_token })).toEqual([session_id]);
    expect(await found(project, { browserId: browser_token.split('.')[0] })).toEqual([session_id]);
    expect(await found(project, { browserId: `${browser}.forged` })).toEqual([]);
    expect(await found(project, { browserId: '' })).toEqual([]);
  });
});

/** A project with sessions that raise signals of their own, and one that raises another by its account's history. */
async function signaled() {
  const project = await gateway.project();
  const id = unique('traveler');
  await project.authenticate({ id }, { ip_address: POITIERS, start_time: at(0) });
  const { session_id: jumped } = await project.authenticate(
    { id },
    { ip_address: '8.8.8.8', start_time: at(1) },
  );
  await project.session({
    ip_address: POITIERS,
    browser: { user_agent: 'Mozilla/5.0 HeadlessChrome/120.0.0.0' },
  });
  await project.session({ ip_address: ELSEWHERE, headers: { 'user-agent': 'curl/8.4.0' } });
  return { project, jumped };
}

async function raisedIn(project: TestProject): Promise<Record<string, string[]>> {
  const fields = RISK_SCORE_KEYS.join(' ');
  const { sessions } = await project.graphql(
    `{ sessions(first: 100) { edges { node { sessionId riskSignals { ${fields} } } } } }`,
  );
  const of = (key: string) =>
    sessions.edges
      .filter(({ node }: Body) => node.riskSignals[key])
      .map(({ node }: Body) => node.sessionId)
      .sort();
  return Object.fromEntries(RISK_SCORE_KEYS.map((key) => [scoreName(key).toUpperCase(), of(key)]));
}

async function foundBySignal(project: TestProject): Promise<Record<string, string[]>> {
  const pairs = RISK_SCORE_KEYS.map(async (key) => {
    const signal = scoreName(key).toUpperCase();
    return [signal, await found(project, { signal })];
  });
  return Object.fromEntries(await Promise.all(pairs));
}

describe('sessions by a risk signal', () => {
  it('match those that show it as raised', async () => {
    const { project, jumped } = await signaled();
    const raised = await raisedIn(project);
    expect(raised.IMPOSSIBLE_TRAVEL).toEqual([jumped]);
    expect(raised.DEVICE_RISK!.length).toBeGreaterThan(0);
    expect(await foundBySignal(project)).toEqual(raised);
  });

  it('use the account that the session was bound to last', async () => {
    const { project, jumped } = await signaled();
    const account = { id: unique('stranger') };
    await project.rest('POST', '/session/authenticate', { session_id: jumped, account });
    expect(await found(project, { signal: 'IMPOSSIBLE_TRAVEL' })).toEqual([]);
    expect(await foundBySignal(project)).toEqual(await raisedIn(project));
  });

  it('reflect facts that a page adds', async () => {
    const project = await gateway.project();
    const { body } = await send(`${gateway.baseUrl}/session`, 'POST', { project_id: project.projectId });
    const before = await raisedIn(project);
    expect(await foundBySignal(project)).toEqual(before);
    const patch = { checks: { webdriver: true }, browser: { timezone: 'Asia/Tokyo', language: 'ja-JP' } };
    const added = await send(`${gateway.baseUrl}/session/${body.session_id}`, 'PATCH', patch, {
      authorization: `Bearer ${body.token}`,
    });
    expect(added.status).toBe(200);
    expect(await foundBySignal(project)).toEqual(await raisedIn(project));
  });
});

describe('sessions by a decision', () => {
  it('match those with an account of that decision, each once', async () => {
    const project = await gateway.project();
    const [blocked, other, honest] = [unique('blocked'), unique('other'), unique('honest')];
    const { session_id: shared } = await project.authenticate({ id: blocked, lists: ['block'] });
    await project.rest('POST', '/session/authenticate', {
      session_id: shared,
      account: { id: other, lists: ['block'] },
    });
    const { session_id: mixed } = await project.authenticate({ id: blocked });
    await project.rest('POST', '/session/authenticate', { session_id: mixed, account: { id: honest } });
    const { session_id: real } = await project.authenticate({ id: honest });
    await project.session();
    expect(await found(project, { decision: 'FAKE' })).toEqual([shared, mixed].sort());
    expect(await found(project, { decision: 'REAL' })).toEqual([mixed, real].sort());
    expect(await found(project, { decision: 'SUSPICIOUS' })).toEqual([]);
    const { account } = await project.graphql(
      `query ($id: ID!) { account(accountId: $id) {
        sessions(filter: { decision: REAL }) { edges { node { sessionId } } totalCount { value } } } }`,
      { id: honest },
    );
    expect(idsIn(account.sessions).sort()).toEqual([mixed, real].sort());
    expect(account.sessions.totalCount.value).toBe(2);
  });
});

describe('a search of sessions', () => {
  it('combines conditions, in the project and of an account', async () => {
    const project = await gateway.project();
    const id = unique('combined');
    const facts = { device_id: unique('device'), browser_id: unique('browser') };
    const { session_id } = await project.authenticate(
      { id, lists: ['block'] },
      { ...facts, ip_address: POITIERS },
    );
    await project.authenticate({ id }, { ...facts, ip_address: ELSEWHERE });
    await project.authenticate({ id: unique('free') }, { ...facts, ip_address: POITIERS });
    const { session } = await project.graphql(
      'query ($id: ID!) { session(sessionId: $id) { deviceId trueCountryCode startTime network { connectionType } } }',
      { id: session_id },
    );
    const filter = {
      ipAddress: POITIERS,
      network: '90.54.1.0/24',
      deviceId: session.deviceId,
      browserId: facts.browser_id,
      decision: 'FAKE',
      countryCode: session.trueCountryCode,
      connectionType: session.network.connectionType,
      source: 'WEB',
      startedAfter: session.startTime,
    };
    expect(await found(project, filter)).toEqual([session_id]);
    expect(await found(project, { ...filter, signal: 'TOR' })).toEqual([]);
    expect(await found(project, { ...filter, startedBefore: session.startTime })).toEqual([]);
    const { account } = await project.graphql(
      `query ($id: ID!, $filter: SessionFilter) { account(accountId: $id) {
        sessions(filter: $filter) { edges { node { sessionId } } totalCount { value } } } }`,
      { id, filter },
    );
    expect(idsIn(account.sessions)).toEqual([session_id]);
    expect(account.sessions.totalCount.value).toBe(1);
  });

  it('pages in both directions and orders, and its cursors belong to the filter', async () => {
    const project = await gateway.project();
    const ids: string[] = [];
    for (let hour = 0; hour < 7; hour += 1)
      ids.unshift(await project.session({ ip_address: hour % 2 ? NEARBY : POITIERS, start_time: at(hour) }));
    await project.session({ ip_address: ELSEWHERE, start_time: at(3) });
    const filter = { network: '90.54.1.0/24' };
    const first = await search(project, filter, { first: 3 });
    expect(idsIn(first)).toEqual(ids.slice(0, 3));
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    expect(first.totalCount).toEqual({ value: 7, isExact: true });
    const second = await search(project, filter, { first: 3, after: first.pageInfo.endCursor });
    expect(idsIn(second)).toEqual(ids.slice(3, 6));
    const back = await search(project, filter, { first: null, last: 2, before: second.pageInfo.startCursor });
    expect(idsIn(back)).toEqual(ids.slice(1, 3));
    const oldest = await search(project, filter, {
      first: 2,
      orderBy: { field: 'START_TIME', direction: 'ASC' },
    });
    expect(idsIn(oldest)).toEqual(ids.slice(-2).reverse());
    const { body } = await project.rawGraphql(SEARCH, {
      filter: { network: '90.54.2.0/24' },
      after: first.pageInfo.endCursor,
    });
    expect(body.errors[0].extensions.code).toBe('input.invalid');
  });

  it('returns only its own project', async () => {
    const [ours, theirs] = [await gateway.project(), await gateway.project()];
    const facts = { ip_address: POITIERS, device_id: 'shared', browser_id: 'shared' };
    const account = { id: 'shared', lists: ['block'] };
    const [{ session_id }, other] = [
      await ours.authenticate(account, facts),
      await theirs.authenticate(account, facts),
    ];
    const filters = [
      { ipAddress: POITIERS },
      { network: '90.54.1.0/24' },
      { browserId: 'shared' },
      { decision: 'FAKE' },
      { source: 'WEB' },
    ];
    for (const filter of filters) expect(await found(ours, filter)).toEqual([session_id]);
    const { session } = await theirs.graphql('query ($id: ID!) { session(sessionId: $id) { deviceId } }', {
      id: other.session_id,
    });
    expect(await found(ours, { deviceId: session.deviceId })).toEqual([]);
  });

  it('is one statement, and one more for the count', async () => {
    const { project } = await signaled();
    const cost = async (fields: string, filter: Filter) =>
      costOf(
        await tripsOf(gateway, () =>
          project.graphql(`query ($filter: SessionFilter) { sessions(filter: $filter) { ${fields} } }`, {
            filter,
          }),
        ),
      );
    for (const filter of [{ ipAddress: POITIERS }, { signal: 'DEVICE_RISK', decision: 'REAL' }]) {
      expect(await cost('edges { node { sessionId } }', filter)).toEqual({ trips: 1, statements: 1 });
      expect((await cost('edges { node { sessionId } } totalCount { value }', filter)).statements).toBe(2);
    }
  });
});

/** The indexes that a plan reads, without that of the primary key. */
const indexesIn = (plan: string) =>
  [...plan.matchAll(/using (\w+) on/g)].map(([, name]) => name!).filter((name) => !name.endsWith('_pkey'));

/** Sessions by a signal and a decision, while many have the signal and after few do. */
async function comparesDecided(project: TestProject, raised: number): Promise<void> {
  expect(raised).toBeGreaterThan(5000);
  for (const few of [false, true]) {
    if (few)
      await system.query(
        'update sessions set signals = signals & ~8 where project_id = $1 and get_byte(uuid_send(session_id), 15) > 3',
        [project.projectId],
      );
    const { rows } = await system.query(
      `select s.session_id from sessions s join account_sessions b using (project_id, session_id)
       where project_id = $1 and s.signals & 8 <> 0 and b.decision = 'Fake' order by s.start_time desc, s.session_id desc`,
      [project.projectId],
    );
    const expected: string[] = rows.map(({ session_id }) => session_id);
    const filter = { signal: 'TOR', decision: 'FAKE' };
    const first = await search(project, filter, { first: 10 });
    const second = await search(project, filter, { first: 10, after: first.pageInfo.endCursor });
    const back = await search(project, filter, {
      first: null,
      last: 5,
      before: second.pageInfo.startCursor,
    });
    expect(idsIn(first).length).toBe(10);
    expect([...idsIn(first), ...idsIn(second)]).toEqual(expected.slice(0, 20));
    expect(idsIn(back)).toEqual(expected.slice(5, 10));
  }
}

describe('a search among thousands', () => {
  it('reads the index of its condition in the order of the page', async () => {
    const { project } = await signaled();
    await system.query(
      `insert into sessions (project_id, session_id, request_id, state, source, start_time, expires_at, true_country_code,
         connection_type, device_id, browser_hash, network_hash, compared_subnet_hash, signals, facts, result, trace)
       select project_id, gen_random_uuid(), request_id, state, (array['web', 'ios', 'android'])[1 + n % 3],
         start_time + n * interval '1 second', expires_at, (array['FR', 'US', 'GB'])[1 + n % 3],
         (array['isp', 'mobile', 'hosting'])[1 + n % 3], 'd' || n % 100, sha256((n % 100)::text::bytea),
         sha256((n % 50)::text::bytea), sha256((n % 20)::text::bytea), n % 1024, facts, result, trace
       from sessions, generate_series(1, 5000) n where project_id = $1`,
      [project.projectId],
    );
    const { rows: raised } = await system.query(
      `select session_id from sessions where project_id = $1 and signals & 8 <> 0 order by start_time desc, session_id desc`,
      [project.projectId],
    );
    const expected: string[] = raised.map(({ session_id }) => session_id);
    const first = await search(project, { signal: 'TOR' });
    const second = await search(project, { signal: 'TOR' }, { after: first.pageInfo.endCursor });
    const back = await search(
      project,
      { signal: 'TOR' },
      { first: null, last: 30, before: second.pageInfo.startCursor },
    );
    expect([...idsIn(first), ...idsIn(second)]).toEqual(expected.slice(0, 200));
    expect(idsIn(back)).toEqual(expected.slice(70, 100));
    expect(first.totalCount).toEqual({ value: expected.length, isExact: true });
    await system.query(
      `insert into account_sessions (project_id, account_id, session_id, session_start, request_id, scores, account_score, decision)
       select s.project_id, gen_random_uuid(), s.session_id, s.start_time, s.request_id, '{}', 0, (array['Real', 'Suspicious', 'Fake'])[1 + s.signals % 3]
       from sessions s where s.project_id = $1`,
      [project.projectId],
    );
    await comparesDecided(project, raised.length);
    const owner = await connectAs(gateway.database, 'owner');
    await owner.query('analyze sessions');
    await owner.query('analyze account_sessions');
    await owner.end();
    const { rows } = await system.query('select encrypted_key from projects where project_id = $1', [
      project.projectId,
    ]);
    const cipher = new MasterKey(masterKey).cipherFor(project.projectId, rows[0].encrypted_key);
    const filters: [string, SessionFilter][] = [
      ['sessions_address', { ipAddress: POITIERS }],
      ['sessions_subnet', { network: '90.54.1.0/24' }],
      ['sessions_device', { deviceId: 'd7' }],
      ['sessions_browser', { browserId: 'b' }],
      ['sessions_country', { country: 'FR' }],
      ['sessions_connection', { connectionType: 'isp' }],
      ['sessions_source', { source: 'web' }],
      ['account_sessions_decision', { decision: 'Fake' }],
      ['sessions_signals', { signal: 'tor' }],
    ];
    for (const [index, filter] of filters) {
      const conditions = conditionsOf({ kind: 'key', project: { cipher } as Project }, filter)!;
      const page = pageAfter([at(0), '00000000-0000-7000-8000-000000000000'], 21);
      const plan = await planOf(app, project.projectId, (database) =>
        searchSessions(database, { ...conditions, direction: 'DESC', page }),
      );
      expect(indexesIn(plan), plan).toContain(index);
      // The ranges of a signal are merged; everything else is in order.
      expect(plan).not.toMatch(filter.signal ? /Seq Scan|Bitmap/ : /Sort|Seq Scan|Bitmap/);
      const counted = await planOf(app, project.projectId, (database) =>
        countSessions(database, conditions, 101),
      );
      expect(indexesIn(counted), counted).toContain(index);
      expect(counted).not.toMatch(/Sort|Seq Scan|Bitmap/);
    }
  });
});
