import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Body, type Gateway, startGateway } from '../../support/gateway.ts';
import { expectAlike, type Ids, stateOf, type TwoProjects, twoProjects } from '../../support/two-projects.ts';

/*
 * A request with an id of another project is answered exactly as with an unknown id, on every field of queries
 * and mutations: the cases are checked against the schema, so that a new field needs its case here.
 */
let gateway: Gateway;
let both: TwoProjects;
let before: Body;

beforeAll(async () => {
  gateway = await startGateway();
  both = await twoProjects(gateway);
  before = await stateOf(both.theirs);
});
afterAll(() => gateway.close());

type GraphqlCase = { query: string; variables: (ids: Ids) => Record<string, unknown> };
const PAGE = '{ edges { node { id } } pageInfo { hasNextPage } }';
const input = (type: string, field: string, fields: string, make: (ids: Ids) => Body): GraphqlCase => ({
  query: `mutation ($input: ${type}!) { ${field}(input: $input) { ${fields} } }`,
  variables: (ids) => ({ input: make(ids) }),
});
const filtered = (make: (ids: Ids) => Body): GraphqlCase => ({
  query: `query ($filter: AccountFilter) { accounts(filter: $filter) ${PAGE} }`,
  variables: (ids) => ({ filter: make(ids) }),
});
const GRAPHQL_CASES: Record<string, GraphqlCase[]> = {
  account: [
    {
      query: 'query ($id: ID!) { account(accountId: $id) { id } }',
      variables: ({ account }) => ({ id: account }),
    },
    {
      query: `query ($after: String) { account(accountId: "same") { linkedAccounts(after: $after) ${PAGE} } }`,
      variables: ({ cursors }) => ({ after: cursors.linked }),
    },
    {
      query: `query ($after: String) { account(accountId: "same") { sessions(after: $after) ${PAGE} } }`,
      variables: ({ cursors }) => ({ after: cursors.sessions }),
    },
  ],
  accounts: [
    {
      query: `query ($after: String) { accounts(first: 1, after: $after) ${PAGE} }`,
      variables: ({ cursors }) => ({ after: cursors.accounts }),
    },
    filtered(({ phone }) => ({ phone })),
    filtered(({ email }) => ({ email })),
    filtered(({ list }) => ({ list })),
  ],
  eraseEmail: [
    input('EraseEmailInput', 'eraseEmail', 'checks events deliveries', ({ email }) => ({ email })),
  ],
  emailCheck: [
    {
      query: 'query ($id: ID!) { emailCheck(id: $id) { id email } }',
      variables: ({ emailCheck }) => ({ id: globalIdOf('EmailCheck', emailCheck) }),
    },
  ],
  emailBatch: [
    {
      query: `query ($id: ID!) { emailBatch(id: $id) { id batchName checks ${PAGE} } }`,
      variables: ({ emailBatch }) => ({ id: globalIdOf('EmailBatch', emailBatch) }),
    },
  ],
  emailBatches: [
    {
      query: `query ($after: String) { emailBatches(first: 1, after: $after) ${PAGE} }`,
      variables: ({ cursors }) => ({ after: cursors.emailBatches }),
    },
    {
      query: `query ($after: String) { emailBatches { edges { node { checks(after: $after) ${PAGE} } } } }`,
      variables: ({ cursors }) => ({ after: cursors.emailChecks }),
    },
  ],
  checkPhone: [
    {
      query: `query ($phone: String!) { checkPhone(phoneNumber: $phone) {
        history { firstSeen lastSeen accounts sessions countries lists { name } fakeAccounts } } }`,
      variables: ({ phone }) => ({ phone }),
    },
  ],
  emailImport: [
    {
      query:
        'query ($id: ID!) { emailImport(id: $id) { id importName counts { received } problems { edges { node { line } } } } }',
      variables: ({ emailImport }) => ({ id: globalIdOf('EmailImport', emailImport) }),
    },
  ],
  emailImports: [
    {
      query: `query ($after: String) { emailImports(first: 1, after: $after) ${PAGE} }`,
      variables: ({ cursors }) => ({ after: cursors.emailImports }),
    },
  ],
  auditLog: [
    {
      query: `query ($after: String) { auditLog(first: 1, after: $after) ${PAGE} }`,
      variables: ({ cursors }) => ({ after: cursors.audit }),
    },
    {
      query: `query ($id: ID!) { auditLog(accountId: $id) ${PAGE} }`,
      variables: ({ account }) => ({ id: account }),
    },
    {
      query: `query ($target: String!) { auditLog(filter: { target: $target }) ${PAGE} }`,
      variables: ({ list }) => ({ target: `list:${list}` }),
    },
  ],
  events: [
    {
      query: `query ($after: String) { events(after: $after) { edges { node { id } } } }`,
      variables: ({ cursors }) => ({ after: cursors.events }),
    },
    {
      query: `query ($id: ID) { events(accountId: $id) { edges { node { id } } } }`,
      variables: ({ account }) => ({ id: account }),
    },
    {
      query: `query ($id: ID) { events(sessionId: $id) { edges { node { id } } } }`,
      variables: ({ session }) => ({ id: session }),
    },
  ],
  identityGroup: [
    {
      query: 'query ($id: ID!) { identityGroup(id: $id) { groupId size } }',
      variables: ({ identityGroup }) => ({ id: identityGroup }),
    },
  ],
  linkGraph: [
    {
      query: 'query ($id: ID!) { linkGraph(accountId: $id) { nodes { account { id } } truncated } }',
      variables: ({ account }) => ({ id: account }),
    },
  ],
  linkPath: [
    {
      query: 'query ($id: ID!) { linkPath(from: "same", to: $id) { hops { from to } } }',
      variables: ({ account }) => ({ id: account }),
    },
    {
      query: 'query ($id: ID!) { linkPath(from: $id, to: "same") { hops { from to } } }',
      variables: ({ account }) => ({ id: account }),
    },
  ],
  whyNotLinked: [
    {
      query: 'query ($id: ID!) { whyNotLinked(a: "same", b: $id) { score } }',
      variables: ({ account }) => ({ id: account }),
    },
    {
      query: 'query ($id: ID!) { whyNotLinked(a: $id, b: "same") { score } }',
      variables: ({ account }) => ({ id: account }),
    },
  ],
  addAccountsToList: [
    input('AddAccountsToListInput', 'addAccountsToList', 'results { outcome }', ({ account }) => ({
      list: 'block',
      accountIds: [account],
    })),
    input('AddAccountsToListInput', 'addAccountsToList', 'results { outcome }', ({ list }) => ({
      list,
      accountIds: ['same'],
    })),
  ],
  deleteList: [input('DeleteListInput', 'deleteList', 'requestId', ({ list }) => ({ name: list }))],
  moveAccounts: [
    input('MoveAccountsInput', 'moveAccounts', 'results { outcome }', ({ account }) => ({
      sourceList: 'regulars',
      targetList: 'block',
      accountIds: [account],
    })),
    input('MoveAccountsInput', 'moveAccounts', 'results { outcome }', ({ list }) => ({
      sourceList: list,
      targetList: 'block',
      accountIds: ['same'],
    })),
  ],
  pendingListMembers: [
    {
      query: `query ($list: String) { pendingListMembers(filter: { list: $list }) { edges { node { accountId } } } }`,
      variables: ({ list }) => ({ list }),
    },
  ],
  exportAccount: [
    input('ExportAccountInput', 'exportAccount', 'records { section }', ({ account }) => ({
      accountId: account,
    })),
  ],
  allowAccount: [
    input('AllowAccountInput', 'allowAccount', 'isPending account { id }', ({ account }) => ({
      accountId: account,
    })),
  ],
  blockAccount: [
    input('BlockAccountInput', 'blockAccount', 'isPending account { id }', ({ account }) => ({
      accountId: account,
    })),
  ],
  clearAccount: [
    input('ClearAccountInput', 'clearAccount', 'removedFrom account { id }', ({ account }) => ({
      accountId: account,
    })),
  ],
  approveVerification: [
    input('ApproveVerificationInput', 'approveVerification', 'requestId', ({ idCheck }) => ({
      id: globalIdOf('Verification', idCheck),
      reason: 'x',
    })),
  ],
  rejectVerification: [
    input('RejectVerificationInput', 'rejectVerification', 'requestId', ({ idCheck }) => ({
      id: globalIdOf('Verification', idCheck),
      reason: 'x',
    })),
  ],
  clearVerificationReview: [
    input('ClearVerificationReviewInput', 'clearVerificationReview', 'requestId', ({ idCheck }) => ({
      id: globalIdOf('Verification', idCheck),
    })),
  ],
  liftKeepOff: [
    input('LiftKeepOffInput', 'liftKeepOff', 'results { outcome }', ({ list }) => ({
      list,
      accountIds: ['same'],
    })),
  ],
  removeAccountsFromList: [
    input('RemoveAccountsFromListInput', 'removeAccountsFromList', 'results { outcome }', ({ list }) => ({
      list,
      accountIds: ['same'],
    })),
  ],
  updateList: [
    input('UpdateListInput', 'updateList', 'requestId', ({ list }) => ({ name: list, effect: 'block' })),
  ],
  list: [
    {
      query: 'query ($name: String!) { list(name: $name) { id } }',
      variables: ({ list }) => ({ name: list }),
    },
  ],
  decision: [
    {
      query: 'query ($id: ID!) { decision(id: $id) { id } }',
      variables: ({ decision }) => ({ id: decision }),
    },
  ],
  reportOutcome: [
    input('ReportOutcomeInput', 'reportOutcome', 'isNew', ({ account }) => ({
      accountId: account,
      outcome: 'FRAUD',
      at: '2026-01-01T00:00:00Z',
    })),
  ],
  retractOutcome: [
    input('RetractOutcomeInput', 'retractOutcome', 'deletedId', ({ outcome }) => ({ id: outcome })),
  ],
  replayDecision: [
    {
      query: 'query ($id: ID!) { replayDecision(id: $id) { decision } }',
      variables: ({ decision }) => ({ id: decision }),
    },
  ],
  rule: [{ query: 'query ($id: ID!) { rule(id: $id) { id } }', variables: ({ rule }) => ({ id: rule }) }],
  createRule: [
    input('CreateRuleInput', 'createRule', 'requestId', ({ list }) => ({
      name: 'ours',
      trigger: 'ANY_SESSION',
      expression: 'session.bot > 0',
      actions: [{ addToList: list }],
    })),
  ],
  updateRule: [
    input('UpdateRuleInput', 'updateRule', 'requestId', ({ rule }) => ({ id: rule, state: 'ENABLED' })),
  ],
  webhookEndpoint: [
    {
      query:
        'query ($id: ID!) { webhookEndpoint(id: $id) { id deliveries(first: 1) { edges { node { id } } } } }',
      variables: ({ endpoint }) => ({ id: endpoint }),
    },
  ],
  updateWebhookEndpoint: [
    input('UpdateWebhookEndpointInput', 'updateWebhookEndpoint', 'requestId', ({ endpoint }) => ({
      id: endpoint,
      paused: true,
    })),
  ],
  deleteWebhookEndpoint: [
    input('DeleteWebhookEndpointInput', 'deleteWebhookEndpoint', 'requestId', ({ endpoint }) => ({
      id: endpoint,
    })),
  ],
  rotateWebhookSecret: [
    input('RotateWebhookSecretInput', 'rotateWebhookSecret', 'requestId', ({ endpoint }) => ({
      id: endpoint,
    })),
  ],
  resendWebhookDelivery: [
    {
      query: 'mutation ($id: ID!) { resendWebhookDelivery(input: { id: $id }) { requestId } }',
      variables: ({ delivery }) => ({ id: delivery }),
    },
  ],
  resendWebhooksSince: [
    {
      query:
        'mutation ($id: ID!) { resendWebhooksSince(input: { endpointId: $id, since: "2020-01-01T00:00:00Z" }) { requestId } }',
      variables: ({ endpoint }) => ({ id: endpoint }),
    },
  ],
  sendTestWebhook: [
    {
      query:
        'mutation ($id: ID!) { sendTestWebhook(input: { endpointId: $id, type: ACCOUNT_UPDATED }) { requestId } }',
      variables: ({ endpoint }) => ({ id: endpoint }),
    },
  ],
  simulateWebhook: [
    {
      query: 'query ($id: ID!) { simulateWebhook(endpointId: $id, type: ACCOUNT_UPDATED) { wouldDeliver } }',
      variables: ({ endpoint }) => ({ id: endpoint }),
    },
  ],
  testRule: [
    {
      query:
        'query ($id: ID!) { testRule(expression: "session.bot >= 0", sessionId: $id) { matched facts } }',
      variables: ({ session }) => ({ id: session }),
    },
  ],
  backtest: [
    {
      query: 'query ($id: ID!) { backtest(id: $id) { id } }',
      variables: ({ backtest }) => ({ id: backtest }),
    },
  ],
  addBacktestMatchesToList: [
    {
      query:
        'mutation ($id: ID!) { addBacktestMatchesToList(input: { backtestId: $id, list: "regulars" }) { added } }',
      variables: ({ backtest }) => ({ id: backtest }),
    },
  ],
  decisions: [
    {
      query: `query ($id: ID) { decisions(filter: { accountId: $id }) { edges { node { id } } totalCount { value } } }`,
      variables: ({ account }) => ({ id: account }),
    },
  ],
  ruleMatches: [
    {
      query: `query ($id: ID) { ruleMatches(filter: { ruleId: $id }) { edges { node { id } } totalCount { value } } }`,
      variables: ({ rule }) => ({ id: rule }),
    },
    {
      query: `query ($id: ID) { ruleMatches(filter: { accountId: $id }) { edges { node { id } } } }`,
      variables: ({ account }) => ({ id: account }),
    },
  ],
  webhookDeliveries: [
    {
      query: `query ($id: ID) { webhookDeliveries(filter: { endpointId: $id }) { edges { node { id } } totalCount { value } } }`,
      variables: ({ endpoint }) => ({ id: endpoint }),
    },
  ],
  cancelBacktest: [
    {
      query: 'mutation ($id: ID!) { cancelBacktest(input: { id: $id }) { requestId } }',
      variables: ({ backtest }) => ({ id: backtest }),
    },
  ],
  node: (['account', 'session', 'list'] as const).map((kind) => ({
    query: 'query ($id: ID!) { node(id: $id) { id __typename } }',
    variables: ({ nodes }) => ({ id: nodes[kind] }),
  })),
  nodes: [
    {
      query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }',
      variables: ({ nodes }) => ({ ids: Object.values(nodes) }),
    },
  ],
  session: [
    {
      query: 'query ($id: ID!) { session(sessionId: $id) { id accountIds } }',
      variables: ({ session }) => ({ id: session }),
    },
  ],
  sessions: [
    {
      query: `query ($after: String) { sessions(first: 1, after: $after) ${PAGE} }`,
      variables: ({ cursors }) => ({ after: cursors.sessions }),
    },
  ],
  addSessionFacts: [
    input('AddSessionFactsInput', 'addSessionFacts', 'requestId', ({ openSession }) => ({
      sessionId: openSession,
      facts: { device: { cpuCores: 99 } },
    })),
  ],
  authenticateSession: [
    input('AuthenticateSessionInput', 'authenticateSession', 'decision', ({ session }) => ({
      sessionId: session,
      account: { accountId: 'same' },
    })),
  ],
  completeSession: [
    input('CompleteSessionInput', 'completeSession', 'requestId', ({ openSession }) => ({
      sessionId: openSession,
    })),
  ],
  deleteAccount: [
    input('DeleteAccountInput', 'deleteAccount', 'requestId', ({ account }) => ({ accountId: account })),
  ],
  scoreSession: [
    {
      query: 'query ($id: ID!) { scoreSession(sessionId: $id) { decision } }',
      variables: ({ session }) => ({ id: session }),
    },
  ],
  updateAccount: [
    input('UpdateAccountInput', 'updateAccount', 'requestId', ({ account }) => ({
      accountId: account,
      username: 'x',
    })),
  ],
  verification: (['idCheck', 'faceCheck', 'openCheck'] as const).map((check) => ({
    query: 'query ($id: ID!) { verification(sessionId: $id) { id: sessionId state decision } }',
    variables: (ids) => ({ id: ids[check] }),
  })),
  verifications: [
    {
      query: `query ($after: String) { verifications(first: 1, after: $after) { edges { node { sessionId } } } }`,
      variables: ({ cursors }) => ({ after: cursors.verifications }),
    },
    {
      query: `query ($id: ID) { verifications(filter: { accountId: $id }) { edges { node { sessionId } } } }`,
      variables: ({ account }) => ({ id: account }),
    },
  ],
  createVerificationSession: [
    input('CreateVerificationSessionInput', 'createVerificationSession', 'sessionId', ({ session }) => ({
      kind: 'ID_CHECK',
      referringSessionId: session,
    })),
  ],
  identityMatch: [
    {
      query: 'query ($id: ID!) { identityMatch(sessionId: $id, accountId: "same") { match } }',
      variables: ({ faceCheck }) => ({ id: faceCheck }),
    },
  ],
  enrollFace: [
    input('EnrollFaceInput', 'enrollFace', 'requestId', ({ idCheck }) => ({
      sessionId: idCheck,
      accountId: 'same',
    })),
  ],
  createVerificationUpload: [
    input('CreateVerificationUploadInput', 'createVerificationUpload', 'uploadUrl', ({ openCheck }) => ({
      sessionId: openCheck,
      kind: 'FACE_FRAME',
      contentType: 'IMAGE_JPEG',
    })),
  ],
  completeVerificationCapture: [
    input(
      'CompleteVerificationCaptureInput',
      'completeVerificationCapture',
      'requestId',
      ({ openCheck }) => ({
        sessionId: openCheck,
        consent: { textVersion: '1', givenAt: new Date().toISOString() },
      }),
    ),
  ],
};
/** These name no object of another project, or are tested separately below. */
const GRAPHQL_WITHOUT_IDS = [
  'queryCost',
  // test/integration/operations
  'persistedOperations',
  'registerOperations',
  'deleteOperations',
  'checkEmail',
  'checkEmails',
  'apiKeys',
  'calibrations',
  'lists',
  'project',
  'createSession',
  'createBrowserToken',
  'updateProjectSettings',
  'updateEmailDomains',
  'createList',
  'rules',
  // test/integration/stats
  'stats',
  'builtInRules',
  'addBuiltInRule',
  'backtests',
  'backtestRule',
  'webhookAttempts',
  'webhookEndpoints',
  'createWebhookEndpoint',
];

describe('an id of another project is unknown', () => {
  it.each(Object.keys(GRAPHQL_CASES))('by GraphQL: %s', async (field) => {
    for (const { query, variables } of GRAPHQL_CASES[field]!) {
      await expectAlike(both, (ids) => both.ours.rawGraphql(query, variables(ids)));
    }
    expect(await stateOf(both.theirs)).toEqual(before);
  });

  it('on every field', () => {
    const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
    const fields = [schema.getQueryType()!, schema.getMutationType()!].flatMap((type) =>
      Object.keys(type.getFields()),
    );
    expect([...Object.keys(GRAPHQL_CASES), ...GRAPHQL_WITHOUT_IDS].sort()).toEqual(fields.sort());
  });

  it('and known in its own project, with the same queries', async () => {
    const { theirs, foreign } = both;
    for (const field of [
      'account',
      'backtest',
      'decision',
      'emailBatch',
      'emailCheck',
      'emailImport',
      'list',
      'node',
      'nodes',
      'rule',
      'session',
      'verification',
      'webhookEndpoint',
    ]) {
      const { query, variables } = GRAPHQL_CASES[field]![0]!;
      expect(JSON.stringify((await theirs.graphql(query, variables(foreign)))[field]), field).toMatch(
        /"id":"/,
      );
    }
  });
});

describe('reads without an id', () => {
  it('return only the own project: lists, accounts and sessions', async () => {
    const [mine, other] = [await stateOf(both.ours), await stateOf(both.theirs)];
    const names = mine.lists.edges.map(({ node }: Body) => node.name);
    expect(names).toEqual(['allow', 'block', 'main_account', 'regulars']);
    expect(mine.accounts.edges.map(({ node }: Body) => node.accountId)).toEqual(['same too', 'same']);
    const idsIn = (state: Body) => [
      ...state.lists.edges.map(({ node }: Body) => node.id),
      ...state.sessions.edges.map(({ node }: Body) => node.sessionId),
    ];
    expect(idsIn(mine).filter((id) => idsIn(other).includes(id))).toEqual([]);
    const { project } = await both.ours.graphql('{ project { projectId } }');
    expect(project.projectId).toBe(both.ours.projectId);
  });

  const withToken = async (limit: Body) => {
    const { createBrowserToken } = await both.ours.graphql(
      'mutation ($input: CreateBrowserTokenInput!) { createBrowserToken(input: $input) { token } }',
      { input: { scopes: ['ACCOUNT'], ...limit } },
    );
    const headers = { 'x-api-key': '', authorization: `Bearer ${createBrowserToken.token}` };
    return async (query: string, variables: Body = {}): Promise<Body> =>
      (await both.ours.rawGraphql(query, variables, headers)).body;
  };

  it('reject a token that names an account or session of another project', async () => {
    const { foreign } = both;
    for (const limit of [{ accountId: foreign.account }, { sessionId: foreign.session }]) {
      const ask = await withToken(limit);
      const { data } = await ask(
        `query ($account: ID!, $session: ID!, $nodes: [ID!]!) {
          account(accountId: $account) { id } session(sessionId: $session) { id } nodes(ids: $nodes) { id } }`,
        { account: foreign.account, session: foreign.session, nodes: Object.values(foreign.nodes) },
      );
      expect(data).toEqual({ account: null, session: null, nodes: [null, null, null] });
    }
  });

  it('are limited for a token of one account: its links, other accounts, sessions and lists', async () => {
    const ask = await withToken({ accountId: 'same' });
    const { data } = await ask('{ account(accountId: "same") { accountId lists { name } accountsLinked } }');
    expect(data.account).toEqual({ accountId: 'same', lists: [{ name: 'regulars' }], accountsLinked: 1 });
    expect((await ask('{ account(accountId: "same too") { id } }')).data).toEqual({ account: null });
    for (const query of [
      '{ account(accountId: "same") { linkedAccounts { edges { node { accountId } } } } }',
      '{ accounts { edges { node { id } } } }',
      '{ sessions { edges { node { id } } } }',
      '{ lists { edges { node { name } } } }',
      '{ list(name: "regulars") { name } }',
    ]) {
      const { data, errors } = await ask(query);
      expect(errors?.[0].extensions.code, query).toBe('auth.forbidden');
      expect(Object.values(data ?? {}).filter((value) => value !== null)).toEqual([]);
    }
  });
});
