import { expect } from 'vitest';
import { until } from '../gateway-process.ts';
import { type Client, unique } from './client.ts';
import type { GraphqlRow } from './graphql-row.ts';
import { CREATE_RULE, createList } from './world.ts';

const edge = (node: unknown) => ({ edges: expect.arrayContaining([{ node }]) });
const LONG_AGO = '2020-01-01T00:00:00Z';

export const START_BACKTEST = `mutation ($input: BacktestRuleInput!) {
  backtestRule(input: $input) { backtest { id backtestState expression } } }`;

/** Backtest of a condition that holds for the sessions of one account. */
export async function startBacktest(client: Client, account: string): Promise<string> {
  const input = { expression: `account.id = "${account}"`, since: LONG_AGO };
  return (await client.graphql(START_BACKTEST, { input })).backtestRule.backtest.id;
}

/** The same, after its end. */
export async function finishBacktest(client: Client, account: string): Promise<string> {
  const id = await startBacktest(client, account);
  const find = 'query ($id: ID!) { backtest(id: $id) { backtestState } }';
  await until(
    'a backtest',
    async () => (await client.graphql(find, { id })).backtest.backtestState === 'DONE',
  );
  return id;
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
      email: null,
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
    field: 'persistedOperations',
    name: 'lists registered documents',
    given: async (client) => {
      const { registerOperations } = await client.graphql(
        `mutation { registerOperations(input: { documents: [{ text: "query Listed { project { name } }" }] }) {
          operations { sha256Hash } } }`,
      );
      return { hash: registerOperations.operations[0].sha256Hash };
    },
    document: '{ persistedOperations { edges { node { sha256Hash operationNames } } } }',
    answer: ({ hash }) => edge({ sha256Hash: hash, operationNames: ['Listed'] }),
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
    field: 'decisions',
    name: 'finds decisions of the project on an account',
    document: `query ($id: ID) { decisions(filter: { accountId: $id, minScore: 0 }) { edges { node { id sessionId } } } }`,
    variables: ({ anna }) => ({ id: anna }),
    answer: ({ decisionId, sessionId }) => ({ edges: [{ node: { id: decisionId, sessionId } }] }),
  },
  {
    field: 'ruleMatches',
    name: 'finds matches of the rules of the project by rule and account',
    given: async (client) => {
      const account = unique('account');
      const input = {
        name: unique('rule'),
        expression: `account.id = "${account}"`,
        trigger: 'ANY_SESSION',
        state: 'ENABLED',
        actions: [{ raiseFlag: 'is_seen' }],
      };
      const { createRule } = await client.graphql(CREATE_RULE, { input });
      const { session_id } = await client.authenticate({ id: account });
      return { account, rule: createRule.rule.id, matched: session_id };
    },
    document: `query ($ruleId: ID, $accountId: ID) { ruleMatches(filter: { ruleId: $ruleId, accountId: $accountId, shadow: false }) {
      edges { node { accountId sessionId } } } }`,
    variables: ({ rule, account }) => ({ ruleId: rule, accountId: account }),
    answer: ({ account, matched }) => ({ edges: [{ node: { accountId: account, sessionId: matched } }] }),
  },
  {
    field: 'replayDecision',
    name: 'makes a stored decision again, with the same outcome',
    document: `query ($id: ID!) { replayDecision(id: $id) { same original { id } otherWeights } }`,
    variables: ({ decisionId }) => ({ id: decisionId }),
    answer: ({ decisionId }) => ({ same: true, original: { id: decisionId }, otherWeights: [] }),
  },
  {
    field: 'stats',
    name: 'counts in days, with the time of each bucket',
    document: `query ($since: DateTime!, $until: DateTime!) { stats(by: DAY, since: $since, until: $until) {
      by since until buckets { start end counts { decisions { real } } } } }`,
    variables: () => ({ since: '2026-01-01T12:00:00Z', until: '2026-01-02T12:00:00Z' }),
    answer: () => ({
      by: 'DAY',
      since: '2026-01-01T00:00:00.000Z',
      until: '2026-01-03T00:00:00.000Z',
      buckets: ['2026-01-01', '2026-01-02'].map((day) => ({
        start: `${day}T00:00:00.000Z`,
        counts: { decisions: { real: 0 } },
      })),
    }),
  },
  {
    field: 'auditLog',
    name: 'records who created a list',
    document: `query ($target: String!) { auditLog(filter: { target: $target, actions: [LIST_CREATE] }) {
      totalCount { value isExact } edges { node { action actorKind target actor } } } }`,
    variables: ({ listName }) => ({ target: `list:${listName}` }),
    answer: ({ listName }) => ({
      totalCount: { value: 1, isExact: true },
      edges: [
        {
          node: {
            action: 'LIST_CREATE',
            actorKind: 'KEY',
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
    document: `query ($id: ID!) { rule(id: $id) { name expression trigger ruleState version actions { raiseFlag } } }`,
    variables: ({ ruleId }) => ({ id: ruleId }),
    answer: ({ anna, ruleName }) => ({
      name: ruleName,
      expression: `account.id = "${anna}"`,
      ...{ trigger: 'ANY_SESSION', ruleState: 'ENABLED', version: 1 },
      actions: [{ raiseFlag: 'is_anna' }],
    }),
  },
  {
    field: 'rules',
    name: 'returns the rules of a state',
    document: `{ rules(first: 100, states: [ENABLED]) { edges { node { id ruleState } } } }`,
    answer: ({ ruleId }) => edge({ id: ruleId, ruleState: 'ENABLED' }),
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
    given: async (client, { carl }) => ({ id: await finishBacktest(client, carl) }),
    document: `query ($id: ID!) { backtest(id: $id) { id backtestState matched matchedAccounts sample { accountId }
      matches { totalCount { value } edges { node { accountId decision } } } } }`,
    variables: ({ id }) => ({ id }),
    answer: ({ id, carl }) => ({
      id,
      backtestState: 'DONE',
      matched: 1,
      matchedAccounts: 1,
      sample: [{ accountId: carl }],
      matches: {
        totalCount: { value: 1 },
        edges: [{ node: { accountId: carl, decision: expect.any(String) } }],
      },
    }),
  },
  {
    field: 'backtests',
    name: 'returns the backtests of the project',
    given: async (client, { bert }) => ({ id: await startBacktest(client, bert) }),
    document: `{ backtests(first: 5) { edges { node { id expression } } } }`,
    answer: ({ id, bert }) => edge({ id, expression: `account.id = "${bert}"` }),
  },
];

const LIST_QUERIES: readonly GraphqlRow[] = [
  {
    field: 'testRule',
    name: 'evaluates a condition on a session, step by step',
    document: `query ($expression: String!, $sessionId: ID!) { testRule(expression: $expression, sessionId: $sessionId) {
      matched decisionId trace { outcome text } } }`,
    variables: ({ anna, sessionId }) => ({ expression: `account.id = "${anna}"`, sessionId }),
    answer: ({ anna }) => ({
      ...{ matched: true, decisionId: expect.any(String) },
      trace: expect.arrayContaining([{ outcome: 'TRUE', text: `account.id = "${anna}"` }]),
    }),
  },
  {
    field: 'apiKeys',
    name: 'returns the keys of the project, without the keys themselves',
    document: `{ apiKeys(last: 1) { totalCount { isExact } edges { node { role prefix revokedAt } } } }`,
    answer: () => ({
      totalCount: { isExact: true },
      edges: [{ node: { role: 'OPERATOR', prefix: expect.stringMatching(/^vg_test_/), revokedAt: null } }],
    }),
  },
  {
    field: 'calibrations',
    name: 'returns no calibration of a project that fitted none',
    document: `{ calibrations { totalCount { value isExact } edges { node { version } } } }`,
    answer: () => ({ totalCount: { value: 0, isExact: true }, edges: [] }),
  },
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
    document: `{ lists(first: 100) { edges { node { name effect } } } }`,
    answer: ({ listName }) => ({
      edges: expect.arrayContaining([
        { node: { name: listName, effect: 'NONE' } },
        { node: { name: 'block', effect: 'BLOCK' } },
        { node: { name: 'allow', effect: 'ALLOW' } },
      ]),
    }),
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
    document: `query ($id: ID!) { emailCheck(id: $id) { id checkId checkStatus email emailResult { domain { fqdn type } } } }`,
    variables: ({ nodes }) => ({ id: nodes.check }),
    answer: ({ nodes, checkId, email, domain }) => ({
      ...{ id: nodes.check, checkId, checkStatus: 'SUCCESS', email },
      emailResult: { domain: { fqdn: domain, type: 'BUSINESS' } },
    }),
  },
  {
    field: 'emailBatch',
    name: 'returns a batch with its checks in the order sent',
    document: `query ($id: ID!) { emailBatch(id: $id) { id batchId batchName counts { total failed }
      checks { totalCount { value isExact } edges { node { email batch { id } } } } } }`,
    variables: ({ nodes }) => ({ id: nodes.batch }),
    answer: ({ nodes, batchId, email, domain }) => ({
      ...{ id: nodes.batch, batchId, batchName: 'Both', counts: { total: 2, failed: 0 } },
      checks: {
        totalCount: { value: 2, isExact: true },
        edges: [email, `bert@${domain}`].map((each) => ({
          node: { email: each, batch: { id: nodes.batch } },
        })),
      },
    }),
  },
  {
    field: 'emailBatches',
    name: 'returns the completed batches',
    document: `{ emailBatches(status: COMPLETED, first: 50) { edges { node { id batchStatus } } } }`,
    answer: ({ nodes }) => edge({ id: nodes.batch, batchStatus: 'COMPLETED' }),
  },
  {
    field: 'emailImport',
    name: 'returns an import with its columns and progress',
    document: `query ($id: ID!) { emailImport(id: $id) { id importId importName importStatus emailColumn
      counts { rows received completed } problems { totalCount { value } } } }`,
    variables: ({ nodes }) => ({ id: nodes.import }),
    answer: ({ nodes, importId }) => ({
      ...{
        id: nodes.import,
        importId,
        importName: 'Customers',
        importStatus: 'COMPLETED',
        emailColumn: 'email',
      },
      ...{ counts: { rows: 2, received: 2, completed: 2 }, problems: { totalCount: { value: 0 } } },
    }),
  },
  {
    field: 'emailImports',
    name: 'returns the imports of the project',
    document: `{ emailImports(first: 50) { edges { node { id importName } } } }`,
    answer: ({ nodes }) => edge({ id: nodes.import, importName: 'Customers' }),
  },
  {
    field: 'pendingListMembers',
    name: 'returns the entry of a list that waits for an account',
    given: async (client) => {
      const unknown = unique('unknown');
      await client.graphql(
        'mutation ($input: AllowAccountInput!) { allowAccount(input: $input) { requestId } }',
        { input: { accountId: unknown, reason: 'Partner' } },
      );
      return { unknown };
    },
    document: `query ($id: ID) { pendingListMembers(filter: { accountId: $id }) {
      edges { node { accountId reason list { name } expiresAt } } } }`,
    variables: ({ unknown }) => ({ id: unknown }),
    answer: ({ unknown }) =>
      edge({ accountId: unknown, reason: 'Partner', list: { name: 'allow' }, expiresAt: null }),
  },
  {
    field: 'verification',
    name: 'returns a verification with its simulated result',
    document: `query ($id: ID!) { verification(sessionId: $id) { sessionId kind state decision riskFlags simulated
      resultError documentData { userData { dateOfBirth } } } }`,
    variables: ({ idCheck }) => ({ id: idCheck }),
    answer: ({ idCheck }) => ({
      ...{ sessionId: idCheck, kind: 'ID_CHECK', state: 'COMPLETED', decision: 'FAKE' },
      ...{ riskFlags: ['DIGITAL_ID'], simulated: true, resultError: null },
      documentData: { userData: { dateOfBirth: '1990-06-15' } },
    }),
  },
  {
    field: 'verifications',
    name: 'finds verifications by kind and decision',
    document: `{ verifications(filter: { kind: ID_CHECK, decision: FAKE }) { edges { node { sessionId } } } }`,
    answer: ({ idCheck }) => edge({ sessionId: idCheck }),
  },
  {
    field: 'identityMatch',
    name: 'reports a match of a face check that is simulated as REAL',
    document: `query ($sessionId: ID!, $accountId: ID!) {
      identityMatch(sessionId: $sessionId, accountId: $accountId) { match } }`,
    variables: ({ faceCheck, enrolled }) => ({ sessionId: faceCheck, accountId: enrolled }),
    answer: () => ({ match: true }),
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
    document: `query ($id: ID!) { webhookEndpoint(id: $id) { id url description eventTypes endpointState } }`,
    variables: ({ endpointId }) => ({ id: endpointId }),
    answer: ({ endpointId, receiver }) => ({
      ...{ id: endpointId, url: receiver.url('/world'), description: 'Of the world' },
      ...{ eventTypes: ['LIST_ACCOUNT_ADDED'], endpointState: 'ENABLED' },
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
    field: 'webhookDeliveries',
    name: 'finds deliveries of the project by endpoint and type',
    given: async (client, { endpointId, bert }) => {
      await createList(client, [bert]);
      const find = `query ($id: ID) { webhookDeliveries(filter: { endpointId: $id }) { edges { node { id } } } }`;
      await until(
        'a delivery',
        async () => (await client.graphql(find, { id: endpointId })).webhookDeliveries.edges.length > 0,
      );
      return {};
    },
    document: `query ($id: ID) { webhookDeliveries(filter: { endpointId: $id, eventType: LIST_ACCOUNT_ADDED }, first: 1) {
      edges { node { endpoint { id } eventType } } } }`,
    variables: ({ endpointId }) => ({ id: endpointId }),
    answer: ({ endpointId }) => ({
      edges: [{ node: { endpoint: { id: endpointId }, eventType: 'LIST_ACCOUNT_ADDED' } }],
    }),
  },
  {
    field: 'webhookAttempts',
    name: 'returns the last attempt with its delivery and endpoint',
    given: async (client, { bert }) => {
      await createList(client, [bert]);
      const find = '{ webhookAttempts(first: 1) { edges { node { attemptId } } } }';
      await until('an attempt', async () => (await client.graphql(find)).webhookAttempts.edges.length > 0);
      return {};
    },
    document: '{ webhookAttempts(first: 1) { edges { node { attemptId delivery { endpoint { id } } } } } }',
    variables: () => ({}),
    answer: ({ endpointId }) => ({
      edges: [{ node: { attemptId: expect.any(String), delivery: { endpoint: { id: endpointId } } } }],
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
