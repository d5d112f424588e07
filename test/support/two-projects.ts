import { expect } from 'vitest';
import { upload } from './email-imports.ts';
import type { Answer, Body, Gateway, TestProject } from './gateway.ts';
import { playedVerification, verificationLink } from './verification.ts';

/** Ids that a client could know. */
export type Ids = {
  account: string;
  session: string;
  openSession: string;
  list: string;
  phone: string;
  email: string;
  nodes: { account: string; session: string; list: string };
  identityGroup: string;
  decision: string;
  outcome: string;
  rule: string;
  backtest: string;
  endpoint: string;
  delivery: string;
  /** Of a completed ID check and face check, and of one that waits for its start. */
  idCheck: string;
  faceCheck: string;
  openCheck: string;
  emailCheck: string;
  emailBatch: string;
  emailImport: string;
  cursors: {
    emailChecks: string;
    emailBatches: string;
    emailImports: string;
    accounts: string;
    sessions: string;
    linked: string;
    audit: string;
    events: string;
    verifications: string;
  };
};

export type TwoProjects = {
  ours: TestProject;
  theirs: TestProject;
  /** Ids of the other project without an equal in this one. */
  foreign: Ids;
  /** Ids of the same formats that no object has. */
  missing: Ids;
};

const SECRET = 'their-secret';
export const COMMON = { phone: '+14155552671', lists: ['regulars'] };
const nodeId = (type: string, id: string) => Buffer.from(`${type}:${id}`).toString('base64');
const NOBODY = '00000000-0000-7000-8000-000000000000';

/** Ids of the same formats that no object has. */
export const MISSING_IDS: Ids = {
  account: 'nobody',
  session: NOBODY,
  openSession: NOBODY,
  list: 'no-list',
  phone: '+14155559999',
  email: 'nobody@example.com',
  identityGroup: nodeId('IdentityGroup', NOBODY),
  decision: nodeId('Decision', NOBODY),
  outcome: nodeId('AccountOutcome', NOBODY),
  rule: nodeId('Rule', NOBODY),
  endpoint: nodeId('WebhookEndpoint', NOBODY),
  delivery: nodeId('WebhookDelivery', NOBODY),
  backtest: nodeId('Backtest', NOBODY),
  idCheck: NOBODY,
  faceCheck: NOBODY,
  openCheck: NOBODY,
  emailCheck: NOBODY,
  emailBatch: NOBODY,
  emailImport: NOBODY,
  nodes: {
    account: nodeId('Account', NOBODY),
    session: nodeId('Session', NOBODY),
    list: nodeId('List', NOBODY),
  },
  cursors: {
    emailChecks: 'made.up',
    emailBatches: 'made.up',
    emailImports: 'made.up',
    accounts: 'made.up',
    sessions: 'made.up',
    linked: 'made.up',
    audit: 'made.up',
    events: 'made.up',
    verifications: 'made.up',
  },
};

/**
 * Two projects with accounts, lists and phones of the same names, one of them also with some that the other
 * lacks.
 */
export async function twoProjects(gateway: Gateway): Promise<TwoProjects> {
  const [ours, theirs] = [await gateway.project(), await gateway.project()];
  for (const project of [ours, theirs]) {
    await project.authenticate({ id: 'same', ...COMMON }, { device_id: 'd', ip_address: '8.8.8.8' });
    await project.authenticate({ id: 'same too', ...COMMON }, { device_id: 'd', ip_address: '8.8.8.8' });
  }
  const foreign = await idsOf(gateway, theirs, async () => {
    await gateway.app.recalculateLinks(theirs.projectId);
    await gateway.app.settleBacktests(theirs.projectId);
    await gateway.app.settleWebhooks();
  });
  return { ours, theirs, foreign, missing: MISSING_IDS };
}

/** Creates an account that only this project has, and collects every id that leads to it. */
async function idsOf(gateway: Gateway, project: TestProject, settle: () => Promise<void>): Promise<Ids> {
  const account = {
    id: `${SECRET}-account`,
    email: `${SECRET}@example.com`,
    phone: '+14155550199',
    lists: [`${SECRET}-list`],
  };
  // No account has this name, so that nothing is sent.
  const { createWebhookEndpoint } = await project.graphql(`mutation {
    createWebhookEndpoint(input: { url: "https://hooks.example.invalid/" }) { endpoint { id } } }`);
  const endpoint = createWebhookEndpoint.endpoint.id;
  await project.authenticate({ ...account, username: SECRET });
  await project.authenticate({ id: `${SECRET}-friend`, username: SECRET });
  const made = await project.graphql(`mutation {
    createRule(input: { name: "${SECRET}", trigger: ANY_SESSION, expression: "account.id = \\"${SECRET}\\"" }) { rule { id } }
    backtestRule(input: { expression: "account.id = \\"${SECRET}\\"", since: "2020-01-01T00:00:00Z" }) { backtest { id } } }`);
  const { reportOutcome } = await project.graphql(
    `mutation ($id: ID!) { reportOutcome(input: {
      accountId: $id, outcome: FRAUD, at: "2026-01-01T00:00:00Z", note: "${SECRET}" }) { outcome { id } } }`,
    { id: account.id },
  );
  await settle();
  const { webhookEndpoint } = await project.graphql(
    'query ($id: ID!) { webhookEndpoint(id: $id) { deliveries(first: 1) { edges { node { id } } } } }',
    { id: endpoint },
  );
  const opened = (await project.rest('POST', '/session', { open: true })).body;
  const simulated = { simulate: 'success', account_id: `${SECRET}-verified` };
  const idCheck = await playedVerification(gateway, project, { id: 'true', ...simulated });
  const faceCheck = await playedVerification(gateway, project, simulated);
  const { sessionId: openCheck } = await verificationLink(project, { id: 'true' });
  const emailed = await project.rest('POST', '/email', { email: `${SECRET}@gmail.com` });
  const emails = [{ email: `${SECRET}@gmail.com` }, { email: `${SECRET}@outlook.com` }];
  const batched = await project.rest('POST', '/email', { emails, batch_name: SECRET });
  const imported = await upload(gateway, project, `email\n${SECRET}@gmail.com\n`);
  await gateway.app.settleEmailChecks(project.projectId);
  const { emailBatches, emailImports } = await project.graphql(
    '{ emailImports { edges { cursor } } emailBatches { edges { cursor node { checks(first: 1) { edges { cursor } } } } } }',
  );
  const data = await project.graphql(
    `query ($id: ID!) {
      account(accountId: $id) { id decisions(first: 1) { edges { node { id } } } identityGroup { id groupId } lists { id } lastSession { id sessionId } linkedAccounts(first: 1) { edges { cursor } } }
      accounts(first: 1) { edges { cursor } } sessions(first: 1) { edges { cursor } }
      auditLog(first: 1) { edges { cursor } } events(first: 1) { headCursor }
      verifications(first: 1) { edges { cursor } } }`,
    { id: account.id },
  );
  const { id, decisions, identityGroup, lists, lastSession, linkedAccounts } = data.account;
  return {
    account: account.id,
    session: lastSession.sessionId,
    openSession: opened.session_id,
    list: account.lists[0]!,
    phone: account.phone,
    email: account.email,
    nodes: { account: id, session: lastSession.id, list: lists[0].id },
    identityGroup: identityGroup.id,
    decision: decisions.edges[0].node.id,
    outcome: reportOutcome.outcome.id,
    rule: made.createRule.rule.id,
    backtest: made.backtestRule.backtest.id,
    endpoint,
    delivery: webhookEndpoint.deliveries.edges[0].node.id,
    ...{ idCheck, faceCheck, openCheck },
    emailCheck: emailed.body.request_id,
    emailBatch: batched.body.batch_id,
    emailImport: imported.body.import_id,
    cursors: {
      emailChecks: emailBatches.edges[0].node.checks.edges[0].cursor,
      emailBatches: emailBatches.edges[0].cursor,
      emailImports: emailImports.edges[0].cursor,
      accounts: data.accounts.edges[0].cursor,
      sessions: data.sessions.edges[0].cursor,
      linked: linkedAccounts.edges[0].cursor,
      audit: data.auditLog.edges[0].cursor,
      events: data.events.headCursor,
      verifications: data.verifications.edges[0].cursor,
    },
  };
}

/** All data that a project can read of itself. */
export const stateOf = (project: TestProject): Promise<Body> =>
  project.graphql(`{ emailImports { edges { node { id importStatus counts { received } } } } emailBatches { edges { node { id batchStatus checks { edges { node { id checkStatus email } } } } } } lists(first: 100) { edges { node { id name } } } webhookEndpoints { edges { node { id endpointState url } } } rules(first: 100) { edges { node { id name version ruleState } } } backtests(first: 100) { edges { node { id backtestState } } }
    verifications(first: 100) { edges { node { sessionId state accountId } } } sessions(first: 100) { edges { node { sessionId accountIds completedAt device { cpuCores } } } }
    accounts(first: 100) { edges { node { accountId username phone numSessions decision outcomeLabel lists { name } linkedAccounts { edges { node { accountId } } } } } } }`);

/** A response without the request's id, which differs, and the requested ids. */
function comparable({ status, text }: Answer, ids: Ids) {
  const { account, session, openSession, list, decision, rule, backtest, endpoint, delivery } = ids;
  const { idCheck, faceCheck, openCheck, emailCheck, emailBatch, emailImport, outcome } = ids;
  let shown = text.replace(/"request_id":"[^"]*"/, '');
  const own = [account, session, openSession, list, decision, rule, backtest, endpoint, delivery];
  for (const id of [...own, idCheck, faceCheck, openCheck, emailCheck, emailBatch, emailImport, outcome])
    shown = shown.replaceAll(id, 'ID');
  return { status, shown };
}

/** Requests objects of the other project and unknown ones: the responses are equal and disclose no secret. */
export async function expectAlike(
  { foreign, missing }: TwoProjects,
  ask: (ids: Ids) => Promise<Answer>,
): Promise<void> {
  const [answer, nothing] = [await ask(foreign), await ask(missing)];
  const shown = comparable(answer, foreign);
  expect(shown).toEqual(comparable(nothing, missing));
  expect(answer.status).toBeLessThan(500);
  // An error may quote the requested id.
  expect(shown.shown).not.toContain(SECRET);
}
