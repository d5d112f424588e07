import sharp from 'sharp';
import { expect } from 'vitest';
import { until } from '../gateway-process.ts';
import { type Body, type Client, unique } from './client.ts';
import type { GraphqlRow } from './graphql-row.ts';
import { START_BACKTEST, startBacktest } from './query-rows.ts';
import { CREATE_ENDPOINT, CREATE_RULE, createAccount, createList } from './world.ts';

/** Mutation with an input: the usual shape. */
const withInput = (field: string, inputType: string, selection: string) =>
  `mutation ($input: ${inputType}!) { ${field}(input: $input) { ${selection} } }`;

async function openSession(client: Client): Promise<Body> {
  return { openId: (await client.session({ open: true })).session_id };
}

async function newRule(client: Client): Promise<string> {
  const input = { name: unique('rule'), expression: 'account.id = "nobody"', trigger: 'ANY_SESSION' };
  return (await client.graphql(CREATE_RULE, { input })).createRule.rule.id;
}

async function newEndpoint(client: Client, url: string): Promise<string> {
  const input = { url, eventTypes: ['RULE_CUSTOM'] };
  return (await client.graphql(CREATE_ENDPOINT, { input })).createWebhookEndpoint.endpoint.id;
}

const CREATE_UPLOAD = withInput(
  'createVerificationUpload',
  'CreateVerificationUploadInput',
  'uploadUrl objectId',
);

/** Face check in whose capture an app has uploaded one photo. */
async function capturedFace(client: Client): Promise<Body> {
  const { session_id } = await client.createVerification({});
  const input = { sessionId: session_id, kind: 'FACE_FRAME', contentType: 'IMAGE_JPEG' };
  const { uploadUrl } = (await client.graphql(CREATE_UPLOAD, { input })).createVerificationUpload;
  const photo = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#888' } })
    .jpeg()
    .toBuffer();
  const headers = { 'content-type': 'image/jpeg' };
  const { status } = await fetch(uploadUrl, { method: 'PUT', headers, body: new Uint8Array(photo) });
  if (status !== 200) throw new Error(`upload: ${status}`);
  return { captured: session_id };
}

/** Endpoint with one delivered event, and that delivery. */
async function delivered(client: Client, url: string): Promise<Body> {
  const input = { url, eventTypes: ['LIST_ACCOUNT_REMOVED'] };
  const { endpoint } = (await client.graphql(CREATE_ENDPOINT, { input })).createWebhookEndpoint;
  const account = await createAccount(client);
  const list = await createList(client, [account]);
  await client.ask('DELETE', `/list/${list}/account/${account}`);
  const find = `query ($id: ID!) { webhookEndpoint(id: $id) {
    deliveries { edges { node { id eventId deliveryState } } } } }`;
  const delivery = await until('a delivery', async () => {
    const { deliveries } = (await client.graphql(find, { id: endpoint.id })).webhookEndpoint;
    return deliveries.edges.find(({ node }: Body) => node.deliveryState === 'DELIVERED')?.node;
  });
  return { id: endpoint.id, delivery };
}

const SESSION_MUTATIONS: readonly GraphqlRow[] = [
  {
    field: 'createSession',
    name: 'opens a simulated session',
    document: withInput(
      'createSession',
      'CreateSessionInput',
      'environment token session { network { ipAddress } }',
    ),
    variables: () => ({ input: { simulated: { ipAddress: '90.54.1.2' } } }),
    answer: () => ({
      environment: 'SANDBOX',
      token: expect.stringMatching(/^vgs_/),
      session: { network: { ipAddress: '90.54.1.2' } },
    }),
  },
  {
    field: 'addSessionFacts',
    name: 'adds facts to an open session',
    given: openSession,
    document: withInput(
      'addSessionFacts',
      'AddSessionFactsInput',
      'session { sessionId browser { timezone } }',
    ),
    variables: ({ openId }) => ({
      input: { sessionId: openId, facts: { browser: { timezone: 'Asia/Tokyo' } } },
    }),
    answer: ({ openId }) => ({ session: { sessionId: openId, browser: { timezone: 'Asia/Tokyo' } } }),
  },
  {
    field: 'completeSession',
    name: 'completes an open session',
    given: openSession,
    document: withInput('completeSession', 'CompleteSessionInput', 'session { sessionId completedAt }'),
    variables: ({ openId }) => ({ input: { sessionId: openId } }),
    answer: ({ openId }) => ({ session: { sessionId: openId, completedAt: expect.any(String) } }),
  },
  {
    field: 'authenticateSession',
    name: 'binds a session to a new account and links it to the account with the same user name',
    given: async (client) => ({ fresh: await client.session(), id: unique('eric') }),
    document: withInput(
      'authenticateSession',
      'AuthenticateSessionInput',
      'session { sessionId } account { accountId username linkedAccounts { edges { node { accountId } } } }',
    ),
    variables: ({ fresh, id, username }) => ({
      input: { sessionId: fresh.session_id, account: { accountId: id, username } },
    }),
    answer: ({ fresh, id, username, carl }) => ({
      session: { sessionId: fresh.session_id },
      account: {
        ...{ accountId: id, username },
        linkedAccounts: { edges: expect.arrayContaining([{ node: { accountId: carl } }]) },
      },
    }),
  },
  {
    field: 'createBrowserToken',
    name: 'returns a token for a page',
    document: withInput('createBrowserToken', 'CreateBrowserTokenInput', 'token expiresAt'),
    variables: ({ anna }) => ({ input: { scopes: ['LINKS'], accountId: anna, ttlSeconds: 60 } }),
    answer: () => ({ token: expect.stringMatching(/^vg/), expiresAt: expect.any(String) }),
  },
];

const ACCOUNT_MUTATIONS: readonly GraphqlRow[] = [
  {
    field: 'updateAccount',
    name: 'changes the given fields of an account and keeps the others',
    given: async (client) => ({ id: await createAccount(client, { first_name: 'Eve' }) }),
    document: withInput(
      'updateAccount',
      'UpdateAccountInput',
      'account { accountId firstName lastName group }',
    ),
    variables: ({ id }) => ({ input: { accountId: id, lastName: 'Long', group: 'north' } }),
    answer: ({ id }) => ({ account: { accountId: id, firstName: 'Eve', lastName: 'Long', group: 'north' } }),
  },
  {
    field: 'deleteAccount',
    name: 'erases an account',
    given: async (client) => ({ id: await createAccount(client) }),
    document: withInput('deleteAccount', 'DeleteAccountInput', 'accountId'),
    variables: ({ id }) => ({ input: { accountId: id } }),
    answer: ({ id }) => ({ accountId: id }),
  },
];

const LIST_MUTATIONS: readonly GraphqlRow[] = [
  {
    field: 'createList',
    name: 'creates a list with an effect',
    given: async () => ({ list: unique('list') }),
    document: withInput('createList', 'CreateListInput', 'list { name description effect memberCount }'),
    variables: ({ list }) => ({ input: { name: list, description: 'New', effect: 'BLOCK' } }),
    answer: ({ list }) => ({ list: { name: list, description: 'New', effect: 'BLOCK', memberCount: 0 } }),
  },
  {
    field: 'updateList',
    name: 'changes the effect of a list and keeps its description',
    given: async (client) => ({ list: await createList(client) }),
    document: withInput('updateList', 'UpdateListInput', 'list { name description effect }'),
    variables: ({ list }) => ({ input: { name: list, effect: 'ALLOW' } }),
    answer: ({ list }) => ({ list: { name: list, description: 'Made for a row', effect: 'ALLOW' } }),
  },
  {
    field: 'deleteList',
    name: 'deletes a list',
    given: async (client) => ({ list: await createList(client) }),
    document: withInput('deleteList', 'DeleteListInput', 'deletedId name'),
    variables: ({ list }) => ({ input: { name: list } }),
    answer: ({ list }) => ({ deletedId: expect.any(String), name: list }),
  },
  {
    field: 'addAccountsToList',
    name: 'adds accounts to a list and reports the unknown ones',
    given: async (client) => ({ id: await createAccount(client), list: await createList(client) }),
    document: withInput(
      'addAccountsToList',
      'AddAccountsToListInput',
      'list { name memberCount } results { accountId outcome }',
    ),
    variables: ({ id, list }) => ({ input: { list, accountIds: [id, 'nobody'], reason: 'a reason' } }),
    answer: ({ id, list }) => ({
      list: { name: list, memberCount: 1 },
      results: [
        { accountId: id, outcome: 'ADDED' },
        { accountId: 'nobody', outcome: 'NOT_FOUND' },
      ],
    }),
  },
  {
    field: 'removeAccountsFromList',
    name: 'removes accounts from a list',
    given: async (client) => {
      const id = await createAccount(client);
      return { id, list: await createList(client, [id]) };
    },
    document: withInput(
      'removeAccountsFromList',
      'RemoveAccountsFromListInput',
      'list { name memberCount } results { accountId outcome }',
    ),
    variables: ({ id, list }) => ({ input: { list, accountIds: [id], keepOff: true } }),
    answer: ({ id, list }) => ({
      list: { name: list, memberCount: 0 },
      results: [{ accountId: id, outcome: 'REMOVED' }],
    }),
  },
  {
    field: 'liftKeepOff',
    name: 'lets rules add an account again, and reports one that was not kept off',
    given: async (client, { anna }) => {
      const id = await createAccount(client);
      const list = await createList(client, [id]);
      const input = { list, accountIds: [id], keepOff: true };
      await client.graphql(withInput('removeAccountsFromList', 'RemoveAccountsFromListInput', 'requestId'), {
        input,
      });
      return { id, list, other: anna };
    },
    document: withInput('liftKeepOff', 'LiftKeepOffInput', 'list { name } results { accountId outcome }'),
    variables: ({ id, list, other }) => ({ input: { list, accountIds: [id, other] } }),
    answer: ({ id, list, other }) => ({
      list: { name: list },
      results: [
        { accountId: id, outcome: 'LIFTED' },
        { accountId: other, outcome: 'NOT_KEPT_OFF' },
      ],
    }),
  },
  {
    field: 'exportAccount',
    name: 'returns the first record of what is stored of an account',
    given: async (client) => ({ id: await createAccount(client) }),
    document: withInput(
      'exportAccount',
      'ExportAccountInput',
      'accountId endCursor records { section data }',
    ),
    variables: ({ id }) => ({ input: { accountId: id, first: 1 } }),
    answer: ({ id }) => ({
      accountId: id,
      endCursor: expect.any(String),
      records: [{ section: 'ACCOUNT', data: expect.objectContaining({ accountId: id, numSessions: 1 }) }],
    }),
  },
  {
    field: 'blockAccount',
    name: 'blocks an account that does not exist yet',
    given: async () => ({ unknown: unique('unknown') }),
    document: withInput(
      'blockAccount',
      'BlockAccountInput',
      'accountId isPending removedFrom account { accountId } lists { name }',
    ),
    variables: ({ unknown }) => ({ input: { accountId: unknown, reason: 'Seen elsewhere' } }),
    answer: ({ unknown }) => ({
      accountId: unknown,
      isPending: true,
      removedFrom: [],
      account: null,
      lists: [{ name: 'block' }],
    }),
  },
  {
    field: 'allowAccount',
    name: 'allows an account, and removes it from block',
    given: async (client) => {
      const id = await createAccount(client);
      await client.graphql(withInput('blockAccount', 'BlockAccountInput', 'requestId'), {
        input: { accountId: id },
      });
      return { id };
    },
    document: withInput(
      'allowAccount',
      'AllowAccountInput',
      'isPending removedFrom account { accountId decision } lists { name }',
    ),
    variables: ({ id }) => ({ input: { accountId: id } }),
    answer: ({ id }) => ({
      isPending: false,
      removedFrom: ['block'],
      account: { accountId: id, decision: 'REAL' },
      lists: [{ name: 'allow' }],
    }),
  },
  {
    field: 'clearAccount',
    name: 'removes an account from block',
    given: async (client) => {
      const id = await createAccount(client);
      await client.graphql(withInput('blockAccount', 'BlockAccountInput', 'requestId'), {
        input: { accountId: id },
      });
      return { id };
    },
    document: withInput('clearAccount', 'ClearAccountInput', 'removedFrom lists { name }'),
    variables: ({ id }) => ({ input: { accountId: id, reason: 'A mistake', keepOff: true } }),
    answer: () => ({ removedFrom: ['block'], lists: [] }),
  },
  {
    field: 'reportOutcome',
    name: 'labels an account, and changes nothing when it is repeated',
    given: async (client) => {
      const id = await createAccount(client);
      const input = {
        accountId: id,
        outcome: 'CHARGEBACK',
        at: '2026-01-02T03:04:05.000Z',
        note: 'disputed',
      };
      await client.graphql(withInput('reportOutcome', 'ReportOutcomeInput', 'isNew'), { input });
      return { id, input };
    },
    document: withInput(
      'reportOutcome',
      'ReportOutcomeInput',
      'isNew outcome { accountId outcome at note } account { accountId outcomeLabel }',
    ),
    variables: ({ input }) => ({ input }),
    answer: ({ id, input }) => ({
      isNew: false,
      outcome: input,
      account: { accountId: id, outcomeLabel: 'FRAUD' },
    }),
  },
  {
    field: 'retractOutcome',
    name: 'deletes an outcome, after which the account has no label',
    given: async (client) => {
      const id = await createAccount(client);
      const input = { accountId: id, outcome: 'FRAUD', at: '2026-01-02T03:04:05Z' };
      const { reportOutcome } = await client.graphql(
        withInput('reportOutcome', 'ReportOutcomeInput', 'outcome { id }'),
        { input },
      );
      return { id, outcome: reportOutcome.outcome.id };
    },
    document: withInput(
      'retractOutcome',
      'RetractOutcomeInput',
      'deletedId account { accountId outcomeLabel }',
    ),
    variables: ({ outcome }) => ({ input: { id: outcome } }),
    answer: ({ id, outcome }) => ({ deletedId: outcome, account: { accountId: id, outcomeLabel: null } }),
  },
  {
    field: 'moveAccounts',
    name: 'moves accounts from one list to another',
    given: async (client) => {
      const id = await createAccount(client);
      return { id, source: await createList(client, [id]), target: await createList(client) };
    },
    document: withInput(
      'moveAccounts',
      'MoveAccountsInput',
      'moved conflict notFound sourceList { memberCount } targetList { name memberCount } results { accountId outcome }',
    ),
    variables: ({ id, source, target }) => ({
      input: { sourceList: source, targetList: target, accountIds: [id] },
    }),
    answer: ({ id, target }) => ({
      ...{ moved: 1, conflict: 0, notFound: 0 },
      sourceList: { memberCount: 0 },
      targetList: { name: target, memberCount: 1 },
      results: [{ accountId: id, outcome: 'MOVED' }],
    }),
  },
];

const RULE_MUTATIONS: readonly GraphqlRow[] = [
  {
    field: 'createRule',
    name: 'creates a rule',
    given: async () => ({ rule: unique('rule') }),
    document: withInput(
      'createRule',
      'CreateRuleInput',
      'rule { name expression trigger ruleState version actions { raiseFlag } }',
    ),
    variables: ({ rule }) => ({
      input: {
        ...{ name: rule, expression: 'account.id = "nobody"', trigger: 'FIRST_SESSION', state: 'SHADOW' },
        actions: [{ raiseFlag: 'a_flag' }],
      },
    }),
    answer: ({ rule }) => ({
      rule: {
        ...{ name: rule, expression: 'account.id = "nobody"', trigger: 'FIRST_SESSION' },
        ...{ ruleState: 'SHADOW', version: 1, actions: [{ raiseFlag: 'a_flag' }] },
      },
    }),
  },
  {
    field: 'updateRule',
    name: 'changes a rule, which gets the next version',
    given: async (client) => ({ id: await newRule(client) }),
    document: withInput('updateRule', 'UpdateRuleInput', 'rule { id description version expression }'),
    variables: ({ id }) => ({ input: { id, expectedVersion: 1, description: 'Finds nobody' } }),
    answer: ({ id }) => ({
      rule: { id, description: 'Finds nobody', version: 2, expression: 'account.id = "nobody"' },
    }),
  },
  {
    field: 'addBuiltInRule',
    name: 'makes a built-in rule a rule of the project under another name',
    given: async () => ({ rule: unique('rule') }),
    document: withInput('addBuiltInRule', 'AddBuiltInRuleInput', 'rule { name builtIn ruleState }'),
    variables: ({ rule }) => ({
      input: { key: 'impossible_travel_and_new_device', name: rule, state: 'DRAFT' },
    }),
    answer: ({ rule }) => ({
      rule: { name: rule, builtIn: 'impossible_travel_and_new_device', ruleState: 'DRAFT' },
    }),
  },
  {
    field: 'backtestRule',
    name: 'starts a backtest of a condition',
    document: START_BACKTEST,
    variables: () => ({ input: { expression: 'account.id = "nobody"', since: '2020-01-01T00:00:00Z' } }),
    answer: () => ({ backtest: { expression: 'account.id = "nobody"', id: expect.any(String) } }),
  },
  {
    field: 'cancelBacktest',
    name: 'ends a backtest, or leaves one that is done as it is',
    given: async (client, { anna }) => ({ id: await startBacktest(client, anna) }),
    document: withInput('cancelBacktest', 'CancelBacktestInput', 'backtest { id backtestState }'),
    variables: ({ id }) => ({ input: { id } }),
    answer: ({ id }) => ({ backtest: { id, backtestState: expect.stringMatching(/^(CANCELLED|DONE)$/) } }),
  },
];

const EMAIL_MUTATIONS: readonly GraphqlRow[] = [
  {
    field: 'checkEmail',
    name: 'checks an address and waits for the result',
    document: withInput(
      'checkEmail',
      'CheckEmailInput',
      'emailCheck { checkStatus email emailResult { mailbox { normalized } } }',
    ),
    variables: ({ domain }) => ({ input: { email: `GUS@${domain}`, waitSeconds: 10 } }),
    answer: ({ domain }) => ({
      emailCheck: {
        ...{ checkStatus: 'SUCCESS', email: `GUS@${domain}` },
        emailResult: { mailbox: { normalized: `gus@${domain}` } },
      },
    }),
  },
  {
    field: 'checkEmails',
    name: 'checks a batch of addresses and waits for the results',
    document: withInput(
      'checkEmails',
      'CheckEmailsInput',
      'emailBatch { batchName counts { total completed failed } batchStatus }',
    ),
    variables: ({ domain }) => ({
      input: {
        emails: [{ email: `a@${domain}` }, { email: `b@${domain}` }],
        batchName: 'Two',
        waitSeconds: 10,
      },
    }),
    answer: () => ({
      emailBatch: {
        batchName: 'Two',
        counts: { total: 2, completed: 2, failed: 0 },
        batchStatus: 'COMPLETED',
      },
    }),
  },
  {
    field: 'eraseEmail',
    name: 'erases the checks of an address',
    given: async (client) => {
      const email = `${unique('kim')}@example.org`;
      await client.ask('POST', '/email', { query: { wait: '10' }, body: { email } });
      return { erased: email };
    },
    document: withInput('eraseEmail', 'EraseEmailInput', 'checks'),
    variables: ({ erased }) => ({ input: { email: erased } }),
    answer: () => ({ checks: 1 }),
  },
  {
    field: 'updateEmailDomains',
    name: 'adds a domain to the disposable ones of the project',
    given: async () => ({ added: `${unique('throwaway')}.com` }),
    document: withInput('updateEmailDomains', 'UpdateEmailDomainsInput', 'settings { disposableDomains }'),
    variables: ({ added }) => ({ input: { addDisposable: [added] } }),
    answer: ({ added }) => ({ settings: { disposableDomains: [added] } }),
  },
  {
    field: 'registerOperations',
    name: 'registers a document by the SHA-256 of its text',
    document: withInput('registerOperations', 'RegisterOperationsInput', 'operations { sha256Hash text }'),
    variables: () => ({ input: { documents: [{ text: '{ __typename }' }] } }),
    answer: () => ({
      operations: [
        {
          sha256Hash: '7f56e67dd21ab3f30d1ff8b7bed08893f0a0db86449836189b361dd1e56ddb4b',
          text: '{ __typename }',
        },
      ],
    }),
  },
  {
    field: 'deleteOperations',
    name: 'ignores the hash of a document that is not registered',
    document: withInput('deleteOperations', 'DeleteOperationsInput', 'deletedIds'),
    variables: () => ({ input: { sha256Hashes: ['0'.repeat(64)] } }),
    answer: () => ({ deletedIds: [] }),
  },
  {
    field: 'updateProjectSettings',
    name: 'changes a setting and keeps the others',
    document: withInput(
      'updateProjectSettings',
      'UpdateProjectSettingsInput',
      'settings { seenFaceDays fakeFrom }',
    ),
    variables: () => ({ input: { seenFaceDays: 30 } }),
    answer: () => ({ settings: { seenFaceDays: 30, fakeFrom: 0.7 } }),
  },
];

/** The global id of a completed simulated check. */
async function completedCheck(client: Client): Promise<Body> {
  const sessionId = await client.verification({ simulate: 'success', simulate_decision: 'Suspicious' });
  const find = 'query ($id: ID!) { verification(sessionId: $id) { id } }';
  return { check: (await client.graphql(find, { id: sessionId })).verification.id };
}

const REVIEWED = 'verification { id decision rawDecision review { reviewDecision reason } }';

const VERIFICATION_MUTATIONS: readonly GraphqlRow[] = [
  {
    field: 'approveVerification',
    name: 'decides a completed check as real',
    given: completedCheck,
    document: withInput('approveVerification', 'ApproveVerificationInput', REVIEWED),
    variables: ({ check }) => ({ input: { id: check, reason: 'Called the person' } }),
    answer: ({ check }) => ({
      verification: {
        ...{ id: check, decision: 'REAL', rawDecision: 'SUSPICIOUS' },
        review: { reviewDecision: 'APPROVED', reason: 'Called the person' },
      },
    }),
  },
  {
    field: 'rejectVerification',
    name: 'decides a completed check as fake',
    given: completedCheck,
    document: withInput('rejectVerification', 'RejectVerificationInput', REVIEWED),
    variables: ({ check }) => ({ input: { id: check, reason: 'A copy' } }),
    answer: ({ check }) => ({
      verification: {
        ...{ id: check, decision: 'FAKE', rawDecision: 'SUSPICIOUS' },
        review: { reviewDecision: 'REJECTED', reason: 'A copy' },
      },
    }),
  },
  {
    field: 'clearVerificationReview',
    name: 'returns to the decision by the score',
    given: async (client) => {
      const { check } = await completedCheck(client);
      await client.graphql(withInput('rejectVerification', 'RejectVerificationInput', 'requestId'), {
        input: { id: check, reason: 'A copy' },
      });
      return { check };
    },
    document: withInput('clearVerificationReview', 'ClearVerificationReviewInput', REVIEWED),
    variables: ({ check }) => ({ input: { id: check } }),
    answer: ({ check }) => ({
      verification: { id: check, decision: 'SUSPICIOUS', rawDecision: 'SUSPICIOUS', review: null },
    }),
  },
  {
    field: 'createVerificationSession',
    name: 'creates a simulated face check for an account',
    document: withInput(
      'createVerificationSession',
      'CreateVerificationSessionInput',
      'sessionId sessionUrl verification { kind state accountId simulated }',
    ),
    variables: ({ anna }) => ({ input: { kind: 'FACE_CHECK', simulate: 'SUCCESS', accountId: anna } }),
    answer: () => ({
      sessionUrl: expect.stringContaining('/verify/'),
      verification: { kind: 'FACE_CHECK', state: 'CREATED', simulated: true },
    }),
  },
  {
    field: 'createVerificationUpload',
    name: 'returns an address for a photo and begins the capture',
    given: async (client) => ({ created: await client.createVerification({}) }),
    document: CREATE_UPLOAD,
    variables: ({ created }) => ({
      input: { sessionId: created.session_id, kind: 'FACE_FRAME', contentType: 'IMAGE_JPEG' },
    }),
    answer: ({ projectId }) => ({ uploadUrl: expect.stringContaining(`/media/${projectId}/`) }),
  },
  {
    field: 'completeVerificationCapture',
    name: 'ends the capture of an app, whose photos are then processed',
    given: capturedFace,
    document: withInput(
      'completeVerificationCapture',
      'CompleteVerificationCaptureInput',
      'sessionId state verification { consentVersion }',
    ),
    variables: ({ captured }) => ({
      input: { sessionId: captured, consent: { givenAt: new Date().toISOString(), textVersion: 'app-1' } },
    }),
    answer: ({ captured }) => ({
      ...{ sessionId: captured, state: 'PROCESSING' },
      verification: { consentVersion: 'app-1' },
    }),
  },
  {
    field: 'enrollFace',
    name: 'binds a completed face check to a new account',
    given: async () => ({ id: unique('enrolled') }),
    document: withInput('enrollFace', 'EnrollFaceInput', 'verification { sessionId accountId }'),
    variables: ({ enrollableToo, id }) => ({ input: { sessionId: enrollableToo, accountId: id } }),
    answer: ({ enrollableToo, id }) => ({ verification: { sessionId: enrollableToo, accountId: id } }),
  },
];

const WEBHOOK_MUTATIONS: readonly GraphqlRow[] = [
  {
    field: 'createWebhookEndpoint',
    name: 'creates an endpoint and returns its secret',
    document: withInput(
      'createWebhookEndpoint',
      'CreateWebhookEndpointInput',
      'secret endpoint { url eventTypes endpointState signatureFormat }',
    ),
    variables: ({ receiver }) => ({ input: { url: receiver.url('/new'), eventTypes: ['RULE_CUSTOM'] } }),
    answer: ({ receiver }) => ({
      secret: expect.stringMatching(/^whsec_/),
      endpoint: {
        ...{ url: receiver.url('/new'), eventTypes: ['RULE_CUSTOM'] },
        ...{ endpointState: 'ENABLED', signatureFormat: 'STANDARD' },
      },
    }),
  },
  {
    field: 'updateWebhookEndpoint',
    name: 'pauses an endpoint',
    given: async (client, { receiver }) => ({ id: await newEndpoint(client, receiver.url()) }),
    document: withInput(
      'updateWebhookEndpoint',
      'UpdateWebhookEndpointInput',
      'endpoint { id endpointState description }',
    ),
    variables: ({ id }) => ({ input: { id, paused: true, description: 'Pausing' } }),
    answer: ({ id }) => ({ endpoint: { id, endpointState: 'PAUSED', description: 'Pausing' } }),
  },
  {
    field: 'rotateWebhookSecret',
    name: 'returns a new secret and keeps the previous one for a time',
    given: async (client, { receiver }) => ({ id: await newEndpoint(client, receiver.url()) }),
    document: withInput(
      'rotateWebhookSecret',
      'RotateWebhookSecretInput',
      'secret endpoint { id previousSecretUntil }',
    ),
    variables: ({ id }) => ({ input: { id } }),
    answer: ({ id }) => ({
      secret: expect.stringMatching(/^whsec_/),
      endpoint: { id, previousSecretUntil: expect.any(String) },
    }),
  },
  {
    field: 'deleteWebhookEndpoint',
    name: 'deletes an endpoint',
    given: async (client, { receiver }) => ({ id: await newEndpoint(client, receiver.url()) }),
    document: withInput('deleteWebhookEndpoint', 'DeleteWebhookEndpointInput', 'deletedId'),
    variables: ({ id }) => ({ input: { id } }),
    answer: ({ id }) => ({ deletedId: id }),
  },
  {
    field: 'sendTestWebhook',
    name: 'sends a test event at once and returns the response',
    document: withInput('sendTestWebhook', 'SendTestWebhookInput', 'delivered status error endpoint { id }'),
    variables: ({ endpointId }) => ({ input: { endpointId, type: 'RULE_CUSTOM' } }),
    answer: ({ endpointId }) => ({
      ...{ delivered: true, status: 200, error: null, endpoint: { id: endpointId } },
    }),
  },
  {
    field: 'resendWebhookDelivery',
    name: 'sends a delivery again',
    given: (client, { receiver }) => delivered(client, receiver.url('/resent')),
    document: withInput(
      'resendWebhookDelivery',
      'ResendWebhookDeliveryInput',
      'delivery { id eventId endpoint { id } }',
    ),
    variables: ({ delivery }) => ({ input: { id: delivery.id } }),
    answer: ({ delivery, id }) => ({
      delivery: { id: delivery.id, eventId: delivery.eventId, endpoint: { id } },
    }),
  },
  {
    field: 'resendWebhooksSince',
    name: 'sends the deliveries since a time again and counts them',
    given: (client, { receiver }) => delivered(client, receiver.url('/resent-since')),
    document: withInput('resendWebhooksSince', 'ResendWebhooksSinceInput', 'count endCursor'),
    variables: ({ id }) => ({
      input: { endpointId: id, since: new Date(Date.now() - 3_600_000).toISOString() },
    }),
    answer: () => ({ count: 1, endCursor: null }),
  },
];

/** Every field of Mutation, once. */
export const MUTATION_ROWS: readonly GraphqlRow[] = [
  ...SESSION_MUTATIONS,
  ...ACCOUNT_MUTATIONS,
  ...LIST_MUTATIONS,
  ...RULE_MUTATIONS,
  ...EMAIL_MUTATIONS,
  ...VERIFICATION_MUTATIONS,
  ...WEBHOOK_MUTATIONS,
];
