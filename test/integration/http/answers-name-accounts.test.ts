import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { ROUTES } from '../../../src/http/rest/routes/routes.ts';
import {
  type Answer,
  type Body,
  type Gateway,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { createVerification, playedVerification } from '../../support/verification.ts';

/*
 * For every operation that accepts an Idempotency-Key: erasing its account erases its stored response. A new
 * operation fails here until it has a case.
 */
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** An account that exists, and the sessions and lists of the cases. */
type Scene = {
  id: string;
  /** Bound to the account. */
  session: string;
  /** Bound to the account after the response of the operation. */
  later: string;
  list: string;
  otherList: string;
};

type Case<Call> = {
  call: (scene: Scene) => Call | Promise<Call>;
  /** The response contains no data of the account: it remains. */
  isKept?: true;
  /** The response is an error: these are wide. */
  isRefused?: true;
};

async function newScene(): Promise<Scene> {
  project = await gateway.project();
  const [id, list, otherList] = [unique('erased'), unique('list'), unique('other')];
  const { session_id: session } = await project.authenticate({ id, lists: [list] });
  await project.rest('POST', `/list/${otherList}`, {});
  return { id, session, later: await project.session({ open: true }), list, otherList };
}

const played = (kind: Record<string, string>, account_id: string) =>
  playedVerification(gateway, project, { simulate: 'success', account_id, ...kind });
const alone = (kind: Record<string, string> = {}) =>
  playedVerification(gateway, project, { simulate: 'success', ...kind });

/** The account's own address. */
async function addressOf({ id }: Scene): Promise<string> {
  const email = `${unique('own')}@example.com`;
  await project.rest('PUT', `/account/${id}`, { email });
  return email;
}

/** An outcome that was reported of the account. */
async function outcomeOf(accountId: string): Promise<string> {
  const report = `mutation ($id: ID!) {
    reportOutcome(input: { accountId: $id, outcome: FRAUD, at: "2020-01-01T00:00:00Z" }) { outcome { id } } }`;
  return (await project.graphql(report, { id: accountId })).reportOutcome.outcome.id;
}

type RestCall = { path: string; body: Body };
const REST: Record<string, Case<RestCall>> = {
  'POST /session/authenticate': {
    call: ({ id, later }) => ({
      path: '/session/authenticate',
      body: { session_id: later, account: { id } },
    }),
  },
  'POST /session/unauthenticated': {
    call: ({ later }) => ({ path: '/session/unauthenticated', body: { session_id: later } }),
  },
  // A session without an account; the mutation below has one that is bound afterwards.
  'POST /session': { call: () => ({ path: '/session', body: {} }), isKept: true },
  'POST /session/{session_id}/complete': {
    call: ({ later }) => ({ path: `/session/${later}/complete`, body: {} }),
  },
  'POST /list/{list_name}': {
    call: () => ({ path: `/list/${unique('list')}`, body: {} }),
    isKept: true,
  },
  'POST /list/{list_name}/account/move': {
    call: ({ id, list, otherList }) => ({
      path: `/list/${list}/account/move`,
      body: { account_ids: [id], target_list: otherList },
    }),
  },
  'POST /list/{list_name}/account/{account_id}': {
    call: ({ id, otherList }) => ({ path: `/list/${otherList}/account/${id}`, body: {} }),
  },
  'POST /email': {
    call: async (scene) => ({ path: '/email?wait=1', body: { email: await addressOf(scene) } }),
  },
  'POST /liveness/verify-id': {
    call: async ({ id }) => ({
      path: '/liveness/verify-id',
      body: { session_id: await played({ id: 'true' }, id) },
    }),
  },
  'POST /liveness/verify-face': {
    call: async ({ id }) => ({ path: '/liveness/verify-face', body: { session_id: await played({}, id) } }),
  },
  'POST /liveness/verify-identity': {
    call: async ({ id }) => ({
      path: '/liveness/verify-identity',
      body: { session_id: await alone(), account_id: id },
    }),
  },
  'POST /liveness/enroll': {
    call: async ({ id }) => ({
      path: '/liveness/enroll',
      body: { session_id: await alone(), account_id: id },
    }),
  },
  // The history of a number contains accounts that its response does not name.
  'POST /phone': { call: () => ({ path: '/phone', body: { phone_number: '+14155552671' } }) },
};

const RULE = 'name: "rule", trigger: ANY_SESSION, expression: "account.id = \\"x\\""';
const upload = async (id: string) => (await createVerification(project, { account_id: id })).body.session_id;
/** The global id of a completed check of an account. */
const reviewed = async (id: string) => globalIdOf('Verification', await played({}, id));
const MUTATIONS: Record<string, Case<string>> = {
  addAccountsToList: {
    call: ({ id, otherList }) =>
      `(input: { list: "${otherList}", accountIds: ["${id}"] }) { results { outcome } }`,
  },
  addBacktestMatchesToList: {
    call: ({ otherList, session }) => `(input: { backtestId: "${session}", list: "${otherList}" }) { added }`,
    isRefused: true,
  },
  addBuiltInRule: { call: () => '(input: { key: "no-such-rule" }) { requestId }', isRefused: true },
  addSessionFacts: {
    call: ({ later }) => `(input: { sessionId: "${later}", facts: { source: IOS } }) { requestId }`,
  },
  allowAccount: { call: ({ id }) => `(input: { accountId: "${id}" }) { accountId }` },
  approveVerification: {
    call: async ({ id }) => `(input: { id: "${await reviewed(id)}", reason: "x" }) { requestId }`,
  },
  authenticateSession: {
    call: ({ id, later }) =>
      `(input: { sessionId: "${later}", account: { accountId: "${id}" } }) { requestId }`,
  },
  backtestRule: {
    call: () =>
      '(input: { expression: "account.id = \\"x\\"", since: "2020-01-01T00:00:00Z" }) { backtest { id } }',
  },
  blockAccount: { call: ({ id }) => `(input: { accountId: "${id}" }) { account { id } }` },
  cancelBacktest: {
    call: ({ session }) => `(input: { id: "${session}" }) { backtest { id } }`,
    isRefused: true,
  },
  clearAccount: { call: ({ id }) => `(input: { accountId: "${id}" }) { requestId }` },
  clearVerificationReview: {
    call: async ({ id }) => `(input: { id: "${await reviewed(id)}" }) { requestId }`,
  },
  checkEmail: {
    call: async (scene) => `(input: { email: "${await addressOf(scene)}" }) { emailCheck { email } }`,
  },
  checkEmails: {
    call: async (scene) =>
      `(input: { emails: [{ email: "${await addressOf(scene)}" }], waitSeconds: 5 }) { emailBatch { checks { edges { node { email } } } } }`,
  },
  completeSession: { call: ({ later }) => `(input: { sessionId: "${later}" }) { session { source } }` },
  completeVerificationCapture: {
    call: async ({ id }) =>
      `(input: { sessionId: "${await upload(id)}", consent: { textVersion: "1", givenAt: "2020-01-01T00:00:00Z" } }) { requestId }`,
    isRefused: true,
  },
  createBrowserToken: { call: ({ id }) => `(input: { scopes: [ACCOUNT], accountId: "${id}" }) { token }` },
  createList: { call: () => `(input: { name: "${unique('list')}" }) { list { name } }`, isKept: true },
  createRule: { call: () => `(input: { ${RULE} }) { rule { id } }`, isKept: true },
  createSession: { call: () => '(input: {}) { session { sessionId } }', isKept: true },
  createVerificationSession: {
    call: ({ id }) => `(input: { kind: FACE_CHECK, accountId: "${id}" }) { sessionUrl }`,
  },
  createVerificationUpload: {
    call: async ({ id }) =>
      `(input: { sessionId: "${await upload(id)}", kind: FACE_FRAME, contentType: IMAGE_JPEG }) { uploadUrl }`,
  },
  createWebhookEndpoint: {
    call: () => '(input: { url: "https://hooks.example.invalid/" }) { endpoint { id } }',
    isKept: true,
  },
  // The account of the scene is another one.
  deleteAccount: {
    call: async () => {
      const id = unique('first');
      await project.authenticate({ id });
      return `(input: { accountId: "${id}" }) { accountId }`;
    },
    isKept: true,
  },
  deleteList: { call: ({ otherList }) => `(input: { name: "${otherList}" }) { name }`, isKept: true },
  deleteWebhookEndpoint: {
    call: ({ session }) => `(input: { id: "${session}" }) { requestId }`,
    isRefused: true,
  },
  // The response contains only numbers.
  eraseEmail: {
    call: async (scene) => `(input: { email: "${await addressOf(scene)}" }) { requestId checks }`,
    isKept: true,
  },
  enrollFace: {
    call: async ({ id }) => `(input: { sessionId: "${await alone()}", accountId: "${id}" }) { requestId }`,
  },
  moveAccounts: {
    call: ({ id, list, otherList }) =>
      `(input: { sourceList: "${list}", targetList: "${otherList}", accountIds: ["${id}"] }) { results { accountId } }`,
  },
  liftKeepOff: {
    call: ({ id, list }) => `(input: { list: "${list}", accountIds: ["${id}"] }) { results { accountId } }`,
  },
  rejectVerification: {
    call: async ({ id }) => `(input: { id: "${await reviewed(id)}", reason: "x" }) { requestId }`,
  },
  removeAccountsFromList: {
    call: ({ id, list }) => `(input: { list: "${list}", accountIds: ["${id}"] }) { results { accountId } }`,
  },
  reportOutcome: {
    call: ({ id }) =>
      `(input: { accountId: "${id}", outcome: FRAUD, at: "2020-01-01T00:00:00Z" }) { outcome { accountId } }`,
  },
  resendWebhookDelivery: {
    call: ({ session }) => `(input: { id: "${session}" }) { requestId }`,
    isRefused: true,
  },
  retractOutcome: {
    call: async ({ id }) => `(input: { id: "${await outcomeOf(id)}" }) { deletedId account { accountId } }`,
  },
  resendWebhooksSince: {
    call: ({ session }) =>
      `(input: { endpointId: "${session}", since: "2020-01-01T00:00:00Z" }) { requestId }`,
    isRefused: true,
  },
  deleteOperations: {
    call: () => `(input: { sha256Hashes: ["${'0'.repeat(64)}"] }) { deletedIds }`,
    isKept: true,
  },
  registerOperations: {
    call: () => '(input: { documents: [{ text: "{ project { name } }" }] }) { operations { sha256Hash } }',
    isKept: true,
  },
  rotateWebhookSecret: {
    call: ({ session }) => `(input: { id: "${session}" }) { requestId }`,
    isRefused: true,
  },
  sendTestWebhook: {
    call: ({ session }) => `(input: { endpointId: "${session}", type: ACCOUNT_DELETED }) { requestId }`,
    isRefused: true,
  },
  updateAccount: {
    call: ({ id }) => `(input: { accountId: "${id}", username: "new" }) { account { username } }`,
  },
  updateEmailDomains: {
    call: () => '(input: { addTrusted: ["trusted-here.com"] }) { requestId }',
    isKept: true,
  },
  updateList: {
    call: ({ list }) => `(input: { name: "${list}", description: "new" }) { list { name } }`,
    isKept: true,
  },
  updateProjectSettings: { call: () => '(input: { fakeFrom: 0.9 }) { requestId }', isKept: true },
  updateRule: {
    call: ({ session }) => `(input: { id: "${session}", name: "new" }) { requestId }`,
    isRefused: true,
  },
  updateWebhookEndpoint: {
    call: ({ session }) => `(input: { id: "${session}", paused: true }) { requestId }`,
    isRefused: true,
  },
};

/** Sends the request, binds the scene's session, erases the scene's account, and sends the request again. */
async function expectErased(
  { isKept, isRefused }: Case<unknown>,
  scene: Scene,
  ask: () => Promise<Answer>,
): Promise<void> {
  const first = await ask();
  expect(first.status !== 200 || first.body.errors !== undefined, first.text).toBe(isRefused ?? false);
  expect((await ask()).text).toBe(first.text);
  const { id, later } = scene;
  await project.rest('POST', '/session/authenticate', { session_id: later, account: { id } });
  expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
  const after = await ask();
  if (isKept) expect(after.text).toBe(first.text);
  else expect(after.status, after.text).toBe(409);
}

const key = () => ({ 'idempotency-key': unique('key') });

describe('erasing an account erases the stored response of', () => {
  const rows = ROUTES.filter(({ method }) => method === 'POST').map(({ path }) => `POST ${path}`);
  it.each(rows)('%s', async (row) => {
    const scene = await newScene();
    const { path, body } = await REST[row]!.call(scene);
    const headers = key();
    await expectErased(REST[row]!, scene, () => project.rest('POST', path, body, headers));
  });

  // Its responses are never stored: test/integration/accounts/export.test.ts.
  const stored = Object.keys(schema.getMutationType()!.getFields()).filter(
    (name) => name !== 'exportAccount',
  );
  it.each(stored)('%s', async (name) => {
    const scene = await newScene();
    const query = `mutation { ${name}${await MUTATIONS[name]!.call(scene)} }`;
    const headers = key();
    await expectErased(MUTATIONS[name]!, scene, () => project.rawGraphql(query, undefined, headers));
  });

  it('POST /session, with a session that was bound to it afterwards', async () => {
    const scene = await newScene();
    const headers = key();
    const open = () => project.rest('POST', '/session', {}, headers);
    const { session_id } = (await open()).body;
    await project.rest('POST', '/session/authenticate', { session_id, account: { id: scene.id } });
    await project.rest('DELETE', `/account/${scene.id}`);
    expect((await open()).status).toBe(409);
  });
});
