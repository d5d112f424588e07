import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { accounts, list } from '../../support/lists.ts';
import { connectAs } from '../../support/sql.ts';

/** Objects that operators configure and examine: every object is a node, and every list of them a connection. */

let gateway: Gateway;
let system: pg.Client;
let project: TestProject;
let other: TestProject;

type Ids = Readonly<Record<string, string>>;
let ids: Ids;

beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false });
  system = await connectAs(gateway.database, 'vouchgraph_system');
  [project, other] = [await gateway.project(), await gateway.project()];
  ids = await filled(project);
}, 240_000);
afterAll(async () => {
  await system.end();
  await gateway.close();
});

async function createRule(by: TestProject, input: Body = {}): Promise<Body> {
  const rule = { name: unique('rule'), trigger: 'ANY_SESSION', expression: 'session.bot >= 0', ...input };
  const { createRule: payload } = await by.graphql(
    'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id ruleId } } }',
    { input: rule },
  );
  return payload.rule;
}

const updateRule = (by: TestProject, input: Body) =>
  by.graphql('mutation ($input: UpdateRuleInput!) { updateRule(input: $input) { requestId } }', { input });

async function backtest(by: TestProject): Promise<string> {
  const { backtestRule } = await by.graphql(`mutation {
    backtestRule(input: { expression: "session.bot >= 0", since: "2020-01-01T00:00:00Z" }) { backtest { id } } }`);
  await gateway.app.settleBacktests(by.projectId);
  return backtestRule.backtest.id;
}

const addCalibration = ({ projectId }: TestProject, version: number) =>
  system.query(
    `insert into calibrations (project_id, version, fitted_at, weights_version, calibration)
     values ($1, $2, now(), 'earlier', $3)`,
    [projectId, version, { labels: { positive: 20, negative: 180 + version }, maps: { vpn: [], bot: [] } }],
  );

/** Of a type that no test here emits: nothing is sent. */
const CREATE_ENDPOINT = `mutation {
  createWebhookEndpoint(input: { url: "https://example.com", eventTypes: [EMAIL_BATCH_COMPLETED] }) { secret } }`;

/** Seven or more rows of each; the global ids of one of each type. */
async function filled(by: TestProject): Promise<Ids> {
  const rule = await createRule(by, { state: 'ENABLED', actions: [{ raiseFlag: 'seen' }] });
  const members = await accounts(by, 7);
  const name = await list(by);
  for (const id of members) await by.rest('POST', `/list/${name}/account/${id}`);
  for (let index = 0; index < 6; index += 1) {
    await list(by);
    await gateway.app.projects.createKey(by.projectId, 'read', { label: `key ${index}` });
    await updateRule(by, { id: rule.id, description: `change ${index}` });
    const { id } = await createRule(by);
    if (index > 3) await updateRule(by, { id, state: 'ARCHIVED' });
    await backtest(by);
    await addCalibration(by, index + 1);
    await by.graphql(CREATE_ENDPOINT);
  }
  const shown = await by.graphql(
    `query ($rule: ID!, $list: String!) { project { id } list(name: $list) { id } apiKeys(first: 1) { edges { node { id } } }
      backtests(first: 1) { edges { node { id } } } calibrations(first: 1) { edges { node { id } } } auditLog(first: 1) { edges { node { id } } }
      rule(id: $rule) { versions(first: 1) { edges { node { id } } } matches(first: 1) { edges { node { id } } } } }`,
    { rule: rule.id, list: name },
  );
  const first = (connection: Body): string => connection.edges[0].node.id;
  return {
    ...{ Project: shown.project.id, List: shown.list.id, Rule: rule.id },
    ...{ RuleVersion: first(shown.rule.versions), RuleMatch: first(shown.rule.matches) },
    ...{ Backtest: first(shown.backtests), AuditEntry: first(shown.auditLog) },
    ...{ ApiKey: first(shown.apiKeys), Calibration: first(shown.calibrations) },
  };
}

const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';
const TYPES = [
  'Project',
  'List',
  'Rule',
  'RuleVersion',
  'RuleMatch',
  'Backtest',
  'AuditEntry',
  'ApiKey',
  'Calibration',
];
const nodesOf = async (by: TestProject, wanted: readonly string[]): Promise<Body[]> =>
  (await by.graphql(NODES, { ids: wanted })).nodes;

describe('an object of operators', () => {
  it.each(TYPES)('is refetched by its global id: %s', async (type) => {
    const { node } = await project.graphql('query ($id: ID!) { node(id: $id) { __typename id } }', {
      id: ids[type],
    });
    expect(node).toEqual({ __typename: type, id: ids[type] });
    const text = Buffer.from(ids[type]!, 'base64').toString();
    expect(text.startsWith(`${type}:`)).toBe(true);
    expect(text).not.toContain(project.projectId);
  });

  it('is found by the UUID that its fields and REST show, in its own project alone', async () => {
    const [rule, backtestId] = [ids.Rule!, ids.Backtest!].map(
      (id) => Buffer.from(id, 'base64').toString().split(':')[1]!,
    );
    const query =
      'query ($rule: ID!, $backtest: ID!) { rule(id: $rule) { id } backtest(id: $backtest) { id } }';
    const variables = { rule, backtest: backtestId!.toUpperCase() };
    expect(await project.graphql(query, variables)).toEqual({
      rule: { id: ids.Rule },
      backtest: { id: ids.Backtest },
    });
    expect(await other.graphql(query, variables)).toEqual({ rule: null, backtest: null });
    expect(await project.graphql(query, { rule: backtestId, backtest: rule })).toEqual({
      rule: null,
      backtest: null,
    });
  });

  it('is null for another project, and so is an unknown id', async () => {
    const uuidOf = (type: string) => Buffer.from(ids[type]!, 'base64').toString().split(':')[1]!;
    const invented = [
      ...TYPES.map((type) => globalIdOf(type, randomUUID())),
      ...['Rule', 'RuleMatch', 'Backtest', 'ApiKey'].map((type) => globalIdOf(type, `${uuidOf(type)}:1`)),
      ...['', ':0', ':01', ':8', ':4294967297', ':9999999999'].map((end) =>
        globalIdOf('RuleVersion', `${uuidOf('Rule')}${end}`),
      ),
      ...['WebhookEndpoint', 'WebhookDelivery'].map((type) => globalIdOf(type, `${randomUUID()}:1`)),
      globalIdOf('Rule', uuidOf('Backtest')),
      globalIdOf('Backtest', uuidOf('Rule')),
      ...[uuidOf('Rule'), 'no id', ''],
    ];
    expect(await nodesOf(project, invented)).toEqual(invented.map(() => null));
    expect(await nodesOf(other, Object.values(ids))).toEqual(TYPES.map(() => null));
    const lookUps = 'query ($id: ID!) { rule(id: $id) { id } backtest(id: $id) { id } }';
    const nothing = { rule: null, backtest: null };
    // A plain UUID is that of an object of the argument's type.
    for (const id of invented.filter((each) => each !== uuidOf('Rule')))
      expect(await project.graphql(lookUps, { id })).toEqual(nothing);
    for (const id of [ids.Rule, ids.Backtest]) expect(await other.graphql(lookUps, { id })).toEqual(nothing);
  });

  it('is null for a key below its role', async () => {
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    const found = await nodesOf(
      project.withKey(key),
      TYPES.map((type) => ids[type]!),
    );
    const readable = TYPES.filter((type) => !['AuditEntry', 'ApiKey', 'Calibration'].includes(type));
    expect(found.map((node) => node?.__typename ?? null)).toEqual(
      TYPES.map((type) => (readable.includes(type) ? type : null)),
    );
    for (const field of ['auditLog', 'apiKeys', 'calibrations']) {
      const { body } = await project
        .withKey(key)
        .rawGraphql(`{ ${field} { edges { node { id } } } project { id } }`);
      expect(body.errors).toMatchObject([{ path: [field], extensions: { code: 'auth.forbidden' } }]);
      expect(body.data).toEqual({ [field]: null, project: { id: ids.Project } });
    }
  });

  it('of a key contains no secret and no hash', async () => {
    const { text } = await project.rawGraphql(
      '{ apiKeys(first: 50) { edges { node { keyId prefix label role createdAt lastUsedAt expiresAt revokedAt } } } }',
    );
    const { edges } = JSON.parse(text).data.apiKeys;
    const { node } = edges.find((edge: Body) => edge.node.label === 'key 5');
    const { rows } = await system.query('select hash from api_keys where key_id = $1', [node.keyId]);
    expect(node).toMatchObject({ role: 'READ', lastUsedAt: null, expiresAt: null, revokedAt: null });
    expect(node.prefix).toMatch(/^vg_test_/);
    expect(text).not.toContain(rows[0].hash.toString('hex'));
  });

  it('of a calibration contains its labels and whether it applies', async () => {
    const { calibrations } = await project.graphql(`{ calibrations(first: 1) { edges { node {
      version weightsVersion retiredAt applied fraudLabels honestLabels scores } } } }`);
    expect(calibrations.edges[0].node).toEqual({
      ...{ version: 6, weightsVersion: 'earlier', retiredAt: null, applied: false },
      ...{ fraudLabels: 20, honestLabels: 186, scores: ['VPN', 'BOT'] },
    });
  });

  it('reads the labels and scores of a page of calibrations in one statement, if they are selected', async () => {
    const read = async (fields: string) => {
      gateway.takeStatements();
      const { calibrations } = await project.graphql(
        `{ calibrations { edges { node { version ${fields} } } } }`,
      );
      const sent = gateway.takeStatements().filter((name) => /^(calibration\.|prisma:)/.test(name));
      return { nodes: calibrations.edges.map(({ node }: { node: Body }) => node), sent };
    };
    expect((await read('weightsVersion retiredAt')).sent).toEqual(['prisma:SELECT']);
    const { nodes, sent } = await read('fraudLabels honestLabels scores');
    expect(sent).toEqual(['prisma:SELECT', 'calibration.summaries']);
    expect(nodes.map(({ version, honestLabels }: Body) => honestLabels - version)).toEqual(
      nodes.map(() => 180),
    );
    expect(nodes.length).toBeGreaterThan(1);
  });
});

type Page = { first?: number; last?: number; after?: string; before?: string };
type Listing = { name: string; total: number; read(page: Page): Promise<Body>; insert?(): Promise<unknown> };

const PAGE = 'first: $first, after: $after, last: $last, before: $before';
const PARAMETERS = '$first: Int, $after: String, $last: Int, $before: String';
const SHOWN =
  'totalCount { value isExact } edges { cursor node { key: id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

const rootField =
  (field: string, args = '', shown = SHOWN) =>
  async (page: Page) =>
    (await project.graphql(`query (${PARAMETERS}) { ${field}(${PAGE} ${args}) { ${shown} } }`, page))[field];

const nodeField =
  (type: string, field: string, args = '', shown = SHOWN) =>
  async (page: Page) =>
    (
      await project.graphql(
        `query ($id: ID!, ${PARAMETERS}) { node(id: $id) { ... on ${type} { ${field}(${PAGE} ${args}) { ${shown} } } } }`,
        { id: ids[type], ...page },
      )
    ).node[field];

const LISTINGS: readonly Listing[] = [
  { name: 'lists', total: 10, read: rootField('lists'), insert: () => list(project) },
  { name: 'List.members', total: 7, read: nodeField('List', 'members') },
  { name: 'rules', total: 5, read: rootField('rules') },
  {
    name: 'rules with archived ones',
    total: 7,
    read: rootField('rules', 'states: [ARCHIVED, DRAFT, ENABLED]'),
  },
  { name: 'Rule.versions', total: 7, read: nodeField('Rule', 'versions') },
  {
    name: 'Rule.matches',
    total: 7,
    read: nodeField('Rule', 'matches', 'shadow: false'),
    insert: () => project.authenticate({ id: unique('later') }),
  },
  { name: 'backtests', total: 6, read: rootField('backtests') },
  {
    name: 'Backtest.matches',
    total: 7,
    read: nodeField('Backtest', 'matches', '', SHOWN.replace('key: id', 'key: decisionId')),
  },
  { name: 'auditLog of lists', total: 7, read: rootField('auditLog', 'filter: { actions: [LIST_CREATE] }') },
  {
    name: 'apiKeys',
    total: 8,
    read: rootField('apiKeys'),
    insert: () => gateway.app.projects.createKey(project.projectId, 'read'),
  },
  { name: 'calibrations', total: 6, read: rootField('calibrations') },
  {
    name: 'webhookEndpoints',
    total: 6,
    read: rootField('webhookEndpoints'),
    insert: () => project.graphql(CREATE_ENDPOINT),
  },
];

const keysOf = ({ edges }: Body): string[] => edges.map(({ node }: Body) => node.key);

/** The keys of all pages of two, in the order of the connection, with a write after each page. */
async function walk({ read, insert }: Listing, isBackward: boolean): Promise<string[]> {
  const keys: string[] = [];
  for (let page: Page = isBackward ? { last: 2 } : { first: 2 }; ; ) {
    const connection = await read(page);
    expect(connection.edges.length).toBeLessThanOrEqual(2);
    if (isBackward) keys.unshift(...keysOf(connection));
    else keys.push(...keysOf(connection));
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = connection.pageInfo;
    if (!(isBackward ? hasPreviousPage : hasNextPage)) return keys;
    page = isBackward ? { last: 2, before: startCursor } : { first: 2, after: endCursor };
    // Every second page: with more, reading towards new rows would never end.
    if (keys.length % 4 === 0) await insert?.();
  }
}

describe('a connection of operators', () => {
  it.each(LISTINGS)('contains each row once forwards and backwards: $name', async (listing) => {
    const whole = await listing.read({ first: 100 });
    const keys = keysOf(whole);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.length).toBeGreaterThanOrEqual(listing.total);
    expect(whole.totalCount).toEqual({ value: keys.length, isExact: true });
    const middle = whole.edges[1].cursor;
    expect(keysOf(await listing.read({ first: 1, after: middle }))).toEqual([keys[2]]);
    expect(keysOf(await listing.read({ last: 1, before: middle }))).toEqual([keys[0]]);
    const known = new Set(keys);
    for (const isBackward of [false, true]) {
      const walked = await walk(listing, isBackward);
      expect(new Set(walked).size).toBe(walked.length);
      expect(walked.filter((key) => known.has(key))).toEqual(keys);
    }
  });

  it('rejects a cursor of another connection, parent or filter', async () => {
    const { cursor } = (await LISTINGS[0]!.read({ first: 1 })).edges[0];
    for (const { read } of LISTINGS.slice(1))
      await expect(read({ first: 1, after: cursor })).rejects.toThrow(/input\.invalid/);
    const { cursor: archived } = (await LISTINGS[3]!.read({ first: 1 })).edges[0];
    await expect(LISTINGS[2]!.read({ first: 1, after: archived })).rejects.toThrow(/input\.invalid/);
  });

  it('counts up to 10,000', async () => {
    const full = await gateway.project();
    const count = async () =>
      (await full.graphql('{ auditLog(first: 1) { totalCount { value isExact } } }')).auditLog.totalCount;
    const write = (rows: number) =>
      system.query(
        `insert into audit_log (project_id, audit_id, actor, action, target)
         select $1, gen_random_uuid(), 'system', 'list.update', 'list:x' from generate_series(1, $2)`,
        [full.projectId, rows],
      );
    await write(9999);
    expect(await count()).toEqual({ value: 10_000, isExact: true });
    await write(1);
    expect(await count()).toEqual({ value: 10_000, isExact: false });
  });

  it('needs one statement for any number of parents', async () => {
    gateway.takeStatements();
    const { rules, backtests, lists } = await project.graphql(`{
      rules(first: 50) { edges { node {
        versions(first: 2) { totalCount { value } edges { node { rule { name } } } }
        matches(first: 3) { totalCount { value } edges { node {
          account { accountId } session { sessionId } rule { name } ruleVersion { version } } } } } } }
      backtests(first: 50) { edges { node { sample { accountId }
        matches(last: 2) { totalCount { value } edges { node { accountId decisionRecord { accountScore accountId flags } } } } } } }
      lists(first: 50) { edges { node { members(first: 2) { totalCount { value } edges { node { accountId } } } } } } }`);
    const sent = gateway.takeStatements().filter((name) => !/^(set_project|key\.)/.test(name));
    expect(sent.map((name) => name.split(':')[0]).toSorted()).toEqual(
      [
        ...['backtest.count_matches', 'list.count_live_members', 'rule.count_matches', 'rule.list'],
        ...['session.find_many'],
        // Those of matches, and those on lists.
        ...['account.find_many', 'account.find_many'],
        // Versions and matches, each with its rule, and the number of versions; lists and memberships.
        ...['prisma', 'prisma', 'prisma', 'prisma', 'prisma'],
        // Backtests, their matches and their samples, each with its account.
        ...['prisma', 'prisma', 'prisma'],
      ].toSorted(),
    );
    const matched = rules.edges.flatMap(({ node }: Body) => node.matches.edges);
    expect(matched).toHaveLength(3);
    for (const { node } of matched) {
      expect(node).toMatchObject({
        account: { accountId: expect.any(String) },
        ruleVersion: { version: expect.any(Number) },
      });
      expect(node.session.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    }
    for (const { node } of backtests.edges) expect(node.matches.edges).toHaveLength(2);
    expect(lists.edges.length).toBeGreaterThanOrEqual(10);
  });
});

describe('a deleted object', () => {
  it('is named by deletedId, and is no longer a node', async () => {
    const name = await list(project);
    const { list: made } = await project.graphql('query ($name: String!) { list(name: $name) { id } }', {
      name,
    });
    const { deleteList } = await project.graphql(
      'mutation ($name: String!) { deleteList(input: { name: $name }) { deletedId name } }',
      { name },
    );
    expect(deleteList).toEqual({ deletedId: made.id, name });
    expect(await nodesOf(project, [made.id])).toEqual([null]);
  });

  it('is deleted with its matches: an erased account', async () => {
    const by = await gateway.project();
    const rule = await createRule(by, { state: 'ENABLED' });
    await accounts(by, 2);
    await by.authenticate({ id: 'gone' });
    const id = await backtest(by);
    const read = async () => {
      const { backtest: tried, rule: live } = await by.graphql(
        `query ($id: ID!, $rule: ID!) {
          backtest(id: $id) { matched matches { totalCount { value } edges { node { accountId decisionRecord { accountId } } } } }
          rule(id: $rule) { matches { totalCount { value } edges { node { id accountId } } } } }`,
        { id, rule: rule.id },
      );
      expect(tried.matched).toBe(3);
      for (const { node } of tried.matches.edges)
        expect(node.decisionRecord).toEqual({ accountId: node.accountId });
      return [tried.matches, live.matches];
    };
    const [, live] = await read();
    const gone = live.edges.find(({ node }: Body) => node.accountId === 'gone').node.id;
    expect((await by.rest('DELETE', '/account/gone')).status).toBe(200);
    for (const connection of await read()) {
      expect(connection.totalCount.value).toBe(2);
      expect(connection.edges.map(({ node }: Body) => node.accountId)).not.toContain('gone');
    }
    expect(await nodesOf(by, [gone])).toEqual([null]);
  });
});
