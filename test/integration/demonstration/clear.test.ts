import { beforeAll, expect, it } from 'vitest';
import {
  CREATE,
  cleared,
  countAccounts,
  DEMONSTRATION_ACCOUNTS,
  filled,
  REMOVE,
  settleAll,
  stateOfDemonstration,
} from '../../support/demonstrations.ts';
import { type Body, type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { rowsOfProject } from '../../support/project-rows.ts';

const TIMEOUT_MS = 120_000;

/** Tables whose rows remain after a removal, as after erasures of accounts by requests. */
const REMAINING = [
  // Every change of a list, a rule, an endpoint or an outcome, and every erasure.
  'audit_log',
  // Numbers of sessions, decisions, matches, checks and outcomes, without their accounts.
  'project_counters',
  // Merges and splits of identity groups, by ids of groups. Maintenance purges them.
  'identity_changes',
  // The events account.deleted, and where events of other writes were.
  'outbox_events',
  'outbox_writes',
  // Queue and chain of the audit log.
  'audit_unchained',
  'audit_chain',
] as const;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false });
});

/** What a project shows of the accounts of its user. */
const ownData = (project: TestProject): Promise<Body> =>
  project.graphql(`{ accounts(first: 5, orderBy: { field: CREATED_AT, direction: ASC }) { edges { node {
      accountId email phone group metadata decision accountScore multipleAccounts numSessions outcomeLabel
      lists { name } sessions(first: 5) { edges { node { sessionId } } } decisions(first: 5) { edges { node { id decision } } }
      linkedAccounts(first: 5) { edges { node { accountId } } } } } }
    lists(first: 10) { edges { node { name accountIds } } } rules(first: 20) { edges { node { name ruleState version position } } }
    verifications(first: 20) { edges { node { sessionId } } } webhookEndpoints(first: 20) { edges { node { url } } } }`);

/** A project with an account that the filling links to a ring, and with a list and a rule. */
async function projectOfUser(): Promise<TestProject> {
  const project = await gateway.project();
  await project.graphql(`mutation {
    createList(input: { name: "Mine", description: "of the user" }) { list { name } }
    createRule(input: { name: "Mine", trigger: ANY_SESSION, expression: "account.bot > 0.5", state: ENABLED }) { rule { id } }
    createWebhookEndpoint(input: { url: "https://mine.invalid/", eventTypes: [RULE_TRIGGERED] }) { endpoint { id } } }`);
  await project.authenticate(
    { id: 'demo-mine', phone: '+14155550172', group: 'demo', lists: ['Mine'] },
    { device_id: 'mine', ip_address: '90.54.1.1' },
  );
  await project.authenticate({ id: 'apart', email: 'apart@example.com' });
  await settleAll(gateway, project);
  return project;
}

it('a removal leaves the data of the user, and nothing else', { timeout: TIMEOUT_MS }, async () => {
  const project = await projectOfUser();
  const [rows, own] = [await rowsOfProject(gateway, project.projectId), await ownData(project)];
  await filled(gateway, project);
  const { account } = await project.graphql(
    '{ account(accountId: "demo-mine") { linkedAccounts(first: 20) { edges { node { accountId } } } } }',
  );
  expect(account.linkedAccounts.edges).toHaveLength(8);
  await cleared(gateway, project);
  expect(await stateOfDemonstration(project)).toBeNull();
  expect(await ownData(project)).toEqual(own);
  const without = (counts: Record<string, number>) =>
    Object.fromEntries(Object.entries(counts).filter(([table]) => !REMAINING.some((name) => name === table)));
  expect(without(await rowsOfProject(gateway, project.projectId))).toEqual(without(rows));
});

it('events that remain name no account of the set', { timeout: TIMEOUT_MS }, async () => {
  const project = await gateway.project();
  await filled(gateway, project);
  await cleared(gateway, project);
  const { events } = await project.graphql('{ events(first: 100) { edges { node { type } } } }');
  const types = new Set(events.edges.map(({ node }: Body) => node.type));
  expect([...types]).toEqual(['ACCOUNT_DELETED']);
});

it('a project can be filled again', { timeout: TIMEOUT_MS * 2 }, async () => {
  const project = await gateway.project();
  await filled(gateway, project);
  await cleared(gateway, project);
  expect(await countAccounts(project)).toBe(0);
  await filled(gateway, project);
  expect(await countAccounts(project)).toBe(DEMONSTRATION_ACCOUNTS);
  await cleared(gateway, project);
  expect(await countAccounts(project)).toBe(0);
});

it('rules that decisions of the user depend on stay archived, and lists that the user’s rules name stay', {
  timeout: TIMEOUT_MS,
}, async () => {
  const project = await gateway.project();
  await filled(gateway, project);
  await project.authenticate({ id: 'mine' });
  await project.graphql(`mutation { createRule(input: { name: "Mine", trigger: ANY_SESSION, state: ENABLED,
    expression: "account.bot > 0.5", actions: [{ addToList: "Demo: regular customers" }] }) { rule { id } } }`);
  await cleared(gateway, project);
  expect(await stateOfDemonstration(project)).toBeNull();
  const { lists, rules } = await project.graphql(`{ lists(first: 20) { edges { node { name memberCount } } }
    rules(first: 20, states: [ENABLED, SHADOW, ARCHIVED]) { edges { node { name ruleState } } } }`);
  expect(
    lists.edges.map(({ node }: Body) => node).filter(({ name }: Body) => name.startsWith('Demo')),
  ).toEqual([{ name: 'Demo: regular customers', memberCount: 0 }]);
  const states = rules.edges.map(({ node }: Body) => [node.name, node.ruleState]);
  expect(Object.fromEntries(states)).toEqual({
    Mine: 'ENABLED',
    'Demo: many accounts on one device': 'ARCHIVED',
    'Demo: hidden location': 'ARCHIVED',
    'Demo: rejected document': 'ARCHIVED',
  });
});

it('a removal stops a filling, and can be requested twice', { timeout: TIMEOUT_MS }, async () => {
  const project = await gateway.project();
  await project.graphql(CREATE);
  const answers = await Promise.all([project.graphql(REMOVE), project.graphql(REMOVE)]);
  for (const { removeDemonstrationData } of answers)
    expect(removeDemonstrationData.demonstrationData.demonstrationState).toBe('REMOVING');
  await settleAll(gateway, project);
  expect(await stateOfDemonstration(project)).toBeNull();
  expect(await countAccounts(project)).toBe(0);
});

it('a failed filling names its error, continues, and creates one set', { timeout: TIMEOUT_MS }, async () => {
  const project = await gateway.project();
  const taken = 'Demo: trusted partners';
  const change = (name: string) => `mutation { ${name}List(input: { name: "${taken}" }) { requestId } }`;
  await project.graphql(change('create'));
  await filled(gateway, project);
  const failed = await stateOfDemonstration(project);
  expect(failed).toMatchObject({
    demonstrationState: 'FAILED',
    problem: expect.stringMatching(/^demonstration_data\.list_exists: .*"Demo: trusted partners"/),
  });
  await project.graphql(change('delete'));
  await filled(gateway, project);
  expect(await stateOfDemonstration(project)).toMatchObject({
    id: failed.id,
    demonstrationState: 'FILLED',
    problem: null,
  });
  expect(await countAccounts(project)).toBe(DEMONSTRATION_ACCOUNTS);
});
