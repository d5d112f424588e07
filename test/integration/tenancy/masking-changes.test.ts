import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/graphql/schema.ts';
import { ROUTES } from '../../../src/http/rest/routes/routes.ts';
import { type Gateway, startOwnGateway, type TestProject } from '../../support/gateway.ts';
import { MUTATIONS } from '../../support/operations/index.ts';
import { type PersonCaller, personCaller } from '../../support/person-calls.ts';
import { foundMarkers, type Planted, plantPerson } from '../../support/planted-person.ts';
import { groupParts, printParts, selectionParts } from '../../support/selection-parts.ts';

/* Answers to changes by persons: of every mutation and of every route of REST, by each role that may send it. */

const MAX_STEPS = 2;

let gateway: Gateway;
let project: TestProject;
let planted: Planted;
let persons: PersonCaller[];

beforeAll(async () => {
  gateway = await startOwnGateway({ worksInBackground: false });
  project = await gateway.project();
  planted = await plantPerson(gateway, project);
  persons = [];
  for (const role of ['viewer', 'analyst', 'admin'] as const)
    persons.push(await personCaller(gateway, project, role));
}, 120_000);
afterAll(() => gateway.close());

const EMAIL = 'gwendolyn.blackwood@planted-domain.example';
const quoted = (value: unknown) => JSON.stringify(value);
const account = () => `accountId: ${quoted(planted.account)}`;
const accounts = () => `accountIds: [${quoted(planted.account)}]`;
const session = () => `sessionId: ${quoted(planted.session)}`;

/** Inputs by mutation, or why a mutation has no answer about the planted person. */
const INPUTS: Readonly<Record<string, (() => string) | string>> = {
  addAccountsToList: () => `list: "watched", ${accounts()}, reason: "planted reason"`,
  addBacktestMatchesToList: () =>
    `backtestId: ${quoted(planted.backtest)}, list: "watched", reason: "planted reason"`,
  addBuiltInRule: 'rules contain no personal data',
  addSessionFacts: 'the session is among the queries, and accepts no facts after its end',
  allowAccount: () => `${account()}, reason: "planted reason"`,
  approveVerification: () => `id: ${quoted(planted.check)}, reason: "planted review"`,
  authenticateSession: () => `${session()}, account: { ${account()} }`,
  backtestRule: () => 'expression: "account.num_sessions >= 1", since: "2020-01-01T00:00:00Z"',
  blockAccount: () => `${account()}, reason: "planted reason"`,
  cancelBacktest: () => `id: ${quoted(planted.backtest)}`,
  checkEmail: () =>
    `email: ${quoted(EMAIL)}, claims: { phone: "+14155557643", name: { first: "Gwendolyn", last: "Blackwood" } }`,
  checkEmails: () => `emails: [{ email: ${quoted(EMAIL)} }], batchName: "planted batch"`,
  clearAccount: () => `${account()}, reason: "planted reason"`,
  clearVerificationReview: () => `id: ${quoted(planted.check)}, reason: "planted review"`,
  completeSession: () => session(),
  completeVerificationCapture: 'persons do not capture',
  createBrowserToken: 'refused for persons: test/integration/http/authorization.test.ts',
  createDemonstrationData: 'fictitious data',
  createList: () => 'name: "watched", description: "of nobody"',
  createRule: 'rules contain no personal data',
  createSession: () => 'simulated: { ipAddress: "90.54.117.203" }',
  createVerificationSession: () => `kind: ID_CHECK, ${account()}`,
  createVerificationUpload: 'persons do not capture',
  createWebhookEndpoint: 'endpoints contain no personal data',
  deleteAccount: 'the answer is the id',
  deleteList: 'the answer is the name',
  deleteOperations: 'operations contain no personal data',
  deleteWebhookEndpoint: 'the answer is the id',
  disablePerson: 'people of the project are not masked',
  enablePerson: 'people of the project are not masked',
  endReveal: 'test/integration/tenancy/reveal.test.ts',
  enrollFace: () => `${account()}, sessionId: ${quoted(planted.check)}`,
  eraseEmail: 'the answer is a number',
  erasePerson: 'people of the project are not masked',
  exportAccount: () => account(),
  invitePerson: 'people of the project are not masked',
  liftKeepOff: () => `list: "watched", ${accounts()}`,
  moveAccounts: () => `sourceList: "watched", targetList: "allow", ${accounts()}`,
  registerOperations: 'operations contain no personal data',
  rejectVerification: () => `id: ${quoted(planted.check)}, reason: "planted review"`,
  removeAccountsFromList: () => `list: "watched", ${accounts()}`,
  removeDemonstrationData: 'fictitious data',
  removePerson: 'people of the project are not masked',
  reportOutcome: () => `${account()}, outcome: FRAUD, at: "2026-01-02T00:00:00Z", note: "planted note"`,
  resendWebhookDelivery: 'the delivery is among the queries',
  resendWebhooksSince: 'the answer is a number',
  resetPerson: 'people of the project are not masked',
  retractOutcome: 'the outcome is among the queries',
  reveal: 'test/integration/tenancy/reveal.test.ts',
  rotateWebhookSecret: 'endpoints contain no personal data',
  sendTestWebhook: 'events of tests are fictitious',
  setPersonRole: 'people of the project are not masked',
  updateAccount: () => `${account()}, username: "gwen_planted"`,
  updateEmailDomains: 'settings contain no personal data',
  updateList: () => 'name: "watched", description: "of nobody"',
  updateProjectSettings: 'settings contain no personal data',
  updateRule: 'rules contain no personal data',
  updateWebhookEndpoint: 'endpoints contain no personal data',
  withdrawInvitation: 'people of the project are not masked',
};

describe('no answer to a change by a person contains personal data', () => {
  it('of any mutation', () => {
    expect(Object.keys(INPUTS).sort()).toEqual(MUTATIONS.toSorted());
  });

  // A list comes first, because others add to it.
  const names = Object.keys(INPUTS).filter((name) => typeof INPUTS[name] === 'function');
  const ordered = ['createList', ...names.filter((name) => name !== 'createList')];
  it.each(ordered)('by GraphQL: %s', async (name) => {
    const field = schema.getMutationType()!.getFields()[name]!;
    const input = (INPUTS[name] as () => string)();
    const [parts = []] = groupParts(selectionParts(schema, field, MAX_STEPS));
    const document = `mutation { ${name}(input: { ${input} }) ${printParts(parts)} }`;
    const answers = [];
    for (const person of persons) {
      const answer = await person.raw(document);
      expect(foundMarkers(planted, answer.data)).toEqual([]);
      answers.push(answer);
    }
    // A change that nobody can send tests nothing.
    const isSent = answers.some(({ data }) => data?.[name] != null);
    expect(isSent, JSON.stringify(answers.map(({ errors }) => errors))).toBe(true);
  });
});

type Request = { path?: () => string; body?: () => unknown };
const ofAccount = (rest = ''): Request => ({ path: () => `/account/${planted.account}${rest}` });
const ofCheck = { body: () => ({ session_id: planted.check }) };
const ofAccountAndCheck = { body: () => ({ session_id: planted.check, account_id: planted.account }) };
const onList: Request = { path: () => `/list/watched/account/${encodeURIComponent(planted.account)}` };

/** A request of each route. */
const REQUESTS: Readonly<Record<string, Request>> = {
  'GET /list': {},
  'POST /list/{list_name}/account/{account_id}': onList,
  'GET /list/{list_name}': { path: () => '/list/block' },
  'POST /list/{list_name}': { path: () => '/list/watched', body: () => ({ accounts: [planted.account] }) },
  'PATCH /list/{list_name}': { path: () => '/list/watched', body: () => ({ accounts: [planted.account] }) },
  'POST /list/{list_name}/account/move': {
    path: () => '/list/watched/account/move',
    body: () => ({ accounts: [planted.account], target_list: 'allow' }),
  },
  'DELETE /list/{list_name}/account/{account_id}': onList,
  'DELETE /list/{list_name}': { path: () => '/list/watched' },
  'POST /email': { body: () => ({ email: EMAIL, claims: { name: { first: 'Gwendolyn' } } }) },
  'GET /email/{request_id}': { path: () => `/email/${planted.emailCheck}` },
  'GET /email/batch/{batch_id}': { path: () => `/email/batch/${planted.emailBatch}` },
  'POST /phone': { body: () => ({ phone_number: '+14155557643' }) },
  'POST /session/authenticate': {
    body: () => ({ session_id: planted.session, account: { id: planted.account } }),
  },
  'POST /session/unauthenticated': { body: () => ({ session_id: planted.session }) },
  'GET /session/{session_id}': { path: () => `/session/${planted.session}` },
  'PUT /account/{account_id}': { ...ofAccount(), body: () => ({ username: 'gwen_planted' }) },
  'GET /account/{account_id}': ofAccount(),
  'GET /account/{account_id}/accounts-linked': ofAccount('/accounts-linked'),
  'GET /account/{account_id}/sessions': ofAccount('/sessions'),
  'POST /session': { body: () => ({ ip_address: '90.54.117.203' }) },
  'PATCH /session/{session_id}': { path: () => `/session/${planted.session}`, body: () => ({}) },
  'POST /session/{session_id}/complete': {
    path: () => `/session/${planted.session}/complete`,
    body: () => ({}),
  },
  'GET /liveness/session': {},
  'POST /liveness/verify-id': ofCheck,
  'POST /liveness/verify-face': ofCheck,
  'POST /liveness/verify-identity': ofAccountAndCheck,
  'POST /liveness/enroll': ofAccountAndCheck,
  // Last, because it erases the person.
  'DELETE /account/{account_id}': ofAccount(),
};

describe('no answer of REST to a person contains personal data', () => {
  it('of any route', () => {
    const routes = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(REQUESTS).sort()).toEqual(routes.sort());
  });

  it.each(Object.keys(REQUESTS))('%s', async (name) => {
    const [method, pattern] = name.split(' ') as [string, string];
    const { path = () => pattern, body = () => undefined } = REQUESTS[name]!;
    for (const person of persons) {
      const answer = await person.rest(method, path(), body());
      expect(answer.status, answer.text).toBeLessThan(500);
      expect(foundMarkers(planted, answer.body), person.role).toEqual([]);
    }
  });
});
