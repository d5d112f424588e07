import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, send, startGateway, type TestProject, unique } from '../support/gateway.ts';

/**
 * Permitted GraphQL requests by client and media type, for trusted keys and others.
 */
let gateway: Gateway;
let sandbox: TestProject;
let server: TestProject;
let operator: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false });
  [sandbox, server, operator] = await Promise.all([
    gateway.project(),
    gateway.project({ environment: 'production', role: 'server' }),
    gateway.project({ environment: 'production', role: 'operator' }),
  ]);
});
afterAll(() => gateway.close());

/** Statements that authenticate the client; all others would read data. */
const isData = (name: string) => name !== 'set_project' && !name.startsWith('key.');

/** Three levels per hop. */
const hops = (count: number, leaf: string): string =>
  count === 0 ? leaf : `linkedAccounts(first: 1) { edges { node { ${hops(count - 1, leaf)} } } }`;
const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');
/** 16 tokens of the executed operation, 8 of each other one, and the rest as fields. */
const tokens = (count: number) =>
  `query Q { account(accountId: "x") { email phone username group ${'country '.repeat(count % 8)} } }` +
  times(Math.floor(count / 8) - 2, (n) => ` query Q${n} { project { name } }`);

const REFUSED = [
  {
    what: '15 levels',
    query: `{ account(accountId: "x") { ${hops(4, 'lists { name }')} } }`,
    code: 'graphql.too_deep',
  },
  {
    what: '15 levels inside fragments',
    query: `{ account(accountId: "x") { ...A } } fragment A on Account { ${hops(2, '...B')} } fragment B on Account { ${hops(2, 'lists { name }')} }`,
    code: 'graphql.too_deep',
  },
  {
    what: '40 levels',
    query: `{ account(accountId: "x") { ${hops(13, 'accountId')} } }`,
    code: 'graphql.too_deep',
  },
  { what: '16 aliases', query: `{ ${times(16, (n) => `a${n}: account(accountId: "${n}") { email }`)} }` },
  {
    what: '16 aliases of __typename',
    query: `{ ${times(16, (n) => `a${n}: __typename`)} account(accountId: "x") { id } }`,
  },
  { what: '1,001 tokens', query: tokens(1001), operationName: 'Q' },
  { what: '6 directives', query: `{ account(accountId: "x") { email ${'@include(if: true) '.repeat(6)} } }` },
  {
    what: '6 directives on as many fields',
    query: `{ account(accountId: "x") { ${'email @skip(if: false) '.repeat(6)} } }`,
  },
  {
    what: 'a page of a million',
    query: '{ accounts(first: 1000000) { edges { node { email } } } }',
    code: 'graphql.too_expensive',
  },
  {
    what: 'a negative page size',
    query: '{ accounts(first: -1) { edges { node { email } } } }',
    code: 'input.invalid',
  },
  {
    what: 'large pages inside large pages',
    query: `{ accounts(first: 100) { edges { node { linkedAccounts(first: 100) { edges { node { linkedAccounts(first: 100) { edges { node { email } } } } } } } } } }`,
    code: 'graphql.too_expensive',
  },
  {
    what: 'fragments in a cycle',
    query:
      '{ account(accountId: "x") { ...A } } fragment A on Account { ...B } fragment B on Account { ...A }',
  },
  {
    what: 'a fragment inside itself',
    query: '{ account(accountId: "x") { ...A } } fragment A on Account { ...A }',
  },
  {
    what: '101 nodes',
    query: `{ nodes(ids: [${'"QWNjb3VudDowMDAwMDAwMC0wMDAwLTQwMDAtODAwMC0wMDAwMDAwMDAwMDA=" '.repeat(101)}]) { id } }`,
    code: 'input.invalid',
  },
  { what: 'a field that does not exist', query: '{ account(accountId: "x") { password } }' },
];
const TYPES = ['application/json', 'application/graphql+json'];

describe.each(TYPES)('a document sent as %s', (type) => {
  const post = (project: TestProject, body: unknown) =>
    project.rest('POST', '/graphql', body, { 'content-type': type });

  it.each(REFUSED)(
    'is rejected without reading data: $what',
    async ({ query, code = 'graphql.invalid', operationName }) => {
      for (const project of [sandbox, server]) {
        gateway.takeStatements();
        const { body } = await post(project, { query, operationName });
        expect(gateway.takeStatements().filter(isData)).toEqual([]);
        expect(Object.values(body.data ?? {}).filter((value) => value !== null)).toEqual([]);
        expect(body.errors[0].extensions).toMatchObject({ code, status: 400 });
      }
    },
  );

  it('is accepted at the limits', async () => {
    const queries = [
      `{ account(accountId: "x") { ${hops(4, 'accountId')} } }`,
      `{ ${times(15, (n) => `a${n}: account(accountId: "${n}") { email }`)} }`,
      tokens(1000),
      `{ account(accountId: "x") { ${'email @skip(if: false) '.repeat(5)} } }`,
      '{ accounts(first: 100) { edges { node { email } } } }',
    ];
    for (const query of queries) {
      gateway.takeStatements();
      const operationName = query.startsWith('query Q') ? 'Q' : undefined;
      const { body } = await post(server, { query, operationName });
      expect(body.errors).toBeUndefined();
      expect(gateway.takeStatements().filter(isData)).not.toEqual([]);
    }
  });

  it('over a limit is rejected with the found and the accepted value', async () => {
    const pages = `accounts(first: 100) { edges { node { email linkedAccounts(first: 100) { edges { node { email } } } } } }`;
    const expensive = await post(server, { query: `{ ${pages} }` });
    expect(expensive.body.errors[0]).toMatchObject({
      message:
        'The query is too expensive: it costs 20705, the limit is 20000. accounts.edges.node.linkedAccounts costs most: ' +
        'request fewer objects (first, last, maxNodes, depth) or select fewer fields',
      extensions: { cost: 20705, limit: 20000, costliestField: 'accounts.edges.node.linkedAccounts' },
    });
    const deep = await post(server, {
      query: `{ account(accountId: "x") { ${hops(4, 'lists { name }')} } }`,
    });
    expect(deep.body.errors[0]).toMatchObject({
      message: 'The query has 15 levels, the limit is 14',
      extensions: { depth: 15, limit: 14 },
    });
    const broad = await post(server, {
      query: `{ ${times(14, (n) => `a${n}: account(accountId: "${n}") { ...A }`)} } fragment A on Account { ${'email '.repeat(60)} }`,
    });
    expect(broad.body.errors[0]).toMatchObject({
      message: 'The query selects 854 fields, the limit is 800',
      extensions: { code: 'graphql.too_broad', breadth: 854, limit: 800 },
    });
    const aliased = await post(server, { query: `{ ${times(16, (n) => `a${n}: project { name }`)} }` });
    expect(aliased.body.errors[0].message).toBe('The query has 16 aliases, the limit is 15');
  });

  it('returns its cost on selection', async () => {
    const query =
      '{ queryCost { cost limit costliestField } accounts(first: 10) { edges { node { email } } } }';
    const { body } = await post(server, { query });
    expect(body.data.queryCost).toEqual({ cost: 29, limit: 20000, costliestField: 'accounts' });
  });

  it.each([
    ['each id of nodes', 50, `nodes(ids: [${times(50, (n) => `"${n}"`)}]) { ... on Account { email } }`],
    ['sessionIds of each account', 2000, 'accounts(first: 10) { edges { node { sessionIds } } }'],
    [
      'accountMatches of each verification',
      500,
      'verifications(first: 10) { edges { node { accountMatches { accountId } } } }',
    ],
  ])('counts %s', async (_, least, selection) => {
    const { body } = await post(server, { query: `{ queryCost { cost } ${selection} }` });
    expect(body.data.queryCost.cost).toBeGreaterThan(least);
    expect(body.data.queryCost.cost).toBeLessThan(least * 2.5);
  });

  it('cannot be sent as a batch of a thousand', async () => {
    gateway.takeStatements();
    const batch = Array.from({ length: 1000 }, () => ({ query: '{ accounts { edges { cursor } } }' }));
    const { status, body } = await post(sandbox, batch);
    expect(status).toBe(400);
    expect(body.errors[0].extensions.code).toBe('graphql.invalid');
    expect(gateway.takeStatements().filter(isData)).toEqual([]);
  });

  const INTROSPECTION = [
    '{ __schema { types { name } } }',
    '{ __type(name: "Account") { fields { name } } }',
  ];

  it.each(INTROSPECTION)('hides the schema from a production server key: %s', async (query) => {
    const { body } = await post(server, { query });
    expect(body.data).toBeUndefined();
    expect(body.errors[0].extensions.code).toBe('graphql.invalid');
  });

  it.each(INTROSPECTION)('shows the schema to an operator key and a sandbox: %s', async (query) => {
    for (const project of [operator, sandbox]) {
      const { body } = await post(project, { query });
      expect(body.errors).toBeUndefined();
      expect(JSON.stringify(body.data)).toMatch(/accountId|Account/);
    }
  });

  const TYPOS = [
    { typo: 'field', query: '{ acount(id: "x") { email } }' },
    { typo: 'argument', query: '{ account(accountIdd: "x") { email } }' },
    { typo: 'type', query: 'query ($x: Acount) { account(accountId: $x) { email } }' },
    {
      typo: 'enum value',
      query: '{ sessions(orderBy: { field: START_TIME, direction: DES }) { edges { cursor } } }',
    },
    { typo: 'input field', query: 'mutation { updateAccount(input: { acountId: "x" }) { requestId } }' },
    {
      typo: 'enum value of a variable',
      query:
        'query ($by: OrderDirection!) { sessions(orderBy: { field: START_TIME, direction: $by }) { edges { cursor } } }',
      variables: { by: 'DES' },
    },
    {
      typo: 'input field of a variable',
      query: 'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { requestId } }',
      variables: { input: { accountId: 'x', emial: 'x' } },
    },
  ];

  it.each(TYPOS)(
    'suggests the correct name of a mistyped $typo, or lists all, to trusted keys only',
    async ({ query, variables }) => {
      const [trusted, other] = await Promise.all([
        post(operator, { query, variables }),
        post(server, { query, variables }),
      ]);
      expect(trusted.text).toMatch(/Did you mean|Accepted values: ASC, DESC/);
      expect(other.body.errors[0].extensions.code).toBe('graphql.invalid');
      expect(other.text).not.toMatch(/did you mean|suggestion|accepted values/i);
    },
  );
});

describe('a request that a page of another site could send', () => {
  const FORMS = [
    { type: 'text/plain', encode: (query: string) => JSON.stringify({ query }) },
    {
      type: 'application/x-www-form-urlencoded',
      encode: (query: string) => `query=${encodeURIComponent(query)}`,
    },
    {
      type: 'multipart/form-data; boundary=x',
      encode: (query: string) =>
        `--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${JSON.stringify({ query })}\r\n--x--\r\n`,
    },
    { type: 'application/jsonp', encode: (query: string) => JSON.stringify({ query }) },
  ];

  it.each(FORMS)('is rejected and changes nothing: a POST of $type', async ({ type, encode }) => {
    const id = unique('kept');
    await sandbox.authenticate({ id });
    const query = `mutation { deleteAccount(input: { accountId: "${id}" }) { accountId } }`;
    const answer = await sandbox.rest('POST', '/graphql', encode(query), { 'content-type': type });
    expect(answer.status).toBe(415);
    expect(answer.body.errors[0].extensions).toMatchObject({
      code: 'http.unsupported_media_type',
      status: 415,
    });
    expect((await sandbox.rest('GET', `/account/${id}`)).status).toBe(200);
  });

  it('is rejected and changes nothing: a mutation by GET', async () => {
    const id = unique('kept');
    await sandbox.authenticate({ id });
    const query = `mutation { deleteAccount(input: { accountId: "${id}" }) { accountId } }`;
    const answer = await sandbox.rest('GET', `/graphql?query=${encodeURIComponent(query)}`);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect((await sandbox.rest('GET', `/account/${id}`)).status).toBe(200);
  });
});

describe('a query by GET', () => {
  const path = `/graphql?query=${encodeURIComponent('{ project { environment } }')}`;

  it('is rejected for a production server key', async () => {
    const answer = await server.rest('GET', path);
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect(answer.body.errors[0].extensions).toMatchObject({ code: 'http.method_not_allowed', status: 405 });
  });

  it('is executed for an operator key and in a sandbox', async () => {
    expect((await operator.rest('GET', path)).body).toEqual({
      data: { project: { environment: 'PRODUCTION' } },
    });
    expect((await sandbox.rest('GET', path)).body).toEqual({ data: { project: { environment: 'SANDBOX' } } });
  });

  it('requires a key', async () => {
    const answer = await send(`${gateway.baseUrl}${path}`, 'GET');
    expect(answer.status).toBe(401);
    expect(answer.body.errors[0].extensions.code).toBe('auth.missing');
  });
});
