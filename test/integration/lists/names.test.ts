import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { accounts, add, listsOf, membersOf, move } from '../../support/lists.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const allNames = async (of: TestProject): Promise<string[]> =>
  (await of.graphql('{ lists(first: 100) { edges { node { name } } } }')).lists.edges.map(
    ({ node }: Body) => node.name,
  );

/** Error of a GraphQL request. */
async function refusal(query: string, variables: Body): Promise<Body> {
  const { body } = await project.rawGraphql(query, variables);
  expect(body.errors).toHaveLength(1);
  const { message, extensions } = body.errors[0];
  return { message, code: extensions.code };
}

const AUTHENTICATE =
  'mutation ($input: AuthenticateSessionInput!) { authenticateSession(input: $input) { account { accountId } } }';
const CREATE_RULE = 'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }';
const rule = (changes: Body): Body => ({
  name: unique('rule'),
  trigger: 'ANY_SESSION',
  expression: 'session.bot > 0.5',
  ...changes,
});

describe('composed and decomposed forms of a name', () => {
  it('name one list on every way in', async () => {
    const own = await gateway.project();
    const [composed, decomposed] = ['\u00e9', 'e\u0301'].map((letter) => `caf${letter}`) as [string, string];
    expect((await own.rest('POST', `/list/${encodeURIComponent(decomposed)}`, {})).status).toBe(200);
    expect(await allNames(own)).toContain(composed);
    expect((await own.rest('POST', `/list/${encodeURIComponent(composed)}`, {})).body.message).toBe(
      'List already exists.',
    );

    const [one, other] = (await accounts(own, 2)) as [string, string];
    expect(await add(own, decomposed, [one])).toMatchObject({ list: { name: composed } });
    expect((await own.rest('POST', `/list/${encodeURIComponent(composed)}/account/${other}`)).status).toBe(
      200,
    );
    expect((await membersOf(own, composed))!.sort()).toEqual([one, other].sort());
    const { body } = await own.rest('GET', `/list/${encodeURIComponent(decomposed)}`);
    expect(body.accounts.sort()).toEqual([one, other].sort());

    const third = unique('third');
    await own.authenticate({ id: third, lists: [decomposed, composed] });
    expect(await listsOf(own, third)).toEqual([composed]);

    const search = `query ($list: String!) {
      list(name: $list) { name }
      accounts(filter: { list: $list }) { edges { node { accountId } } }
    }`;
    const found = await own.graphql(search, { list: decomposed });
    expect(found.list).toEqual({ name: composed });
    expect(found.accounts.edges).toHaveLength(3);

    const acting = rule({
      expression: `lists MATCHES LIST "${decomposed}"`,
      actions: [{ removeFromList: decomposed }],
    });
    await own.graphql('mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }', {
      input: { ...acting, state: 'ENABLED' },
    });
    await own.authenticate({ id: third });
    expect(await listsOf(own, third)).toEqual([]);

    const target = unique('target');
    await own.rest('POST', `/list/${target}`, {});
    await move(own, decomposed, target, [one]);
    expect(await listsOf(own, one)).toEqual([target]);
    expect((await allNames(own)).sort()).toEqual(['allow', 'block', composed, 'main_account', target].sort());
  });
});

describe.each([
  ['a standard list in upper case', 'Block', /Did you mean "block"\?/],
  ['a standard list with a letter of another script', 'bloc\u043a', /Did you mean "block"\?/],
  ['a standard list with an invisible character', 'block\u200b', /must be printable characters/],
  ['a standard list with another separator', 'Main-Account', /Did you mean "main_account"\?/],
  ['a standard list without its separator', 'mainaccount', /Did you mean "main_account"\?/],
  ['a bidi control', '\u202eblock', /must be printable characters without \/, not U\+202E at position 1/],
  ['a no-break space', 'my\u00a0list', /must be printable characters without \/, not U\+00A0 at position 3/],
  ['a blank at the end', 'block ', /must not start or end with a space/],
])('%s as the name of a list', (_what, name, message) => {
  it('is rejected on every way in, and creates no list', async () => {
    const before = await allNames(project);
    const [account] = (await accounts(project, 1)) as [string];
    const path = encodeURIComponent(name);
    for (const [method, url, sent] of [
      ['POST', `/list/${path}`, {}],
      ['POST', `/list/${path}/account/${account}`, {}],
      ['DELETE', `/list/${path}/account/${account}`, undefined],
    ] as const) {
      const answer = await project.rest(method, url, sent);
      expect([answer.status, answer.body.message], url).toEqual([400, expect.stringMatching(message)]);
    }

    const sessionId = await project.session();
    const direct = await project.rest('POST', '/session/authenticate', {
      session_id: sessionId,
      account: { id: account, lists: ['vip', name] },
    });
    expect([direct.status, direct.body.message]).toEqual([400, expect.stringMatching(message)]);
    for (const [query, input] of [
      [AUTHENTICATE, { sessionId, account: { accountId: account, lists: [name] } }],
      ['mutation ($input: CreateListInput!) { createList(input: $input) { list { name } } }', { name }],
      [CREATE_RULE, rule({ actions: [{ addToList: name }] })],
      [CREATE_RULE, rule({ expression: `lists MATCHES LIST "${name}"` })],
    ] as const)
      expect((await refusal(query, { input })).message, query).toMatch(message);
    expect(await listsOf(project, account)).toEqual([]);
    expect(await allNames(project)).toEqual(before);
  });
});

describe('a name that looks like that of a list with an effect', () => {
  const CREATE_LIST = 'mutation ($input: CreateListInput!) { createList(input: $input) { list { name } } }';

  it.each([
    ['Watch', 'watch'],
    ['WATCH', 'watch'],
    ['wat\u0441h', 'watch'],
    ['vip-customers', 'VIP_customers'],
    ['vip customers', 'VIP_customers'],
    ['VIPcustomers', 'VIP_customers'],
  ])('is rejected on every way in that creates lists: %s beside %s', async (name, existing) => {
    const own = await gateway.project();
    await own.graphql(CREATE_LIST, { input: { name: existing, effect: 'BLOCK' } });
    await own.graphql(CREATE_LIST, { input: { name: 'plain' } });
    const before = await allNames(own);
    const path = encodeURIComponent(name);
    const message = new RegExp(
      `must not resemble the name of a list with an effect\\. Did you mean "${existing}"\\?`,
    );
    const sessionId = await own.session();
    const id = unique('account');
    const answers = [
      await own.rest('POST', `/list/${path}`, {}),
      await own.rest('POST', '/session/authenticate', {
        session_id: sessionId,
        account: { id, lists: ['fresh', name] },
      }),
    ];
    for (const { status, body } of answers)
      expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
    for (const [query, input] of [
      [CREATE_LIST, { name, effect: 'ALLOW' }],
      [AUTHENTICATE, { sessionId, account: { accountId: id, lists: [name] } }],
    ] as const) {
      const { body } = await own.rawGraphql(query, { input });
      expect(body.errors).toMatchObject([
        { message: expect.stringMatching(message), extensions: { code: 'input.invalid' } },
      ]);
    }
    // Nothing else of the rejected requests is stored.
    expect(await allNames(own)).toEqual(before);
    expect((await own.rest('GET', `/account/${id}`)).status).toBe(400);
    // Without an effect, names that look alike are two lists.
    await own.authenticate({ id, lists: ['Plain', existing] });
    expect((await listsOf(own, id)).sort()).toEqual(['Plain', existing].sort());
  });
});

describe('a description for operators', () => {
  const DESCRIBED: [what: string, mutation: string, input: Body][] = [
    [
      'list',
      'mutation ($input: CreateListInput!) { createList(input: $input) { list { description } } }',
      {},
    ],
    [
      'rule',
      'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { description } } }',
      rule({}),
    ],
    [
      'endpoint',
      'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { endpoint { description } } }',
      { url: 'https://shop.example.com/hook' },
    ],
  ];
  const READABLE =
    'Chargebacks\u00a0:\n\tpast year \u2764\ufe0f \u2b50\ufe0f, \u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645';

  it.each(DESCRIBED)('of a %s has no hidden characters', async (what, mutation, fields) => {
    const input = () => ({ ...fields, ...(what === 'endpoint' ? {} : { name: unique(what) }) });
    for (const hidden of ['a\u202eb', 'a\u2066b', 'a\u200bb', 'a\u0007b', 'a\ue000b', 'a\u{e0041}b'])
      expect(await refusal(mutation, { input: { ...input(), description: hidden } })).toEqual({
        message: 'input.description: must not contain invisible characters',
        code: 'input.invalid',
      });
    const { data } = (await project.rawGraphql(mutation, { input: { ...input(), description: READABLE } }))
      .body;
    expect(JSON.stringify(data)).toContain(JSON.stringify(READABLE));
  });
});

test('names of projects and labels of keys are visible characters', async () => {
  const { projects } = gateway.app;
  const { projectId } = await projects.createProject('Caf\u0065\u0301 \u2b50\ufe0f', 'sandbox');
  expect((await projects.getProject(projectId)).name).toBe('Caf\u00e9 \u2b50');
  for (const [text, problem] of [
    ['', 'must not be empty'],
    [' Shop', 'must not start or end with a space'],
    ['Sh\u202eop', 'must contain only printable characters'],
    ['Shop\n', 'must contain only printable characters'],
    ['x'.repeat(129), 'must be at most 128 characters'],
  ] as const) {
    await expect(projects.createProject(text, 'sandbox')).rejects.toThrow(`name: ${problem}`);
    if (text !== '')
      await expect(projects.createKey(projectId, 'read', { label: text })).rejects.toThrow(
        `label: ${problem}`,
      );
  }
});
