import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Gateway,
  send,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';

const CREATE =
  'mutation ($input: CreateBrowserTokenInput!) { createBrowserToken(input: $input) { token expiresAt } }';

let clock: TestClock;
let gateway: Gateway;
let project: TestProject;
/** Two accounts that share a phone and a session. */
let mine: string;
let other: string;
let session: string;

beforeAll(async () => {
  clock = new TestClock();
  gateway = await startGateway({ clock });
});
afterAll(() => gateway.close());

beforeEach(async () => {
  project = await gateway.project();
  [mine, other] = [unique('mine'), unique('other')];
  session = await project.session({ device_id: unique('device') });
  for (const id of [other, mine])
    await project.rest('POST', '/session/authenticate', {
      session_id: session,
      account: { id, phone: '+14155550177', lists: ['regulars'] },
    });
});

const create = async (input: Record<string, unknown>) =>
  (await project.graphql(CREATE, { input })).createBrowserToken as { token: string; expiresAt: string };

/** A page that holds a token. */
function page(token: string) {
  const headers = { authorization: `Bearer ${token}` };
  return {
    rest: (method: string, path: string, body?: unknown): Promise<Answer> =>
      send(gateway.baseUrl + path, method, body, headers),
    graphql: (query: string): Promise<Answer> =>
      send(`${gateway.baseUrl}/graphql`, 'POST', { query }, headers),
  };
}

const pageWith = async (input: Record<string, unknown>) => page((await create(input)).token);

const globalId = async (field: string) => (await project.graphql(`{ node: ${field} { id } }`)).node.id;

async function expectForbidden(holder: ReturnType<typeof page>, ...operations: string[]): Promise<void> {
  for (const operation of operations) {
    const { body } = await holder.graphql(operation);
    expect([operation, body.data ?? null]).toEqual([operation, null]);
    expect(body.errors[0].extensions.code).toBe('auth.forbidden');
  }
}

const mutations = () => [
  `mutation { updateAccount(input: { accountId: "${mine}", email: "x" }) { requestId } }`,
  `mutation { deleteAccount(input: { accountId: "${mine}" }) { requestId } }`,
  `mutation { authenticateSession(input: { sessionId: "${session}", account: { id: "${mine}" } }) { requestId } }`,
  `mutation { scoreSession(input: { sessionId: "${session}" }) { requestId } }`,
  'mutation { createSession(input: {}) { requestId } }',
  'mutation { createBrowserToken(input: {}) { token } }',
];

describe('a browser token that names nothing', () => {
  it('reads the project by GraphQL and REST, and changes nothing', async () => {
    const holder = await pageWith({});
    const { body } = await holder.graphql(
      `{ account(accountId: "${mine}") { accountId } accounts { edges { node { accountId } } } session(sessionId: "${session}") { sessionId } }`,
    );
    expect(body.data.account).toEqual({ accountId: mine });
    expect(body.data.accounts.edges).toHaveLength(2);
    expect(body.data.session).toEqual({ sessionId: session });
    expect((await holder.rest('GET', `/account/${mine}`)).status).toBe(200);
    expect((await holder.rest('PUT', `/account/${mine}`, { email: 'x' })).status).toBe(403);
    expect((await holder.rest('DELETE', `/account/${mine}`)).status).toBe(403);
    await expectForbidden(holder, ...mutations());
    expect((await project.rest('GET', `/account/${mine}`)).body.account.email).toBe('');
  });

  it('gives way to a key that comes with it', async () => {
    const authorization = `Bearer ${(await create({})).token}`;
    const stranger = await gateway.project();
    const answer = await stranger.rest('GET', `/account/${mine}`, undefined, { authorization });
    expect(answer.body.message).toBe('Account not found');
  });
});

describe('a browser token that names an account', () => {
  it('reads that account, and no other by any way', async () => {
    const holder = await pageWith({ accountId: mine, ttlSeconds: 60 });
    const [own, foreign, visit] = [
      await globalId(`account(accountId: "${mine}")`),
      await globalId(`account(accountId: "${other}")`),
      await globalId(`session(sessionId: "${session}")`),
    ];
    const { body } = await holder.graphql(`{
      account(accountId: "${mine}") { accountId phone lists { name } lastSession { sessionId accountIds }
        sessions { edges { node { accountIds } } } }
      other: account(accountId: "${other}") { accountId }
      session(sessionId: "${session}") { sessionId }
      nodes(ids: ["${own}", "${foreign}", "${visit}"]) { id }
    }`);
    expect(body.errors).toBeUndefined();
    expect(body.data).toEqual({
      account: {
        accountId: mine,
        phone: '+14155550177',
        lists: [{ name: 'regulars' }],
        lastSession: { sessionId: session, accountIds: [mine] },
        sessions: { edges: [{ node: { accountIds: [mine] } }] },
      },
      other: null,
      session: null,
      nodes: [{ id: own }, null, null],
    });
  });

  it('searches nothing, follows no link, and changes nothing', async () => {
    await expectForbidden(
      await pageWith({ accountId: mine }),
      '{ accounts { edges { node { accountId } } } }',
      '{ sessions { edges { node { sessionId } } } }',
      '{ lists { edges { node { name } } } }',
      ...mutations(),
    );
    const { body } = await (await pageWith({ accountId: mine })).graphql(
      `{ account(accountId: "${mine}") { linkedAccounts { edges { node { accountId } } } } }`,
    );
    expect(body.data).toEqual({ account: null });
    expect(body.errors[0].extensions.code).toBe('auth.forbidden');
  });

  it('does the same by REST', async () => {
    const holder = await pageWith({ accountId: mine });
    expect((await holder.rest('GET', `/account/${mine}`)).body.account.id).toBe(mine);
    const missing = (await holder.rest('GET', '/account/nobody')).text;
    expect((await holder.rest('GET', `/account/${other}`)).text).toBe(missing);
    expect((await holder.rest('GET', `/account/${mine}/accounts-linked`)).status).toBe(403);
    expect((await holder.rest('GET', `/session/${session}`)).body.message).toBe('Session ID not found');
    expect((await holder.rest('PUT', `/account/${mine}`, {})).status).toBe(403);
  });
});

describe('a browser token that names a session', () => {
  it('reads that session, and neither another nor an account', async () => {
    const holder = await pageWith({ sessionId: session.toUpperCase() });
    const second = await project.session();
    const [own, foreign, account] = [
      await globalId(`session(sessionId: "${session}")`),
      await globalId(`session(sessionId: "${second}")`),
      await globalId(`account(accountId: "${mine}")`),
    ];
    const { body } = await holder.graphql(`{
      session(sessionId: "${session}") { sessionId botScore }
      other: session(sessionId: "${second}") { sessionId }
      account(accountId: "${mine}") { accountId }
      nodes(ids: ["${own}", "${foreign}", "${account}"]) { id }
    }`);
    expect(body.data).toMatchObject({
      session: { sessionId: session },
      other: null,
      account: null,
      nodes: [{ id: own }, null, null],
    });
    expect((await holder.rest('GET', `/account/${mine}`)).body.message).toBe('Account not found');
    const learnt = JSON.stringify(
      (await holder.graphql(`{ session(sessionId: "${session}") { accountIds } }`)).body,
    );
    for (const id of [mine, other]) expect(learnt).not.toContain(id);
  });

  it('searches and changes nothing', async () => {
    await expectForbidden(
      await pageWith({ sessionId: session }),
      '{ accounts { edges { node { accountId } } } }',
      '{ sessions { edges { node { sessionId } } } }',
      '{ lists { edges { node { name } } } }',
      ...mutations(),
    );
  });
});

describe('the life of a browser token', () => {
  const isGood = async (token: string) => {
    const { status } = await page(token).graphql('{ project { name } }');
    expect([200, 401]).toContain(status);
    return status === 200;
  };

  it('lasts as long as was asked for, an hour when nothing was, and ends then', async () => {
    for (const [input, seconds] of [
      [{ ttlSeconds: 1 }, 1],
      [{ ttlSeconds: 3600 }, 3600],
      [{}, 3600],
    ] as const) {
      const { token, expiresAt } = await create(input);
      expect(Date.parse(expiresAt)).toBe(clock.now().getTime() + seconds * 1000);
      clock.advance(seconds * 1000 - 1);
      expect(await isGood(token)).toBe(true);
      clock.advance(1);
      expect(await isGood(token)).toBe(false);
      expect((await page(token).rest('GET', `/account/${mine}`)).status).toBe(401);
    }
  });

  it.each([0, -1, 3601])('cannot be %d seconds', async (ttlSeconds) => {
    const { body } = await project.rawGraphql(CREATE, { input: { ttlSeconds } });
    expect(body.data).toBeNull();
    expect(body.errors[0]).toMatchObject({
      message: expect.stringMatching(/^ttlSeconds: must be between 1 and 3600$/),
      extensions: { code: 'input.invalid' },
    });
  });

  it('is not had by altering one', async () => {
    const { token } = await create({ accountId: mine });
    const { token: wide } = await create({});
    const [head, claims, signature] = token.split('.') as [string, string, string];
    const stranger = await gateway.project();
    const strangers = (await stranger.graphql(CREATE, { input: {} })).createBrowserToken.token as string;
    const later = Buffer.from(JSON.stringify({ e: clock.now().getTime() + 9e9 })).toString('base64url');
    expect(await isGood(token)).toBe(true);
    const last = signature.at(-1) === 'A' ? 'E' : 'A';
    for (const forged of [
      `${head}.${later}.${signature}`,
      `${head}.${wide.split('.')[1]}.${signature}`,
      `${head}.${claims}.${signature.slice(0, -1)}${last}`,
      `${strangers.split('.')[0]}.${claims}.${signature}`,
      `${head}.${strangers.split('.').slice(1).join('.')}`,
      `${head}.${claims}.`,
      token.slice(1),
      `${token}A`,
    ])
      expect([forged, await isGood(forged)]).toEqual([forged, false]);
  });
});
