// cspell:ignore hartwig pemberton noemie castel
import { beforeAll, describe, expect, it } from 'vitest';
import {
  CREATE,
  countAccounts,
  DEMONSTRATION_ACCOUNTS,
  filled,
  REMOVE,
  settleAll,
  stateOfDemonstration,
} from '../../support/demonstrations.ts';
import { type Body, type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { rowsOfProject } from '../../support/project-rows.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false });
});

const codeOf = (body: Body) => body.errors?.[0]?.extensions.code;

describe('a filled sandbox', () => {
  let project: TestProject;
  let other: TestProject;
  let rowsOfOther: Record<string, number>;
  let accounts: Map<string, Body>;

  beforeAll(async () => {
    project = await gateway.project();
    other = await gateway.project();
    await other.authenticate({ id: 'other', phone: '+14155550172', group: 'demo' });
    await settleAll(gateway, other);
    rowsOfOther = await rowsOfProject(gateway, other.projectId);
    await filled(gateway, project);
    const data = await project.graphql(`{ accounts(first: 100) { edges { node {
      accountId group metadata decision numSessions country outcomeLabel lists { name } decisions(first: 1) { edges { node { id } } }
      linkedAccounts(first: 20) { edges { matchTypes node { accountId } } } } } } }`);
    // Without the suffix of the set.
    accounts = new Map(
      data.accounts.edges.map(({ node }: Body) => [node.accountId.replace(/-[0-9a-f]{6}$/, ''), node]),
    );
  }, 120_000);

  const account = (name: string) => accounts.get(`demo-${name}`)!;
  const linkedTo = (name: string) =>
    account(name).linkedAccounts.edges.map(({ node }: Body) => node.accountId.replace(/-[0-9a-f]{6}$/, ''));

  it('reports that it is filled', async () => {
    expect(await stateOfDemonstration(project)).toMatchObject({
      demonstrationState: 'FILLED',
      progress: 1,
      problem: null,
    });
  });

  it('has labelled accounts in several countries with sessions and decisions', () => {
    expect(accounts.size).toBe(DEMONSTRATION_ACCOUNTS);
    for (const { accountId, group, metadata, numSessions, decisions } of accounts.values()) {
      expect(accountId).toMatch(/^demo-/);
      expect(group).toBe('demo');
      expect(metadata).toMatchObject({ demonstration: true });
      expect(numSessions).toBeGreaterThan(0);
      expect(decisions.edges).toHaveLength(1);
    }
    expect(new Set([...accounts.values()].map(({ country }) => country)).size).toBeGreaterThan(8);
  });

  it('has decisions of all kinds', () => {
    expect(account('greta-hartwig').decision).toBe('REAL');
    expect(account('alex-rivers').decision).toBe('SUSPICIOUS');
    expect(account('crawler').decision).toBe('FAKE');
    expect(account('ring-quick-sale').decision).toBe('FAKE');
  });

  it('links the accounts of rings, of a family and of one person, and no others', () => {
    expect(linkedTo('alex-rivers')).toHaveLength(7);
    expect(account('alex-rivers').linkedAccounts.edges[0].matchTypes).toContain('PHONE');
    expect(linkedTo('ring-quick-sale')).toHaveLength(9);
    expect(account('ring-quick-sale').linkedAccounts.edges[0].matchTypes).toContain('DEVICE');
    expect(linkedTo('harriet-pemberton')).toEqual(['demo-edmund-pemberton']);
    expect(linkedTo('dorian-1').toSorted()).toEqual(['demo-dorian-2', 'demo-dorian-3']);
    expect(linkedTo('greta-hartwig')).toEqual([]);
  });

  it('has lists with members, and reported outcomes', async () => {
    const names = (name: string) => account(name).lists.map((list: Body) => list.name);
    expect(names('ring-quick-sale')).toContain('block');
    expect(names('ring-bulk-buyer')).toContain('Demo: suspected rings');
    expect(names('greta-hartwig')).toContain('Demo: regular customers');
    expect(names('harriet-pemberton')).toContain('Demo: trusted partners');
    expect(account('ring-quick-sale').outcomeLabel).toBe('FRAUD');
    expect(account('greta-hartwig').outcomeLabel).toBe('LEGITIMATE');
    const { lists } = await project.graphql('{ lists(first: 20) { edges { node { name description } } } }');
    const own = lists.edges.filter(({ node }: Body) => node.name.startsWith('Demo: '));
    expect(own).toHaveLength(3);
    for (const { node } of own) expect(node.description).toMatch(/^Demonstration data: /);
  });

  it('has rules with matches, one of them a shadow rule', async () => {
    const { rules } = await project.graphql(`{ rules(first: 20) { edges { node {
      name description ruleState matches(first: 1) { totalCount { value } } } } } }`);
    const states = new Map(rules.edges.map(({ node }: Body) => [node.name, node.ruleState]));
    expect(Object.fromEntries(states)).toEqual({
      'Demo: many accounts on one device': 'ENABLED',
      'Demo: hidden location': 'SHADOW',
      'Demo: rejected document': 'ENABLED',
    });
    for (const { node } of rules.edges) {
      expect(node.description).toMatch(/^Demonstration data: /);
      expect(node.matches.totalCount.value).toBeGreaterThan(0);
    }
  });

  it('has simulated verifications: accepted, rejected, reviewed, and with a repeated face', async () => {
    const { verifications } = await project.graphql(`{ verifications(first: 20) { edges { node {
      accountId state simulated rawDecision riskFlags review { reviewDecision } } } } }`);
    const of = new Map(
      verifications.edges.map(({ node }: Body) => [node.accountId.replace(/-[0-9a-f]{6}$/, ''), node]),
    ) as Map<string, Body>;
    expect(of.get('demo-greta-hartwig')).toMatchObject({
      ...{ state: 'COMPLETED', simulated: true, rawDecision: 'REAL' },
    });
    expect(of.get('demo-alex-rivers')).toMatchObject({ state: 'COMPLETED', rawDecision: 'FAKE' });
    expect(of.get('demo-sam-stone')).toMatchObject({ review: { reviewDecision: 'REJECTED' } });
    expect(of.get('demo-noemie-castel')).toMatchObject({ review: { reviewDecision: 'APPROVED' } });
    expect(of.get('demo-ring-quick-sale')).toMatchObject({ riskFlags: ['REPEAT_FACE'] });
  });

  it('has email checks, failed deliveries of webhooks, statistics and entries of the audit log', async () => {
    const rows = await rowsOfProject(gateway, project.projectId);
    expect(rows).toMatchObject({
      email_checks: 9,
      webhook_attempts: expect.any(Number),
      project_counters: expect.any(Number),
    });
    const { auditLog } = await project.graphql(
      '{ auditLog(filter: { actions: [DEMONSTRATION_DATA_CREATE] }) { edges { node { target } } } }',
    );
    expect(auditLog.edges).toEqual([{ node: { target: 'demonstration_data' } }]);
  });

  it('changes no other project', async () => {
    expect(await rowsOfProject(gateway, other.projectId)).toEqual(rowsOfOther);
  });

  it('is not filled twice', async () => {
    const { body } = await project.rawGraphql(CREATE);
    expect(codeOf(body)).toBe('demonstration_data.exists');
    expect(body.errors[0].message).toContain('filled');
    await settleAll(gateway, project);
    expect(await countAccounts(project)).toBe(DEMONSTRATION_ACCOUNTS);
  });
});

it('two requests at the same time create one set', { timeout: 120_000 }, async () => {
  const project = await gateway.project();
  const answers = await Promise.all([project.rawGraphql(CREATE), project.rawGraphql(CREATE)]);
  expect(answers.map(({ body }) => codeOf(body)).toSorted()).toEqual([
    'demonstration_data.exists',
    undefined,
  ]);
  await settleAll(gateway, project);
  expect(await countAccounts(project)).toBe(DEMONSTRATION_ACCOUNTS);
  expect(await stateOfDemonstration(project)).toMatchObject({ demonstrationState: 'FILLED' });
});

describe('a request is rejected', () => {
  it('in a production project', async () => {
    const project = await gateway.project({ environment: 'production' });
    expect(codeOf((await project.rawGraphql(CREATE)).body)).toBe('demonstration_data.in_production');
    expect(await stateOfDemonstration(project)).toBeNull();
    expect(await countAccounts(project)).toBe(0);
  });

  it('without demonstration data to remove', async () => {
    const project = await gateway.project();
    expect(codeOf((await project.rawGraphql(REMOVE)).body)).toBe('demonstration_data.not_found');
  });

  it.each(['read', 'server'] as const)('with a key of the role %s', async (role) => {
    const project = await gateway.project();
    const { key } = await gateway.app.projects.createKey(project.projectId, role);
    const client = project.withKey(key);
    expect(codeOf((await client.rawGraphql(CREATE)).body)).toBe('auth.forbidden');
    expect(codeOf((await client.rawGraphql(REMOVE)).body)).toBe('auth.forbidden');
    expect(await stateOfDemonstration(client)).toBeNull();
  });
});
