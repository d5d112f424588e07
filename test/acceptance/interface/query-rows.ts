import { expect } from 'vitest';
import { until } from '../gateway-process.ts';
import type { Client } from './client.ts';
import type { GraphqlRow } from './graphql-row.ts';

const edge = (node: unknown) => ({ edges: expect.arrayContaining([{ node }]) });
const LONG_AGO = '2020-01-01T00:00:00Z';

export const START_BACKTEST = `mutation ($expression: String!, $since: DateTime!) {
  backtestRule(expression: $expression, since: $since) { backtest { id state expression } } }`;

/** Backtest of a condition that holds for the sessions of one account. */
export async function startBacktest(client: Client, account: string): Promise<string> {
  const variables = { expression: `account.id = "${account}"`, since: LONG_AGO };
  return (await client.graphql(START_BACKTEST, variables)).backtestRule.backtest.id;
}

const ACCOUNT_QUERIES: readonly GraphqlRow[] = [
  {
    field: 'account',
    name: 'returns an account with its latest session, lists and links',
    document: `query ($id: ID!) { account(accountId: $id) { accountId email numSessions lastSession { sessionId }
      lists { name } linkedAccounts { edges { node { accountId } matchTypes } } } }`,
    variables: ({ carl }) => ({ id: carl }),
    answer: ({ carl, bert }) => ({
      accountId: carl,
      email: '',
      numSessions: 1,
      lists: [],
      linkedAccounts: { edges: [{ node: { accountId: bert }, matchTypes: ['USERNAME'] }] },
    }),
  },
  {
    field: 'accounts',
    name: 'finds accounts by an identifier',
    document: `query ($username: String!) { accounts(filter: { username: $username }) { edges { node { accountId } } } }`,
    variables: ({ username }) => ({ username }),
    answer: ({ bert, carl }) => ({
      edges: expect.toSatisfy((edges) => namesOf(edges).join() === [bert, carl].sort().join()),
    }),
  },
  {
    field: 'session',
    name: 'returns a session with its network and reasons',
    document: `query ($id: ID!) { session(sessionId: $id) { sessionId accountIds simulated network { ipAddress }
      riskSignalDetails { network { code } } } }`,
    variables: ({ sessionId }) => ({ id: sessionId }),
    answer: ({ sessionId, anna }) => ({
      sessionId,
      accountIds: [anna],
      simulated: true,
      network: { ipAddress: '8.8.8.8' },
      riskSignalDetails: { network: expect.arrayContaining([{ code: 'IP_IN_DATACENTER_RANGE' }]) },
    }),
  },
  {
    field: 'sessions',
    name: 'finds sessions by their country, the oldest first on request',
    document: `query { sessions(filter: { countryCode: "US" }, orderBy: { field: START_TIME, direction: ASC }, first: 50) { edges { node { sessionId } } } }`,
    answer: ({ sessionId }) => edge({ sessionId }),
  },
  {
    field: 'node',
    name: 'returns an object by its global id',
    document: `query ($id: ID!) { node(id: $id) { id ... on Account { accountId } } }`,
    variables: ({ nodeId }) => ({ id: nodeId }),
    answer: ({ nodeId, anna }) => ({ id: nodeId, accountId: anna }),
  },
  {
    field: 'nodes',
    name: 'returns objects in the order of their ids, and null for an unknown id',
    document: `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Account { accountId } } }`,
    variables: ({ nodeId }) => ({ ids: ['unknown', nodeId] }),
    answer: ({ anna }) => [null, { accountId: anna }],
  },
  {
    field: 'queryCost',
    name: 'returns the cost of its document',
    document: '{ queryCost { cost limit costliestField } }',
    answer: () => ({ cost: 4, limit: 20_000, costliestField: 'queryCost' }),
  },
  {
    field: 'project',
    name: 'returns the project of the key',
    document: '{ project { projectId environment name } }',
    answer: ({ projectId }) => ({ projectId, environment: 'SANDBOX', name: 'Sandbox' }),
  },
];

const LINK_QUERIES: readonly GraphqlRow[] = [
  {
    field: 'scoreSession',
    name: 'scores a session without binding it',
    given: async (client) => ({ fresh: await client.session({ ip_address: '8.8.8.8' }) }),
    document: `query ($id: ID!) { scoreSession(sessionId: $id) { accountsLinked session { sessionId accountIds } } }`,
    variables: ({ fresh }) => ({ id: fresh.session_id }),
    answer: ({ fresh }) => ({
      accountsLinked: 0,
      session: { sessionId: fresh.session_id, accountIds: [] },
    }),
  },
  {
    field: 'identityGroup',
    name: 'returns the accounts of one person',
    document: `query ($id: ID!) { identityGroup(id: $id) { groupId size accounts { edges { node { accountId } } } } }`,
    variables: ({ groupId }) => ({ id: Buffer.from(`IdentityGroup:${groupId}`).toString('base64') }),
    answer: ({ groupId, anna }) => ({
      groupId,
      size: expect.toSatisfy((size) => size >= 3),
      accounts: edge({ accountId: anna }),
    }),
  },
  {
    field: 'linkGraph',
    name: 'returns the accounts around one, level by level',
    document: `query ($id: ID!) { linkGraph(accountId: $id, depth: 1) { nodes { account { accountId } depth }
      edges { from to matchTypes } truncated } }`,
    variables: ({ carl }) => ({ id: carl }),
    answer: ({ bert, carl }) => ({
      nodes: [
        { account: { accountId: carl }, depth: 0 },
        { account: { accountId: bert }, depth: 1 },
      ],
      edges: [{ matchTypes: ['USERNAME'] }],
      truncated: false,
    }),
  },
  {
    field: 'linkPath',
    name: 'returns the shortest way between two accounts',
    document: `query ($from: ID!, $to: ID!) { linkPath(from: $from, to: $to) { nodes { account { accountId } } hops { matchTypes } } }`,
    variables: ({ anna, carl }) => ({ from: anna, to: carl }),
    answer: ({ anna, bert, carl }) => ({
      nodes: [
        { account: { accountId: anna } },
        { account: { accountId: bert } },
        { account: { accountId: carl } },
      ],
      hops: [{ matchTypes: ['PHONE'] }, { matchTypes: ['USERNAME'] }],
    }),
  },
  {
    field: 'whyNotLinked',
    name: 'says that two accounts of one group share nothing themselves',
    document: `query ($a: ID!, $b: ID!) { whyNotLinked(a: $a, b: $b) { linked sameGroup evidence { kind } } }`,
    variables: ({ anna, carl }) => ({ a: anna, b: carl }),
    answer: () => ({ linked: false, sameGroup: true, evidence: [] }),
  },
];

const DECISION_QUERIES: readonly GraphqlRow[] = [
  {
    field: 'decision',
    name: 'returns a stored decision',
    document: `query ($id: ID!) { decision(id: $id) { id decisionId accountId sessionId requestId firstSession } }`,
    variables: ({ decisionId }) => ({ id: decisionId }),
    answer: ({ decisionId, anna, sessionId, requestId }) => ({
      ...{ id: decisionId, decisionId: expect.any(String), accountId: anna, sessionId, requestId },
      firstSession: true,
    }),
  },
  {
    field: 'replayDecision',
    name: 'makes a stored decision again, with the same outcome',
    document: `query ($id: ID!) { replayDecision(id: $id) { same original { id } otherWeights } }`,
    variables: ({ decisionId }) => ({ id: decisionId }),
    answer: ({ decisionId }) => ({ same: true, original: { id: decisionId }, otherWeights: [] }),
  },
  {
    field: 'auditLog',
    name: 'records who created a list',
    document: `query ($target: String!) { auditLog(filter: { target: $target, action: "list.create" }) {
      edges { node { action target actor } } } }`,
    variables: ({ listName }) => ({ target: `list:${listName}` }),
    answer: ({ listName }) => ({
      edges: [
        {
          node: {
            action: 'list.create',
            target: `list:${listName}`,
            actor: expect.stringMatching(/^vg_test_/),
          },
        },
      ],
    }),
  },
  {
    field: 'rule',
    name: 'returns a rule with its condition and actions',
    document: `query ($id: ID!) { rule(id: $id) { name expression trigger state version actions { raiseFlag } } }`,
    variables: ({ ruleId }) => ({ id: ruleId }),
    answer: ({ anna, ruleName }) => ({
      name: ruleName,
      expression: `account.id = "${anna}"`,
      ...{ trigger: 'ANY_SESSION', state: 'ENABLED', version: 1 },
      actions: [{ raiseFlag: 'is_anna' }],
    }),
  },
  {
    field: 'rules',
    name: 'returns the rules of a state',
    document: `{ rules(states: [ENABLED]) { id state } }`,
    answer: ({ ruleId }) => expect.arrayContaining([{ id: ruleId, state: 'ENABLED' }]),
  },
  {
    field: 'builtInRules',
    name: 'returns the rules that come with the service',
    document: `{ builtInRules { key trigger } }`,
    answer: () => expect.arrayContaining([{ key: 'disposable_email_and_vpn', trigger: expect.any(String) }]),
  },
  {
    field: 'backtest',
    name: 'returns a backtest that found the one decision of an account',
    given: async (client, { carl }) => {
      const id = await startBacktest(client, carl);
      const find = 'query ($id: ID!) { backtest(id: $id) { state } }';
      await until('a backtest', async () => (await client.graphql(find, { id })).backtest.state === 'DONE');
      return { id };
    },
    document: `query ($id: ID!) { backtest(id: $id) { id state matched matchedAccounts sample { accountId } } }`,
    variables: ({ id }) => ({ id }),
    answer: ({ id, carl }) => ({
      id,
      state: 'DONE',
      matched: 1,
      matchedAccounts: 1,
      sample: [{ accountId: carl }],
    }),
  },
  {
    field: 'backtests',
    name: 'returns the backtests of the project',
    given: async (client, { bert }) => ({ id: await startBacktest(client, bert) }),
    document: `{ backtests(first: 5) { id expression } }`,
    answer: ({ id, bert }) => expect.arrayContaining([{ id, expression: `account.id = "${bert}"` }]),
  },
];

const LIST_QUERIES: readonly GraphqlRow[] = [
  {
    field: 'list',
    name: 'returns a list with the accounts on it',
    document: `query ($name: String!) { list(name: $name) { name description effect standard memberCount
      members { edges { node { accountId } } } } }`,
    variables: ({ listName }) => ({ name: listName }),
    answer: ({ listName, anna }) => ({
      ...{ name: listName, description: 'Friends of the house', effect: 'NONE', standard: false },
      memberCount: 1,
      members: { edges: [{ node: { accountId: anna } }] },
    }),
  },
  {
    field: 'lists',
    name: 'returns all lists, the standard ones among them',
    document: `{ lists { name effect } }`,
    answer: ({ listName }) =>
      expect.arrayContaining([
        { name: listName, effect: 'NONE' },
        { name: 'block', effect: 'BLOCK' },
        { name: 'allow', effect: 'ALLOW' },
      ]),
  },
];

const CHECK_QUERIES: readonly GraphqlRow[] = [
  {
    field: 'checkPhone',
    name: 'describes a national number with the country given',
    document: `{ checkPhone(phoneNumber: "030 901820", country: "DE") { valid e164 country callingCode region } }`,
    answer: () => ({ valid: true, e164: '+4930901820', country: 'DE', callingCode: '49', region: 'Berlin' }),
  },
  {
    field: 'emailCheck',
    name: 'returns an email check with its result',
    document: `query ($id: ID!) { emailCheck(id: $id) { id status email result { domain { fqdn } } } }`,
    variables: ({ checkId }) => ({ id: checkId }),
    answer: ({ checkId, email, domain }) => ({
      ...{ id: checkId, status: 'SUCCESS', email },
      result: { domain: { fqdn: domain } },
    }),
  },
  {
    field: 'emailBatch',
    name: 'returns a batch with its checks in the order sent',
    document: `query ($id: ID!) { emailBatch(id: $id) { id name totalCount checks { edges { node { email } } } } }`,
    variables: ({ batchId }) => ({ id: batchId }),
    answer: ({ batchId, email, domain }) => ({
      ...{ id: batchId, name: 'Both', totalCount: 2 },
      checks: { edges: [{ node: { email } }, { node: { email: `bert@${domain}` } }] },
    }),
  },
  {
    field: 'emailBatches',
    name: 'returns the completed batches',
    document: `{ emailBatches(status: COMPLETED, first: 50) { edges { node { id status } } } }`,
    answer: ({ batchId }) => edge({ id: batchId, status: 'COMPLETED' }),
  },
  {
    field: 'emailImport',
    name: 'returns an import with its columns and progress',
    document: `query ($id: ID!) { emailImport(id: $id) { id name status emailColumn rowsReceived completedCount } }`,
    variables: ({ importId }) => ({ id: importId }),
    answer: ({ importId }) => ({
      ...{ id: importId, name: 'Customers', status: 'COMPLETED', emailColumn: 'email' },
      ...{ rowsReceived: 2, completedCount: 2 },
    }),
  },
  {
    field: 'emailImports',
    name: 'returns the imports of the project',
    document: `{ emailImports(first: 50) { edges { node { id name } } } }`,
    answer: ({ importId }) => edge({ id: importId, name: 'Customers' }),
  },
  {
    field: 'verification',
    name: 'returns a verification with its simulated result',
    document: `query ($id: ID!) { verification(sessionId: $id) { sessionId kind state decision riskFlags simulated } }`,
    variables: ({ idCheck }) => ({ id: idCheck }),
    answer: ({ idCheck }) => ({
      ...{ sessionId: idCheck, kind: 'ID_CHECK', state: 'COMPLETED', decision: 'FAKE' },
      ...{ riskFlags: ['digital_id'], simulated: true },
    }),
  },
  {
    field: 'verifications',
    name: 'finds verifications by kind and decision',
    document: `{ verifications(filter: { kind: ID_CHECK, decision: FAKE }) { edges { node { sessionId } } } }`,
    answer: ({ idCheck }) => edge({ sessionId: idCheck }),
  },
];

const EVENT_QUERIES: readonly GraphqlRow[] = [
  {
    field: 'events',
    name: 'returns the stored events of an account',
    document: `query ($id: ID!) { events(accountId: $id, types: [ACCOUNT_AUTHENTICATED]) {
      edges { node { type accountId sessionId data } } headCursor } }`,
    variables: ({ anna }) => ({ id: anna }),
    answer: ({ anna, sessionId }) => ({
      edges: [
        { node: { type: 'ACCOUNT_AUTHENTICATED', accountId: anna, sessionId, data: { account_id: anna } } },
      ],
      headCursor: expect.any(String),
    }),
  },
  {
    field: 'webhookEndpoint',
    name: 'returns a webhook endpoint',
    document: `query ($id: ID!) { webhookEndpoint(id: $id) { id url description eventTypes state } }`,
    variables: ({ endpointId }) => ({ id: endpointId }),
    answer: ({ endpointId, receiver }) => ({
      ...{ id: endpointId, url: receiver.url('/world'), description: 'Of the world' },
      ...{ eventTypes: ['LIST_ACCOUNT_ADDED'], state: 'ENABLED' },
    }),
  },
  {
    field: 'webhookEndpoints',
    name: 'returns all webhook endpoints',
    document: `{ webhookEndpoints { edges { node { id url } } totalCount { isExact } } }`,
    answer: ({ endpointId, receiver }) => ({
      edges: expect.arrayContaining([{ node: { id: endpointId, url: receiver.url('/world') } }]),
      totalCount: { isExact: true },
    }),
  },
  {
    field: 'simulateWebhook',
    name: 'returns that an endpoint does not receive a type that it did not select',
    document: `query ($id: ID!) { simulateWebhook(endpointId: $id, type: RULE_CUSTOM) { wouldDeliver reason } }`,
    variables: ({ endpointId }) => ({ id: endpointId }),
    answer: () => ({ wouldDeliver: false, reason: 'TYPE_NOT_CHOSEN' }),
  },
];

const namesOf = (edges: { node: { accountId: string } }[]) => edges.map(({ node }) => node.accountId).sort();

/** Every field of Query, once. */
export const QUERY_ROWS: readonly GraphqlRow[] = [
  ...ACCOUNT_QUERIES,
  ...LINK_QUERIES,
  ...DECISION_QUERIES,
  ...LIST_QUERIES,
  ...CHECK_QUERIES,
  ...EVENT_QUERIES,
];
