import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Gateway,
  send,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const countSessions = async () =>
  (await project.graphql('{ sessions(first: 100) { edges { node { sessionId } } } }')).sessions.edges.length;

const openByPage = (body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  send(`${gateway.baseUrl}/session`, 'POST', { project_id: project.projectId, ...body }, headers);

function expectRefusal(answer: Answer, status: number, message: RegExp): void {
  expect(answer.body).toEqual({
    statusCode: status,
    code: expect.any(String),
    message: expect.stringMatching(message),
  });
  expect(answer.status).toBe(status);
}

describe('invalid facts', () => {
  const cases: [string, Record<string, unknown>, RegExp][] = [
    ['latitude 91', { location: { latitude: 91 } }, /^location\.latitude: must be between -90 and 90$/],
    [
      'longitude 181',
      { location: { longitude: 181 } },
      /^location\.longitude: must be between -180 and 180$/,
    ],
    ['text for a latitude', { location: { latitude: '45' } }, /^location\.latitude: must be a number$/],
    ['a negative accuracy', { location: { accuracy_m: -1 } }, /^location\.accuracy_m: /],
    ['an unknown source', { source: 'fridge' }, /^source: must be one of web, ios, android$/],
    ['a user agent of 2,049', { browser: { user_agent: 'u'.repeat(2049) } }, /^browser\.user_agent: /],
    ['half a processor', { device: { cpu_cores: 1.5 } }, /^device\.cpu_cores: /],
    ['a negative count', { bot: { mouse_num_events: -1 } }, /^bot\.mouse_num_events: /],
    ['text for a browser', { browser: 'Chrome' }, /^browser: /],
    ['a list for checks', { checks: [1] }, /^checks: must be an object$/],
    ['a battery above full', { mobile: { battery: { level: 2 } } }, /^mobile\.battery\.level: /],
    ['a country of three letters', { carrier: { country_code: 'USA' } }, /^carrier\.country_code: /],
  ];

  it.each(cases)('are rejected from a server and from a page: %s', async (_name, facts, message) => {
    const open = await project.session({ open: true, device: { cpu_cores: 2 } });
    const before = (await project.rest('GET', `/session/${open}`)).body.device;
    const count = await countSessions();
    expectRefusal(await project.rest('POST', '/session', facts), 400, message);
    expectRefusal(await openByPage(facts), 400, message);
    expectRefusal(await project.rest('PATCH', `/session/${open}`, facts), 400, message);
    expect(await countSessions()).toBe(count);
    expect((await project.rest('GET', `/session/${open}`)).body.device).toEqual(before);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['ip_address 999.1.1.1', { ip_address: '999.1.1.1' }, /^ip_address: must be an IPv4 or IPv6 address$/],
    ['an empty ip_address', { ip_address: '' }, /^ip_address: must be an IPv4 or IPv6 address$/],
    ['a host for ip_address', { ip_address: 'example.com' }, /^ip_address: must be an IPv4/],
    [
      'start_time yesterday',
      { start_time: 'yesterday' },
      /^start_time: must be an ISO 8601 timestamp such as /,
    ],
    ['start_time in seconds', { start_time: 1_700_000_000 }, /^start_time: must be text$/],
    ['the 30th of February', { start_time: '2026-02-30T10:00:00Z' }, /^start_time: must be an ISO 8601/],
    [
      'month 13',
      { start_time: '2026-13-01T10:00:00Z' },
      /^start_time: must be an ISO 8601 timestamp such as /,
    ],
    ['numbers in headers', { headers: { accept: 1 } }, /^headers\.accept: /],
    ['a device id of 257 characters', { device_id: 'd'.repeat(257) }, /^device_id: /],
    ['text for open', { open: 'yes' }, /^open: must be true or false$/],
  ])('are rejected as documented: %s', async (_name, stated, message) => {
    const count = await countSessions();
    expectRefusal(await project.rest('POST', '/session', stated), 400, message);
    expect(await countSessions()).toBe(count);
  });

  it('are rejected from a page without a project, or with an invalid one', async () => {
    const url = `${gateway.baseUrl}/session`;
    expectRefusal(await send(url, 'POST', {}), 400, /^project_id: required$/);
    for (const project_id of ['x', '00000000-0000-4000-8000-000000000000']) {
      expectRefusal(await send(url, 'POST', { project_id }), 400, /^project_id: project not found$/);
    }
  });
});

describe('a field that a page may not set', () => {
  it('is ignored: address, headers, start, browser and device', async () => {
    const { body } = await openByPage({
      ip_address: '8.8.8.8',
      headers: { 'user-agent': 'Stated/1.0' },
      start_time: '2020-01-01T00:00:00.000Z',
      device_id: 'stated',
      open: false,
    });
    const session = (await project.rest('GET', `/session/${body.session_id}`)).body;
    expect(session.network.ip_address).toBe('127.0.0.1');
    expect(session.browser.user_agent).not.toBe('Stated/1.0');
    expect(session.start_time).not.toMatch(/^2020/);
    const stated = await project.session({ device_id: 'stated' });
    expect(session.device_id).not.toBe((await project.rest('GET', `/session/${stated}`)).body.device_id);
  });

  it('is rejected from a server in production as well', async () => {
    const production = await gateway.project({ environment: 'production' });
    for (const body of [{}, { ip_address: '8.8.8.8' }, { project_id: project.projectId }]) {
      expectRefusal(await production.rest('POST', '/session', body), 403, /requires a sandbox project$/);
    }
    const sessions = await production.graphql('{ sessions { edges { node { sessionId } } } }');
    expect(sessions.sessions.edges).toEqual([]);
  });

  it('cannot be added with the token of another session', async () => {
    const [mine, other] = [(await openByPage()).body, (await openByPage()).body];
    const add = (token: string) =>
      send(
        `${gateway.baseUrl}/session/${other.session_id}`,
        'PATCH',
        { device: { cpu_cores: 64 } },
        { authorization: `Bearer ${token}` },
      );
    expectRefusal(await add(mine.token), 401, /^Unauthorized$/);
    expectRefusal(await add(`${other.token.slice(0, -1)}!`), 401, /^Unauthorized$/);
    expect((await project.rest('GET', `/session/${other.session_id}`)).body.device.cpu_cores).toBeNull();
    expect((await add(other.token)).status).toBe(200);
  });
});

describe('the address of a client', () => {
  const addressOf = async (client: TestProject, session: string) =>
    (await client.rest('GET', `/session/${session}`)).body.network.ip_address;

  it('is not read from X-Forwarded-For of an untrusted peer', async () => {
    for (const forwarded of ['8.8.8.8', '8.8.8.8, 127.0.0.1']) {
      const { body } = await openByPage({}, { 'x-forwarded-for': forwarded, 'x-real-ip': '8.8.4.4' });
      expect(await addressOf(project, body.session_id)).toBe('127.0.0.1');
    }
  });

  it('is read from a trusted proxy, up to the first untrusted hop', async () => {
    const behind = await startGateway({ settings: { TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' } });
    const client = await behind.project();
    const cases: [string, string][] = [
      ['8.8.8.8', '8.8.8.8'],
      ['1.1.1.1, 8.8.8.8, 10.1.2.3', '8.8.8.8'],
      ['8.8.8.8, nonsense', '127.0.0.1'],
      ['2001:4860:4860::8888', '2001:4860:4860::8888'],
    ];
    for (const [forwarded, address] of cases) {
      const body = { project_id: client.projectId };
      const opened = await send(`${behind.baseUrl}/session`, 'POST', body, { 'x-forwarded-for': forwarded });
      expect(await addressOf(client, opened.body.session_id)).toBe(address);
    }
    await behind.close();
  });
});

describe('a field that is added later', () => {
  it('is merged: null and absent keep the stored value', async () => {
    const { body } = await openByPage({ device: { cpu_cores: 4, os: unique('os') } });
    const headers = { authorization: `Bearer ${body.token}` };
    const patch = { device: { cpu_cores: null, memory: 8 }, location: null };
    const path = `${gateway.baseUrl}/session/${body.session_id}`;
    expect((await send(path, 'PATCH', patch, headers)).status).toBe(200);
    const { device } = (await project.rest('GET', `/session/${body.session_id}`)).body;
    expect(device).toMatchObject({ cpu_cores: 4, memory: 8 });
  });
});
