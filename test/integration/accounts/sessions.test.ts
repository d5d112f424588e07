import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Gateway,
  send,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';

const HOUR = 3_600_000;
const clock = new TestClock();
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ clock });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const bind = (session_id: string, id: string, fields = {}) =>
  project.rest('POST', '/session/authenticate', { session_id, account: { id, ...fields } });
const read = (session_id: string) => project.rest('GET', `/session/${session_id}`);

describe('a session without an account', () => {
  const score = (session_id: string, query = '') =>
    project.rest('POST', `/session/unauthenticated${query}`, { session_id });

  it('is scored like a new account with the session, and nothing is written', async () => {
    const facts = { device_id: unique('device'), ip_address: '90.54.1.1', browser_id: unique('browser') };
    const known = unique('known');
    await project.authenticate({ id: known }, facts);
    const session_id = await project.session(facts);
    const { body } = await score(session_id, '?accounts_linked=true');
    expect(body).not.toHaveProperty('account_id');
    expect(body).not.toHaveProperty('account');
    expect(body.linked_accounts).toMatchObject([
      { account_id: known, score: 1, match_type: ['network', 'browser', 'device'] },
    ]);
    expect((await read(session_id)).body.account_ids).toEqual([]);
    expect((await project.rest('GET', `/account/${known}`)).body.accounts_linked).toBe(0);

    const bound = (await bind(session_id, unique('new'))).body;
    for (const key of [
      'decision',
      'account_score',
      'bot',
      'multiple_accounts',
      'risk_signals',
      'accounts_linked',
    ]) {
      expect(body[key], key).toEqual(bound[key]);
    }
    expect(body.accounts_linked).toBe(1);
  });

  it('is returned without linked accounts unless they are selected', async () => {
    const { body } = await score(await project.session());
    expect(body).not.toHaveProperty('linked_accounts');
    expect(body).toMatchObject({ decision: 'Real', accounts_linked: 0, lists: [] });
  });

  it('expires after a day: then it cannot be bound, but a bound session is scored again', async () => {
    const [early, late, bound] = await Promise.all([1, 2, 3].map(() => project.session()));
    const id = unique('bound');
    await bind(bound!, id);
    clock.advance(23 * HOUR);
    expect((await bind(early!, unique('in-time'))).status).toBe(200);
    clock.advance(2 * HOUR);
    const refused = unique('too-late');
    const answer = await bind(late!, refused);
    expect(answer.body).toEqual({
      statusCode: 400,
      code: expect.any(String),
      message: expect.stringMatching(/^Session expired/),
    });
    expect((await project.rest('GET', `/account/${refused}`)).status).toBe(400);
    expect((await read(late!)).body.account_ids).toEqual([]);
    expect((await bind(bound!, id)).body.account.num_sessions).toBe(1);
  });
});

/** A request of a page, without a key. */
const page = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  send(gateway.baseUrl + path, method, body, headers);
const open = (facts = {}, headers?: Record<string, string>) =>
  page('POST', '/session', { project_id: project.projectId, ...facts }, headers);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const UNAUTHORIZED = { statusCode: 401, code: expect.any(String), message: 'Unauthorized' };

describe('a session opened by a page', () => {
  it('accepts facts until it is complete; later facts replace earlier ones', async () => {
    const opened = await open({
      browser: { language: 'fr-FR', timezone: 'Europe/Paris' },
      device: { cpu_cores: 4, gpu: 'A' },
    });
    const { session_id, token, expires_at } = opened.body;
    const browser_token = expect.any(String);
    expect(opened.body).toEqual({ session_id, token, expires_at, environment: 'sandbox', browser_token });
    expect(new Date(expires_at).getTime() - clock.now().getTime()).toBe(24 * HOUR);
    const added = await page(
      'PATCH',
      `/session/${session_id}`,
      {
        browser: { language: 'en-GB' },
        device: { cpu_cores: null, memory: 8 },
        bot: { mouse_num_events: 3 },
      },
      bearer(token),
    );
    expect(added.body).toEqual({ request_id: expect.any(String), session_id, success: true });
    expect((await read(session_id)).body).toMatchObject({
      browser: { language: 'en-GB', timezone: 'Europe/Paris' },
      device: { cpu_cores: 4, gpu: 'A', memory: 8 },
      bot: { mouse_num_events: 3 },
    });

    const complete = () => page('POST', `/session/${session_id}/complete`, undefined, bearer(token));
    expect((await complete()).body).toMatchObject({ success: true });
    expect((await complete()).status).toBe(200);
    const refused = await page(
      'PATCH',
      `/session/${session_id}`,
      { device: { cpu_cores: 9 } },
      bearer(token),
    );
    expect(refused.body).toEqual({
      statusCode: 409,
      code: expect.any(String),
      message: expect.stringMatching(/complete/),
    });
    expect((await read(session_id)).body.device.cpu_cores).toBe(4);
  });

  it('is closed by authenticating it', async () => {
    const { session_id, token } = (await open()).body;
    expect((await bind(session_id, unique('closer'))).status).toBe(200);
    expect((await page('PATCH', `/session/${session_id}`, {}, bearer(token))).status).toBe(409);
  });

  it('accepts no facts after a day', async () => {
    const { session_id, token } = (await open()).body;
    clock.advance(25 * HOUR);
    const refused = await page('PATCH', `/session/${session_id}`, {}, bearer(token));
    expect(refused.body).toEqual({
      statusCode: 400,
      code: expect.any(String),
      message: expect.stringMatching(/^Session expired/),
    });
  });

  it('accepts only its own token', async () => {
    const [mine, other] = [(await open()).body, (await open()).body];
    const path = `/session/${mine.session_id}`;
    const answers: Answer[] = [];
    for (const token of [other.token, `${mine.token.slice(0, -1)}!`, mine.token.toUpperCase(), '']) {
      answers.push(await page('PATCH', path, { device: { cpu_cores: 9 } }, bearer(token)));
      answers.push(await page('POST', `${path}/complete`, undefined, bearer(token)));
    }
    for (const answer of answers) expect(answer.body).toEqual(UNAUTHORIZED);
    expect((await page('GET', path, undefined, bearer(mine.token))).body).toEqual(UNAUTHORIZED);
    expect((await read(mine.session_id)).body.device.cpu_cores).toBeNull();
  });

  it('cannot set observed facts', async () => {
    const { session_id } = (
      await open({
        browser: { user_agent: 'made up' },
        ip_address: '8.8.8.8',
        browser_id: 'chosen',
        device_id: 'chosen',
        start_time: '2020-01-01T00:00:00Z',
      })
    ).body;
    const { body } = await read(session_id);
    expect(body.network.ip_address).toBe('127.0.0.1');
    expect(body.browser.user_agent).not.toBe('made up');
    expect(body.start_time).toBe(clock.now().toISOString());
    const { session } = await project.graphql('query ($id: ID!) { session(sessionId: $id) { simulated } }', {
      id: session_id,
    });
    expect(session.simulated).toBe(false);
  });

  it('requires an existing project', async () => {
    for (const project_id of [undefined, 'x', '00000000-0000-7000-8000-000000000000']) {
      const { body } = await page('POST', '/session', { project_id });
      expect(body).toEqual({
        statusCode: 400,
        code: expect.any(String),
        message: expect.stringMatching(/^project_id: /),
      });
    }
  });
});

/** The cookie of a response, as the browser sends it back; null without one. */
function cookieOf(answer: Answer): string | null {
  return answer.headers.get('set-cookie')?.split(';')[0] ?? null;
}

describe('the browser of a page', () => {
  async function linkedBy(cookie: string): Promise<string[]> {
    const [first, second] = [unique('first'), unique('second')];
    const sessions = [await open({}, { cookie }), await open({}, { cookie })];
    await bind(sessions[0]!.body.session_id, first);
    const { body } = await bind(sessions[1]!.body.session_id, second);
    expect(body.account_id).toBe(second);
    const { accounts_linked } = (await project.rest('GET', `/account/${second}/accounts-linked`)).body;
    return accounts_linked.flatMap((link: { match_type: string[] }) => link.match_type);
  }

  it('is recognized by its cookie, and links the accounts that use it', async () => {
    const answer = await open();
    expect(answer.headers.get('set-cookie')).toMatch(
      /^vg_browser\w*=[\w-]+\.[\w-]+; Path=\/; Max-Age=\d+; HttpOnly/,
    );
    const cookie = cookieOf(answer)!;
    expect(cookieOf(await open({}, { cookie }))).toBeNull();
    expect(await linkedBy(cookie)).toEqual(['browser', 'device']);
  });

  it('is not recognized by a made-up, modified or foreign cookie', async () => {
    const stranger = await gateway.project();
    const [name, real] = cookieOf(await open())!.split('=') as [string, string];
    const foreign = cookieOf(await page('POST', '/session', { project_id: stranger.projectId }))!;
    const [id, signature] = real.split('.') as [string, string];
    const forged = [`${id.slice(1)}A.${signature}`, `${id}.${signature.slice(1)}A`, `${id}.`, 'made up'];
    for (const value of [...forged, foreign.split('=')[1]]) {
      const cookie = `${name}=${value}`;
      expect(cookieOf(await open({}, { cookie })), cookie).toContain(`${name}=`);
      expect(await linkedBy(cookie), cookie).toEqual([]);
    }
  });
});

describe('a server-side session', () => {
  it('is rejected in production, where pages can still open sessions', async () => {
    const production = await gateway.project({ environment: 'production' });
    const answer = await production.rest('POST', '/session', { ip_address: '8.8.8.8' });
    expect(answer.body).toEqual({
      statusCode: 403,
      code: expect.any(String),
      message: expect.stringMatching(/sandbox/),
    });
    const { body } = await production.rawGraphql(
      'mutation { createSession(input: { simulated: { deviceId: "d" } }) { requestId } }',
    );
    expect(body.errors[0].extensions.code).toBe('session.simulated_in_production');
    expect((await page('POST', '/session', { project_id: production.projectId })).status).toBe(200);
  });
});
