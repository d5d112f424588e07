import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, send, startGateway, type TestProject } from '../../support/gateway.ts';

let direct: Gateway;
let behindProxy: Gateway;

beforeAll(async () => {
  const masterKey = generateMasterKey();
  direct = await startGateway({ masterKey });
  behindProxy = await startGateway({
    database: direct.database,
    masterKey,
    settings: { TRUSTED_PROXIES: '127.0.0.1' },
  });
});
afterAll(async () => {
  await behindProxy.close();
  await direct.close();
});

const open = (gateway: Gateway, project: TestProject, body: object, headers: Record<string, string>) =>
  send(`${gateway.baseUrl}/session`, 'POST', { project_id: project.projectId, ...body }, headers);

const coverageOf = async (project: TestProject, id: string): Promise<Record<string, boolean>> => {
  const { session } = await project.graphql(
    'query ($id: ID!) { session(sessionId: $id) { coverage { source lookedAt description affects } } }',
    { id },
  );
  return Object.fromEntries(session.coverage.map((each: Body) => [each.source.toLowerCase(), each.lookedAt]));
};

describe('facts of a connection from a proxy', () => {
  const edge = {
    'x-forwarded-for': '90.54.1.1',
    'x-tcp-rtt-us': '24000',
    'x-ja4': 't13d1516h2_8daaf6152771_b0da82dd1658',
  };

  it('are trusted only from a proxy that the operator configured', async () => {
    const trusted = await behindProxy.project();
    const through = await open(behindProxy, trusted, {}, edge);
    expect((await coverageOf(trusted, through.body.session_id)).edge).toBe(true);
    const { body } = await trusted.rest('GET', `/session/${through.body.session_id}`);
    expect(body.network.ip_address).toBe('90.54.1.1');

    const plain = await direct.project();
    const forged = await open(direct, plain, {}, edge);
    const coverage = await coverageOf(plain, forged.body.session_id);
    expect(coverage.edge).toBe(false);
    expect(coverage.asn_table).toBe(false);
  });

  it('include whether the cookie is limited to https', async () => {
    const cookieOf = async (gateway: Gateway) => {
      const project = await gateway.project();
      const { headers } = await open(gateway, project, {}, { 'x-forwarded-proto': 'https' });
      return headers.get('set-cookie');
    };
    expect(await cookieOf(behindProxy)).toMatch(/; Secure/);
    expect(await cookieOf(direct)).not.toMatch(/; Secure/);
  });
});

describe('the coverage of a session', () => {
  it('names the examined sources and the others, each with its effect', async () => {
    const project = await direct.project();
    const id = await project.session({ ip_address: '90.54.1.1', browser: { timezone: 'Europe/Paris' } });
    const coverage = await coverageOf(project, id);
    expect(coverage).toMatchObject({
      asn_table: true,
      city_database: true,
      country_database: true,
      timezone: true,
      earlier_decisions: true,
      feed_vpn: true,
      feed_relay: true,
      feed_proxy: false,
      page_checks: false,
      interaction: false,
      gps: false,
      edge: false,
    });
    const { session } = await project.graphql(
      'query ($id: ID!) { session(sessionId: $id) { coverage { source affects description } weightsVersion calibrationVersion } }',
      { id },
    );
    for (const { affects, description } of session.coverage) {
      expect(affects.length).toBeGreaterThan(0);
      expect(description).not.toBe('');
    }
    expect(session.calibrationVersion).toBeNull();
    expect(session.weightsVersion).not.toBe('');
  });

  it('reports a relay, no relay, and unknown without a public address', async () => {
    const project = await direct.project();
    const relayOf = async (address: string) => {
      const id = await project.session({ ip_address: address });
      const { session } = await project.graphql(
        'query ($id: ID!) { session(sessionId: $id) { network { connectionType privateRelay } } }',
        { id },
      );
      return session.network;
    };
    expect(await relayOf('172.224.226.5')).toEqual({ connectionType: 'PRIVATE_RELAY', privateRelay: true });
    expect(await relayOf('90.54.1.1')).toEqual({ connectionType: 'ISP', privateRelay: false });
    expect(await relayOf('192.168.1.1')).toEqual({ connectionType: null, privateRelay: null });
  });

  it('is not reported for a private address: no network signal, and the source is not examined', async () => {
    const project = await direct.project();
    const id = await project.session({ ip_address: '192.168.1.1' });
    expect(await coverageOf(project, id)).toMatchObject({ asn_table: false, city_database: false });
    const { body } = await project.rest('GET', `/session/${id}`);
    expect(Object.values(body.risk_signals).every((value) => value === false)).toBe(true);
    expect(Object.values(body.risk_signal_scores).every((value) => value === 0)).toBe(true);
  });
});

describe('the signed id of a browser', () => {
  it('returns with a session, and replaces a deleted cookie', async () => {
    const project = await direct.project();
    const first = await open(direct, project, {}, {});
    expect(first.body).toMatchObject({ environment: 'sandbox', browser_token: expect.any(String) });
    const again = await open(direct, project, { browser_token: first.body.browser_token }, {});
    expect(again.body.browser_token).toBe(first.body.browser_token);
    const cookie = first.headers.get('set-cookie')!.split(';')[0]!;
    const known = await open(direct, project, { browser_token: 'forged.token' }, { cookie });
    expect(known.body.browser_token).toBe(first.body.browser_token);
    expect(known.headers.get('set-cookie')).toBeNull();
  });

  it('is rejected from another project, and when it is forged', async () => {
    const [mine, other] = [await direct.project(), await direct.project()];
    const { body } = await open(direct, other, {}, {});
    for (const browser_token of [body.browser_token, 'made-up.signature', '', 'x'.repeat(600)]) {
      const answer = await open(direct, mine, { browser_token }, {});
      if (browser_token.length > 512) expect(answer.status).toBe(400);
      else expect(answer.body.browser_token).not.toBe(browser_token);
    }
  });

  it('is not set for a server-side session', async () => {
    const project = await direct.project();
    const { body } = await project.rest('POST', '/session', {});
    expect(body).not.toHaveProperty('browser_token');
    expect(body.environment).toBe('sandbox');
  });
});

describe('facts that a page adds', () => {
  it('have at most 32 KB in total, so that a page cannot grow a session without limit', async () => {
    const project = await direct.project();
    const { body } = await open(direct, project, {}, {});
    const headers = { authorization: `Bearer ${body.token}` };
    const add = (index: number) =>
      send(
        `${direct.baseUrl}/session/${body.session_id}`,
        'PATCH',
        { checks: { [`extra_${index}`]: 'x'.repeat(20_000) } },
        headers,
      );
    expect((await add(1)).status).toBe(200);
    const refused = await add(2);
    expect(refused.status).toBe(413);
    expect(refused.body.message).toContain('32 KB');
    const small = { bot: { click_num_events: 2 } };
    const after = await send(`${direct.baseUrl}/session/${body.session_id}`, 'PATCH', small, headers);
    expect(after.status).toBe(200);
  });

  it('do not change a device that a server sent', async () => {
    const project = await direct.project();
    const id = await project.session({ device_id: 'stated', browser_id: 'one', open: true });
    const device = async () => (await project.rest('GET', `/session/${id}`)).body.device_id;
    const before = await device();
    await project.rest('PATCH', `/session/${id}`, { bot: { click_num_events: 1 } });
    expect(await device()).toBe(before);
  });
});

describe('a session that changes its address', () => {
  it('keeps the first address and adds the others', async () => {
    const project = await behindProxy.project();
    const opened = await open(behindProxy, project, {}, { 'x-forwarded-for': '90.54.1.1' });
    const { session_id, token } = opened.body;
    const patched = await send(
      `${behindProxy.baseUrl}/session/${session_id}`,
      'PATCH',
      { bot: { click_num_events: 1 } },
      { authorization: `Bearer ${token}`, 'x-forwarded-for': '8.8.8.8' },
    );
    expect(patched.status).toBe(200);
    const { body } = await project.rest('GET', `/session/${session_id}`);
    expect(body.network.ip_address).toBe('90.54.1.1');
    const codes = body.risk_signal_details.network.map(({ code }: Body) => code);
    expect(codes).toContain('client_address_mismatch');
  });
});
