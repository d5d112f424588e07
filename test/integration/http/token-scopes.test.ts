import {
  ALL_TOKEN_SCOPES,
  type TokenScope,
  VERIFICATION_SCOPES,
} from '@vouchgraph/events/internals/catalogue/token-scope';
import { assertObjectType, getNamedType, isCompositeType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/graphql/schema.ts';
import {
  type Body,
  type Gateway,
  send,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { type PlantedNetwork, plantNetwork, secretsIn, valuesIn } from '../../support/planted-network.ts';
import { browserToken, collect, overSocket, overStream } from '../../support/subscriptions.ts';
import { fieldsNamingAccount, tokenRuleOf } from '../../support/token-rules.ts';
import { playedVerification } from '../../support/verification.ts';

let gateway: Gateway;
let project: TestProject;
let network: PlantedNetwork;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  network = await plantNetwork(project);
});
afterAll(() => gateway.close());

async function pageWith(scopes: readonly TokenScope[], limit: Body) {
  const headers = { authorization: `Bearer ${await browserToken(project, { scopes, ...limit })}` };
  return async (query: string, variables: Body = {}): Promise<Body> =>
    (await send(`${gateway.baseUrl}/graphql`, 'POST', { query, variables }, headers)).body;
}

/** Aliases of a document. */
const MAX_ALIASES = 15;

const GRAPH = `query ($id: ID!, $depth: Int) { linkGraph(accountId: $id, depth: $depth) { nodes { key depth account { accountId } }
  edges { from to score matchTypes firstSeen lastSeen evidence { kind maskedValue sharedBy weight firstSeen lastSeen } } } }`;
const LINKED = `query ($id: ID!, $first: Int, $after: String) { account(accountId: $id) {
  linkedAccounts(first: $first, after: $after) { pageInfo { endCursor hasNextPage }
    edges { cursor key node { accountId } score firstSeen lastSeen matchTypes evidence { kind maskedValue firstSeen lastSeen } } } } }`;

describe('a token with LINKS', () => {
  it('reads the graph of its account by pseudonym, without data of another account', async () => {
    const page = await pageWith(['LINKS'], { accountId: network.mine });
    const { data, errors } = await page(GRAPH, { id: network.mine, depth: 4 });
    expect(errors).toBeUndefined();
    const { nodes, edges } = data.linkGraph;
    expect(nodes).toHaveLength(5);
    expect(nodes.every(({ account }: Body) => account === null)).toBe(true);
    const own = nodes[0].key;
    const kinds = (edge: Body) => edge.evidence.map(({ kind }: Body) => kind);
    const near = edges.find((edge: Body) => edge.from === own && kinds(edge).includes('NEAR_EMAIL'));
    expect(near.evidence.find(({ kind }: Body) => kind === 'NEAR_EMAIL').maskedValue).toBe('j…1@example.com');
    const foreign = edges.filter(({ from, to }: Body) => from !== own && to !== own);
    expect(foreign.flatMap(kinds)).toEqual(expect.arrayContaining(['PHONE', 'EMAIL']));
    for (const { kind, maskedValue } of foreign.flatMap(({ evidence }: Body) => evidence))
      if (['EMAIL', 'NEAR_EMAIL', 'PHONE', 'USERNAME', 'NAME', 'DATE_OF_BIRTH'].includes(kind))
        expect([kind, maskedValue]).toEqual([kind, null]);
    for (const { firstSeen, lastSeen } of edges)
      expect([firstSeen, lastSeen].every((at) => at.endsWith('T00:00:00.000Z'))).toBe(true);
    expect(secretsIn(JSON.stringify(data), network.secrets)).toEqual([]);
  });

  it('selects links by the visible score, so that filters disclose no more', async () => {
    const page = await pageWith(['LINKS'], { accountId: network.mine });
    const query = `query ($id: ID!, $minScore: Float) { account(accountId: $id) {
      linkedAccounts(minScore: $minScore) { totalCount { value } edges { score } } } }`;
    const { edges, totalCount } = (await page(query, { id: network.mine })).data.account.linkedAccounts;
    const { score } = edges.at(-1);
    for (const minScore of [score - 0.004, score, score + 0.004]) {
      const { linkedAccounts } = (await page(query, { id: network.mine, minScore })).data.account;
      expect(linkedAccounts.totalCount).toEqual(totalCount);
    }
  });

  it('pages linked accounts with cursors that contain no id', async () => {
    const page = await pageWith(['LINKS'], { accountId: network.mine });
    const answers: Body[] = [];
    for (let after: string | null = null, hasNext = true; hasNext; ) {
      const body: Body = await page(LINKED, { id: network.mine, first: 1, after });
      expect(body.errors).toBeUndefined();
      answers.push(body);
      ({ endCursor: after, hasNextPage: hasNext } = body.data.account.linkedAccounts.pageInfo);
    }
    const edges = answers.flatMap(({ data }) => data.account.linkedAccounts.edges);
    expect(edges.map(({ node }) => node)).toEqual([null, null, null]);
    const { data } = await page(GRAPH, { id: network.mine, depth: 1 });
    const keys = data.linkGraph.nodes.slice(1).map(({ key }: Body) => key);
    expect(edges.map(({ key }) => key).sort()).toEqual(keys.sort());
    expect(secretsIn(JSON.stringify(answers), network.secrets)).toEqual([]);
  });

  it('finds a path by keys of its own graph, and no account by its id', async () => {
    const page = await pageWith(['LINKS'], { accountId: network.mine });
    const { data } = await page(GRAPH, { id: network.mine, depth: 4 });
    const far = data.linkGraph.nodes.find(({ depth }: Body) => depth === 2);
    const PATH = `query ($from: ID!, $to: ID, $toKey: String) { linkPath(from: $from, to: $to, toKey: $toKey) {
      nodes { key account { id } } hops { from to evidence { maskedValue } } } }`;
    const found = await page(PATH, { from: network.mine, toKey: far.key });
    expect(found.data.linkPath.nodes.at(-1)).toEqual({ key: far.key, account: null });
    expect(secretsIn(JSON.stringify(found), network.secrets)).toEqual([]);
    const [twin] = network.others;
    for (const variables of [
      { from: network.mine, to: twin },
      { from: network.mine, to: 'nobody' },
      { from: twin, to: network.mine },
      { from: twin, toKey: far.key },
    ]) {
      const { errors } = await page(PATH, variables);
      expect([variables, errors[0].extensions.code]).toEqual([variables, 'account.not_found']);
    }
    expect((await page(GRAPH, { id: twin })).errors[0].extensions.code).toBe('account.not_found');
  });

  it('of two accounts reads graphs that cannot be joined', async () => {
    const [twin] = network.others;
    const textsOf = async (accountId: string) => {
      const page = await pageWith(['LINKS'], { accountId });
      const { nodes, edges } = (await page(GRAPH, { id: accountId, depth: 4 })).data.linkGraph;
      const hashes = edges
        .flatMap(({ evidence }: Body) => evidence)
        .map(({ maskedValue }: Body) => maskedValue)
        .filter((value: string | null) => value && /^[0-9a-f]{8}$/.test(value));
      expect(hashes.length).toBeGreaterThan(0);
      return new Set<string>([...nodes.map(({ key }: Body) => key), ...hashes]);
    };
    const [mine, theirs] = [await textsOf(network.mine), await textsOf(twin!)];
    expect([...mine].filter((text) => theirs.has(text))).toEqual([]);
    expect(await textsOf(network.mine)).toEqual(mine);
  });

  it('and ACCOUNT reads its own account in the graph, and no other', async () => {
    const page = await pageWith(['LINKS', 'ACCOUNT'], { accountId: network.mine });
    const { data } = await page(GRAPH, { id: network.mine, depth: 4 });
    const accounts = data.linkGraph.nodes.map(({ account }: Body) => account);
    expect(accounts).toEqual([{ accountId: network.mine }, null, null, null, null]);
    const linked = await page(LINKED, { id: network.mine });
    expect(secretsIn(JSON.stringify([data, linked]), network.secrets)).toEqual([]);
  });
});

describe('a verification', () => {
  const FIELDS: Readonly<Record<string, readonly TokenScope[]>> = {
    sessionId: ['VERIFICATION_STATE', 'VERIFICATION_RESULT', 'DOCUMENT'],
    state: ['VERIFICATION_STATE'],
    completedAt: ['VERIFICATION_STATE'],
    decision: ['VERIFICATION_RESULT'],
    riskScore: ['VERIFICATION_RESULT'],
    riskFlags: ['VERIFICATION_RESULT'],
    'documentSignals { idValidity }': ['VERIFICATION_RESULT'],
    'documentSignals { idAge }': ['DOCUMENT'],
    'documentData { userData { firstName } }': ['DOCUMENT'],
    'photoUrls { face }': ['DOCUMENT'],
    videoUrls: ['DOCUMENT'],
    listNames: ['ACCOUNT'],
    'session { sessionId }': ['ACCOUNT'],
    'accountMatches { accountId }': [],
    ruleNames: [],
  };
  let account: string;
  let session: string;

  beforeAll(async () => {
    account = unique('verified');
    session = await playedVerification(gateway, project, {
      ...{ simulate: 'success', simulate_decision: 'Real' },
      ...{ id: 'true', account_id: account },
    });
  });

  it.each(ALL_TOKEN_SCOPES)(
    'shows the fields of %s and no others, and names the missing scope',
    async (scope) => {
      const page = await pageWith([scope, 'VERIFICATION_STATE'], { accountId: account });
      for (const [field, scopes] of Object.entries(FIELDS)) {
        const { data, errors } = await page(
          `query ($id: ID!) { verification(sessionId: $id) { ${field} } }`,
          {
            id: session,
          },
        );
        const isShown = scopes.includes(scope) || scopes.includes('VERIFICATION_STATE');
        if (isShown) expect([field, errors]).toEqual([field, undefined]);
        else
          expect([field, errors?.[0]?.extensions.code, valuesIn(data)]).toEqual([
            field,
            'auth.forbidden',
            [],
          ]);
        if (!isShown && scopes.length > 0)
          expect(errors[0].message).toMatch(new RegExp(`requires a browser token with .*${scopes[0]}`));
      }
    },
  );

  it('has null fields with an error in its events beyond the scopes', async () => {
    const FIELDS_OF_EVENT: Readonly<Record<string, TokenScope | null>> = {
      'account { accountId }': 'ACCOUNT',
      'session { sessionId }': 'ACCOUNT',
      'result { decision }': 'VERIFICATION_RESULT',
      'result { riskScore }': 'VERIFICATION_RESULT',
      'result { deviceNetworkSignals { vpn } }': 'VERIFICATION_RESULT',
      'result { referringSessionSignals { ipMismatch } }': 'VERIFICATION_RESULT',
      'result { session { network { connectionType privateRelay } } }': 'ACCOUNT',
      'result { session { device { category } } }': 'ACCOUNT',
      'result { listNames }': 'ACCOUNT',
      'result { matchCount }': null,
      'result { ruleNames }': null,
      'verification { decision }': 'VERIFICATION_RESULT',
    };
    const page = await pageWith(['EVENTS', 'VERIFICATION_STATE'], { accountId: account });
    for (const [field, scope] of Object.entries(FIELDS_OF_EVENT)) {
      const { data, errors } = await page(
        `{ events(types: [VERIFICATION_ID_CHECK_COMPLETED]) { edges { node { type accountId
           ... on IdCheckCompletedEvent { ${field} } } } } }`,
      );
      expect([field, data.events.edges[0].node]).toMatchObject([
        field,
        { type: 'VERIFICATION_ID_CHECK_COMPLETED', accountId: account },
      ]);
      const refusal = scope ? `a browser token with the scope ${scope}` : 'an API key';
      expect([field, errors]).toMatchObject([
        field,
        [{ message: expect.stringContaining(`requires ${refusal}`), extensions: { code: 'auth.forbidden' } }],
      ]);
    }
    const all = await pageWith(ALL_TOKEN_SCOPES, { accountId: account });
    const fields = Object.entries(FIELDS_OF_EVENT).filter(([, scope]) => scope !== null);
    for (const [field] of fields) {
      const { errors } = await all(
        `{ events(types: [VERIFICATION_ID_CHECK_COMPLETED]) { edges { node {
           ... on IdCheckCompletedEvent { ${field} } } } } }`,
      );
      expect([field, errors]).toEqual([field, undefined]);
    }
  });

  it('shows the parts of its session only in events within the scopes', async () => {
    const parts =
      'network { ipAddress } device { category } riskSignalScores { spoofedIp } networkReasons { code }';
    const query = `{ events(sessionId: "${session}") { edges { node { type
      ... on SessionCompletedEvent { sessionSnapshot { ${parts} } }
      ... on AccountAuthenticatedEvent { sessionSnapshot { ${parts} } accountSnapshot { emailFacts { email } } } } } } }`;
    const typesOf = async (scopes: readonly TokenScope[], limit: Body) => {
      const { data, errors } = await (await pageWith(scopes, limit))(query);
      expect([scopes, errors]).toEqual([scopes, undefined]);
      return data.events.edges.map(({ node }: Body) => node.type);
    };
    for (const limit of [{ accountId: account }, { sessionId: session }, { project: true }]) {
      const types = await typesOf(['EVENTS', ...VERIFICATION_SCOPES], limit);
      expect(types).toContain('VERIFICATION_ID_CHECK_COMPLETED');
      for (const type of types) expect(type).toMatch(/^VERIFICATION_/);
    }
    expect(await typesOf(['EVENTS', 'ACCOUNT'], { sessionId: session })).toContain('SESSION_COMPLETED');
  });

  it('is rejected in the events of a requested type without its scope', async () => {
    const page = await pageWith(['EVENTS', 'ACCOUNT'], { accountId: account });
    const query = 'query ($types: [EventType!]) { events(types: $types) { totalCount { value } } }';
    const { data, errors } = await page(query, { types: ['ACCOUNT_UPDATED', 'VERIFICATION_FAILED'] });
    expect(data).toEqual({ events: null });
    expect(errors).toMatchObject([
      {
        message: expect.stringMatching(/^The event type VERIFICATION_FAILED requires .*VERIFICATION_STATE/),
        extensions: { code: 'auth.forbidden' },
      },
    ]);
    expect((await page(query)).errors).toBeUndefined();
  });

  it('is read by a token of its session, without its account', async () => {
    const page = await pageWith(['VERIFICATION_STATE', 'VERIFICATION_RESULT'], { sessionId: session });
    const { data, errors } = await page(
      'query ($id: ID!) { verification(sessionId: $id) { state decision accountId } }',
      { id: session },
    );
    expect(data.verification).toEqual({ state: 'COMPLETED', decision: 'REAL', accountId: null });
    expect(errors.map(({ message }: Body) => message)).toEqual(['This token is limited to one session']);
    const other = await pageWith(['VERIFICATION_STATE'], { accountId: network.mine });
    expect(
      (await other('query ($id: ID!) { verification(sessionId: $id) { state } }', { id: session })).data,
    ).toEqual({
      verification: null,
    });
  });

  it.each([
    ['a WebSocket', overSocket],
    ['an event stream', overStream],
  ])(
    'is in the events over %s within the scopes of each of two tokens for one document',
    async (_face, connect) => {
      const { events } = await project.graphql('{ events(first: 1) { edges { cursor } } }');
      const query = `subscription ($after: String, $sessionId: ID) { events(after: $after, sessionId: $sessionId) { type cursor data } }`;
      const listen = async (scope: TokenScope) => {
        const authorization = `Bearer ${await browserToken(project, { scopes: ['EVENTS', scope], accountId: account })}`;
        const client = connect(gateway.baseUrl, { authorization });
        try {
          const seen = collect(client, query, { after: events.edges[0].cursor, sessionId: session });
          const [event] = await seen.until(1);
          return event!;
        } finally {
          await client.dispose();
        }
      };
      const [result, document] = await Promise.all([listen('VERIFICATION_RESULT'), listen('DOCUMENT')]);
      expect(result.type).toBe(document.type);
      expect(result.data).toMatchObject({ decision: 'Real' });
      expect(Object.keys(result.data)).not.toEqual(expect.arrayContaining(['document_data']));
      expect(document.data).toMatchObject({ document_data: expect.anything() });
      for (const hidden of ['decision', 'risk_score', 'lists', 'rules', 'matches', 'session_data'])
        expect(document.data).not.toHaveProperty(hidden);
    },
  );
});

describe('the fields within the scopes of a token', () => {
  const scopes: readonly TokenScope[] = ALL_TOKEN_SCOPES.filter((scope) => scope !== 'LINKS');
  let account: string;
  let session: string;

  beforeAll(async () => {
    account = unique('bound');
    session = await playedVerification(gateway, project, {
      ...{ simulate: 'success', simulate_decision: 'Real' },
      ...{ id: 'true', account_id: account },
    });
  });

  /** Documents with an alias of the object for each of its fields, so that each is refused alone. */
  function documentsOf(typename: string, root: string): string[] {
    const type = assertObjectType(schema.getType(typename));
    const fields = Object.values(type.getFields()).filter(({ name }) => {
      const rule = tokenRuleOf(type, name);
      return rule !== 'never' && rule.some((scope) => scopes.includes(scope));
    });
    const part = (field: (typeof fields)[number]) =>
      `${field.name}${isCompositeType(getNamedType(field.type)) ? ' { __typename }' : ''}`;
    const parts = fields.map((field) => `${field.name}: ${root} { ${part(field)} }`);
    const documents: string[] = [];
    for (let start = 0; start < parts.length; start += MAX_ALIASES)
      documents.push(`{ ${parts.slice(start, start + MAX_ALIASES).join(' ')} }`);
    return documents;
  }

  it.each([
    { limit: 'account', typenames: ['Account', 'Session', 'Verification'] },
    { limit: 'session', typenames: ['Session', 'Verification'] },
  ])('are returned when the limit to one $limit rejects another field', async ({ limit, typenames }) => {
    const page = await pageWith(
      scopes,
      limit === 'account' ? { accountId: account } : { sessionId: session },
    );
    const roots: Readonly<Record<string, string>> = {
      Account: `account(accountId: "${account}")`,
      Session: `session(sessionId: "${session}")`,
      Verification: `verification(sessionId: "${session}")`,
    };
    for (const typename of typenames) {
      const refused: string[] = [];
      for (const document of documentsOf(typename, roots[typename]!)) {
        const { data, errors = [] } = await page(document);
        expect(Object.keys(data).filter((name) => data[name] === null)).toEqual([]);
        refused.push(...errors.map(({ path }: Body) => `${typename}.${path[0]}`));
      }
      const named = fieldsNamingAccount(assertObjectType(schema.getType(typename))).map(
        (name) => `${typename}.${name}`,
      );
      expect(refused.sort()).toEqual(limit === 'account' ? [] : named.sort());
    }
  });
});

describe('conditions of a search', () => {
  it.each([
    { condition: 'decision: FAKE', scope: 'VERIFICATION_RESULT', other: 'VERIFICATION_STATE' },
    { condition: 'state: COMPLETED', scope: 'VERIFICATION_STATE', other: 'VERIFICATION_RESULT' },
  ] as const)('by $condition require the scope of the field', async ({ condition, scope, other }) => {
    const query = `{ verifications(filter: { accountId: "${network.mine}", ${condition} }) { totalCount { value } } }`;
    const refused = await (await pageWith([other], { accountId: network.mine }))(query);
    expect(refused.data).toEqual({ verifications: null });
    expect(refused.errors[0].extensions.code).toBe('auth.forbidden');
    expect(refused.errors[0].message).toContain(scope);
    const allowed = await (await pageWith([scope], { accountId: network.mine }))(query);
    expect(allowed.errors).toBeUndefined();
  });

  it('by accountId require VERIFICATION_STATE for a token of the project', async () => {
    const query = `{ verifications(filter: { accountId: "${network.mine}" }) { totalCount { value } } }`;
    const refused = await (await pageWith(['VERIFICATION_RESULT'], { project: true }))(query);
    expect(refused.errors[0].extensions.code).toBe('auth.forbidden');
    expect(refused.errors[0].message).toContain('VERIFICATION_STATE');
    expect((await (await pageWith(['VERIFICATION_STATE'], { project: true }))(query)).errors).toBeUndefined();
  });
});
