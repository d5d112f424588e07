import { ALL_TOKEN_SCOPES } from '@vouchgraph/events/internals/catalogue/token-scope';
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
import { valuesIn } from '../../support/planted-network.ts';
import { playedVerification } from '../../support/verification.ts';

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
  project = await gateway.project({ role: 'operator' });
  [mine, other] = [unique('mine'), unique('other')];
  session = await project.session({ device_id: unique('device') });
  for (const id of [other, mine])
    await project.rest('POST', '/session/authenticate', {
      session_id: session,
      account: { id, phone: '+14155550177', lists: ['regulars'] },
    });
});

type Input = Record<string, unknown>;
const create = async (input: Input, maker = project) =>
  (await maker.graphql(CREATE, { input })).createBrowserToken as { token: string; expiresAt: string };

/** A page with a token. */
function page(token: string) {
  const headers = { authorization: `Bearer ${token}` };
  return {
    rest: (method: string, path: string, body?: unknown): Promise<Answer> =>
      send(gateway.baseUrl + path, method, body, headers),
    graphql: (query: string, variables: Input = {}): Promise<Answer> =>
      send(`${gateway.baseUrl}/graphql`, 'POST', { query, variables }, headers),
  };
}

const pageWith = async (scopes: readonly string[], limit: Input) =>
  page((await create({ scopes, ...limit })).token);

/** All values of fields `id` in an answer. */
function idsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => (name === 'id' ? [part as string] : idsIn(part)));
}

const globalId = async (field: string) => (await project.graphql(`{ node: ${field} { id } }`)).node.id;

async function expectForbidden(holder: ReturnType<typeof page>, ...operations: string[]): Promise<void> {
  for (const operation of operations) {
    const { body } = await holder.graphql(operation);
    expect([operation, valuesIn(body.data)]).toEqual([operation, []]);
    expect([operation, body.errors[0].extensions.code]).toEqual([operation, 'auth.forbidden']);
  }
}

const mutations = () => [
  `mutation { updateAccount(input: { accountId: "${mine}", email: "x" }) { requestId } }`,
  `mutation { deleteAccount(input: { accountId: "${mine}" }) { requestId } }`,
  `mutation { authenticateSession(input: { sessionId: "${session}", account: { accountId: "${mine}" } }) { requestId } }`,
  `{ scoreSession(sessionId: "${session}") { accountScore } }`,
  'mutation { createSession(input: {}) { requestId } }',
  `mutation { createBrowserToken(input: { scopes: [ACCOUNT], accountId: "${other}" }) { token } }`,
];
const searches = () => [
  '{ accounts { edges { node { accountId } } } }',
  '{ sessions { edges { node { sessionId } } } }',
];
const unreadable = () => [
  '{ lists { edges { node { name } } } }',
  '{ project { name } }',
  '{ rules { edges { node { name } } } }',
  '{ builtInRules { name } }',
  `{ whyNotLinked(a: "${mine}", b: "${other}") { score } }`,
];

describe('the creation of a browser token', () => {
  it.each([
    ['no scope', { scopes: [], accountId: 'a' }, 'scopes'],
    ['no limit', { scopes: ['ACCOUNT'] }, 'accountId'],
    ['two limits', { scopes: ['ACCOUNT'], accountId: 'a', sessionId: crypto.randomUUID() }, 'accountId'],
    ['a limit and the project', { scopes: ['ACCOUNT'], accountId: 'a', project: true }, 'accountId'],
    ['an empty account', { scopes: ['ACCOUNT'], accountId: '' }, 'accountId'],
    ['a session that is not a UUID', { scopes: ['ACCOUNT'], sessionId: 'x' }, 'sessionId'],
    ['links of a session', { scopes: ['ACCOUNT', 'LINKS'], sessionId: crypto.randomUUID() }, 'scopes'],
  ])('is rejected with %s', async (_what, input, field) => {
    const { body } = await project.rawGraphql(CREATE, { input });
    expect(body.errors[0]).toMatchObject({
      message: expect.stringMatching(new RegExp(`^${field}: `)),
      extensions: { code: 'input.invalid' },
    });
  });

  it('requires scopes in the schema', async () => {
    const { body } = await project.rawGraphql(CREATE, { input: { accountId: mine } });
    expect(body.errors[0].message).toMatch(/scopes/);
  });

  it('for the project requires the role operator', async () => {
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    const input = { scopes: ['ACCOUNT'], project: true };
    const { body } = await project.withKey(key).rawGraphql(CREATE, { input });
    expect(body.errors[0]).toMatchObject({
      message: 'project: A browser token of the project requires a key with the role operator',
      extensions: { code: 'auth.forbidden' },
    });
    expect((await create(input)).token).toMatch(/^vgb_/);
  });
});

describe('a browser token of the project', () => {
  it('reads its scopes in the whole project by GraphQL and REST, and changes nothing', async () => {
    const holder = await pageWith(['ACCOUNT', 'LINKS'], { project: true });
    const { body } = await holder.graphql(
      `{ account(accountId: "${mine}") { accountId linkedAccounts { edges { node { accountId } } } }
         accounts { edges { node { accountId } } } session(sessionId: "${session}") { sessionId }
         linkGraph(accountId: "${other}") { nodes { account { accountId } } } }`,
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.account).toEqual({
      accountId: mine,
      linkedAccounts: { edges: [{ node: { accountId: other } }] },
    });
    expect(body.data.accounts.edges).toHaveLength(2);
    expect(body.data.session).toEqual({ sessionId: session });
    expect(body.data.linkGraph.nodes).toEqual([
      { account: { accountId: other } },
      { account: { accountId: mine } },
    ]);
    expect((await holder.rest('GET', `/account/${mine}`)).status).toBe(200);
    expect((await holder.rest('GET', `/account/${mine}/accounts-linked`)).status).toBe(200);
    expect((await holder.rest('PUT', `/account/${mine}`, { email: 'x' })).status).toBe(403);
    expect((await holder.rest('DELETE', `/account/${mine}`)).status).toBe(403);
    await expectForbidden(holder, ...mutations(), ...unreadable());
    expect((await project.rest('GET', `/account/${mine}`)).body.account.email).toBe('');
  });

  it('reads the graph of each account by pseudonym without ACCOUNT', async () => {
    const holder = await pageWith(['LINKS'], { project: true });
    const graphOf = async (accountId: string) =>
      (
        await holder.graphql(
          `{ linkGraph(accountId: "${accountId}") { nodes { key account { accountId } } } }`,
        )
      ).body.data.linkGraph.nodes;
    const [of, from] = [await graphOf(mine), await graphOf(other)];
    expect(of.map(({ account }: { account: null }) => account)).toEqual([null, null]);
    expect(new Set([...of, ...from].map(({ key }: { key: string }) => key)).size).toBe(4);
    await expectForbidden(holder, ...searches());
  });

  it('names the end of a path by account id only with ACCOUNT', async () => {
    const PATH = `query ($to: ID, $toKey: String) { linkPath(from: "${mine}", to: $to, toKey: $toKey) { hops { score } } }`;
    const narrow = await pageWith(['LINKS'], { project: true });
    const refused = await narrow.graphql(PATH, { to: other });
    expect(refused.body).toMatchObject({
      data: { linkPath: null },
      errors: [
        {
          message: 'The argument to requires a browser token with the scope ACCOUNT',
          extensions: { code: 'auth.forbidden' },
        },
      ],
    });
    // The same for an unknown account: the error discloses nothing.
    expect((await narrow.graphql(PATH, { to: 'nobody' })).body).toEqual({
      ...refused.body,
      errors: [{ ...refused.body.errors[0], extensions: expect.anything() }],
    });
    const { body } = await narrow.graphql(`{ linkGraph(accountId: "${mine}") { nodes { key } } }`);
    const found = await narrow.graphql(PATH, { toKey: body.data.linkGraph.nodes[1].key });
    expect(found.body.data.linkPath.hops).toHaveLength(1);
    const wide = await pageWith(['LINKS', 'ACCOUNT'], { project: true });
    expect((await wide.graphql(PATH, { to: other })).body.data.linkPath.hops).toHaveLength(1);
  });

  it('is ignored beside a key', async () => {
    const { token } = await create({ scopes: ['ACCOUNT'], project: true });
    const stranger = await gateway.project();
    const authorization = `Bearer ${token}`;
    const answer = await stranger.rest('GET', `/account/${mine}`, undefined, { authorization });
    expect(answer.body.message).toBe('Account not found');
  });
});

describe('a browser token of an account', () => {
  it('reads that account, and no other by any query', async () => {
    const holder = await pageWith(['ACCOUNT'], { accountId: mine, ttlSeconds: 60 });
    const [own, foreign, visit, list] = [
      await globalId(`account(accountId: "${mine}")`),
      await globalId(`account(accountId: "${other}")`),
      await globalId(`session(sessionId: "${session}")`),
      await globalId('list(name: "regulars")'),
    ];
    const { body } = await holder.graphql(`{
      account(accountId: "${mine}") { accountId phone lists { name } lastSession { sessionId accountIds }
        sessions { edges { node { accountIds } } } }
      other: account(accountId: "${other}") { accountId }
      session(sessionId: "${session}") { sessionId accountIds }
      nodes(ids: ["${own}", "${foreign}", "${visit}", "${list}"]) { id }
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
      session: { sessionId: session, accountIds: [mine] },
      nodes: [{ id: own }, null, { id: visit }, { id: list }],
    });
  });

  it('reads no session and no list of other accounts', async () => {
    const holder = await pageWith(ALL_TOKEN_SCOPES, { accountId: mine });
    const unbound = await project.session();
    const { session_id: foreign } = await project.authenticate({ id: other, lists: ['watched'] });
    const ids = [
      await globalId(`session(sessionId: "${unbound}")`),
      await globalId(`session(sessionId: "${foreign}")`),
      await globalId('list(name: "watched")'),
      await globalId('list(name: "block")'),
    ];
    const { body } = await holder.graphql(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { id } unbound: session(sessionId: "${unbound}") { id }
         foreign: session(sessionId: "${foreign}") { id } }`,
      { ids },
    );
    expect(body).toEqual({ data: { nodes: [null, null, null, null], unbound: null, foreign: null } });
    const narrow = await pageWith(['LINKS', 'EVENTS'], { accountId: mine });
    const visit = await globalId(`session(sessionId: "${session}")`);
    const list = await globalId('list(name: "regulars")');
    const refused = await narrow.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: [visit, list],
    });
    expect(refused.body).toEqual({ data: { nodes: [null, null] } });
  });

  it('refetches by id the objects that it reads through its account', async () => {
    const checked = await playedVerification(gateway, project, {
      ...{ simulate: 'success', simulate_decision: 'Real' },
      ...{ id: 'true', account_id: mine },
    });
    const failed = await playedVerification(gateway, project, {
      simulate: 'liveness_check_failed',
      account_id: mine,
    });
    await gateway.app.settleEvents();
    const holder = await pageWith(ALL_TOKEN_SCOPES, { accountId: mine });
    const { body } = await holder.graphql(`{
      account(accountId: "${mine}") { id lists { id } lastSession { id } sessions { edges { node { id } } } }
      verifications(filter: { accountId: "${mine}" }) { edges { node { id account { id } session { id } } } }
      events(first: 50) { edges { node { id account { id } session { id }
        ... on VerificationEndedEvent { verification { id } } } } }
    }`);
    expect(body.errors).toBeUndefined();
    const ids = [...new Set(idsIn(body.data))];
    const types = ids.map((id) => Buffer.from(id, 'base64').toString().split(':')[0]);
    expect(new Set(types)).toEqual(
      new Set([
        ...['Account', 'Session', 'List', 'Verification', 'AccountAuthenticatedEvent', 'AccountLinkedEvent'],
        ...['SessionCompletedEvent', 'IdCheckCompletedEvent', 'VerificationFailedEvent'],
      ]),
    );
    for (const visit of [session, checked, failed])
      expect(ids).toContain(await globalId(`session(sessionId: "${visit}")`));
    const again = await holder.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
    expect(again.body).toEqual({ data: { nodes: ids.map((id) => ({ id })) } });
  });

  it('cannot search or change anything', async () => {
    await expectForbidden(
      await pageWith(ALL_TOKEN_SCOPES, { accountId: mine }),
      ...searches(),
      ...unreadable(),
      ...mutations(),
    );
  });

  it.each([
    ['members of its lists', 'lists { members { edges { node { accountId } } } }'],
    ['accounts of its lists', 'lists { accountIds }'],
    ['its identity group', 'identityGroup { size accounts { edges { node { accountId } } } }'],
    ['its decisions', 'decisions { edges { node { accountScore } } }'],
    ['the trace of its decision', 'decisionTrace { byScore }'],
    ['the history of its number', 'phoneFacts { history { accounts } }'],
  ])('does not read %s, with all scopes', async (_what, fields) => {
    const holder = await pageWith(ALL_TOKEN_SCOPES, { accountId: mine });
    await expectForbidden(holder, `{ account(accountId: "${mine}") { ${fields} } }`);
  });

  it('without ACCOUNT reads no field of its account, and the error names the scope', async () => {
    const others = ALL_TOKEN_SCOPES.filter((scope) => scope !== 'ACCOUNT');
    const holder = await pageWith(others, { accountId: mine });
    const node = await globalId(`account(accountId: "${mine}")`);
    for (const query of [
      `{ account(accountId: "${mine}") { phone } }`,
      `{ account(accountId: "${mine}") { lastSession { sessionId } } }`,
      `{ account(accountId: "${mine}") { lists { name } } }`,
      `{ node(id: "${node}") { ... on Account { metadata } } }`,
    ]) {
      const { body } = await holder.graphql(query);
      expect([query, valuesIn(body.data)]).toEqual([query, []]);
      expect(body.errors[0]).toMatchObject({
        message: expect.stringMatching(/^Account\.\w+ requires a browser token with the scope ACCOUNT$/),
        extensions: { code: 'auth.forbidden' },
      });
    }
    const { body } = await holder.graphql(
      `{ account(accountId: "${mine}") { id accountId accountsLinked } }`,
    );
    expect(body.data.account).toEqual({ id: node, accountId: mine, accountsLinked: 1 });
  });

  it('has the same permissions on REST', async () => {
    const holder = await pageWith(['ACCOUNT', 'LINKS'], { accountId: mine });
    expect((await holder.rest('GET', `/account/${mine}`)).body.account.id).toBe(mine);
    const missing = (await holder.rest('GET', '/account/nobody')).text;
    expect((await holder.rest('GET', `/account/${other}`)).text).toBe(missing);
    expect((await holder.rest('GET', `/account/${mine}/accounts-linked`)).status).toBe(403);
    expect((await holder.rest('GET', `/session/${session}`)).body.account_ids).toEqual([mine]);
    const { session_id: foreign } = await project.authenticate({ id: other });
    expect((await holder.rest('GET', `/session/${foreign}`)).body.message).toBe('Session ID not found');
    expect((await holder.rest('PUT', `/account/${mine}`, {})).status).toBe(403);
    const narrow = await pageWith(['LINKS'], { accountId: mine });
    expect((await narrow.rest('GET', `/account/${mine}`)).status).toBe(403);
    expect((await narrow.rest('GET', `/session/${session}`)).status).toBe(403);
  });
});

describe('a browser token of a session', () => {
  it('reads that session, and neither another one nor an account', async () => {
    const holder = await pageWith(['ACCOUNT', 'VERIFICATION_STATE'], { sessionId: session.toUpperCase() });
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
    const named = await holder.graphql(`{ session(sessionId: "${session}") { sessionId accountIds } }`);
    expect(named.body).toMatchObject({
      data: { session: { sessionId: session, accountIds: null } },
      errors: [{ path: ['session', 'accountIds'], extensions: { code: 'auth.forbidden' } }],
    });
    for (const id of [mine, other]) expect(named.text).not.toContain(id);
    expect((await holder.rest('GET', `/session/${session}`)).status).toBe(403);
  });

  it('cannot search or change anything', async () => {
    await expectForbidden(
      await pageWith(['ACCOUNT', 'EVENTS'], { sessionId: session }),
      ...searches(),
      ...unreadable(),
      ...mutations(),
    );
  });
});

describe('two concurrent browser tokens', () => {
  it('each read their own account, also in one turn of the event loop', async () => {
    const pages = {
      [mine]: await pageWith(['ACCOUNT'], { accountId: mine }),
      [other]: await pageWith(['LINKS'], { accountId: other }),
    };
    const query = `{ mine: account(accountId: "${mine}") { phone } other: account(accountId: "${other}") { accountId accountsLinked } }`;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => [pages[mine]!.graphql(query), pages[other]!.graphql(query)]).flat(),
    );
    for (const [index, { body }] of answers.entries())
      expect(body.data).toEqual(
        index % 2 === 0
          ? { mine: { phone: '+14155550177' }, other: null }
          : { mine: null, other: { accountId: other, accountsLinked: 1 } },
      );
  });
});

describe('the lifetime of a browser token', () => {
  const isGood = async (token: string) => {
    const { status } = await page(token).graphql('{ __typename }');
    expect([200, 401]).toContain(status);
    return status === 200;
  };
  const ofMine = (more: Input = {}) => ({ scopes: ['ACCOUNT'], accountId: mine, ...more });

  it('is the requested time, by default an hour', async () => {
    for (const [input, seconds] of [
      [ofMine({ ttlSeconds: 1 }), 1],
      [ofMine({ ttlSeconds: 3600 }), 3600],
      [ofMine(), 3600],
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
    const { body } = await project.rawGraphql(CREATE, { input: ofMine({ ttlSeconds }) });
    expect(Object.values(body.data ?? {}).filter((value) => value !== null)).toEqual([]);
    expect(body.errors[0]).toMatchObject({
      message: expect.stringMatching(/^ttlSeconds: must be between 1 and 3600$/),
      extensions: { code: 'input.invalid' },
    });
  });

  it('cannot be changed by modifying the token', async () => {
    const { token } = await create(ofMine());
    const { token: wide } = await create({ scopes: ALL_TOKEN_SCOPES, project: true });
    const [head, claims, signature] = token.split('.') as [string, string, string];
    const stranger = await gateway.project();
    const { token: strangers } = await create(ofMine(), stranger);
    const later = Buffer.from(JSON.stringify({ e: clock.now().getTime() + 9e9 })).toString('base64url');
    const more = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), c: ALL_TOKEN_SCOPES };
    expect(await isGood(token)).toBe(true);
    const last = signature.at(-1) === 'A' ? 'E' : 'A';
    for (const forged of [
      `${head}.${later}.${signature}`,
      `${head}.${Buffer.from(JSON.stringify(more)).toString('base64url')}.${signature}`,
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

  it('does not give access to another project', async () => {
    const stranger = await gateway.project({ role: 'operator' });
    const { token } = await create({ scopes: ALL_TOKEN_SCOPES, project: true }, stranger);
    const node = await globalId(`account(accountId: "${mine}")`);
    const { body } = await page(token).graphql(
      `{ account(accountId: "${mine}") { id } node(id: "${node}") { id } session(sessionId: "${session}") { id } }`,
    );
    expect(body.data).toEqual({ account: null, node: null, session: null });
  });
});
