import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import {
  type Body,
  type Gateway,
  projectClient,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

const OUTCOME = 'id accountId outcome at note actor reportedAt account { accountId }';
const REPORT = `mutation ($input: ReportOutcomeInput!) {
  reportOutcome(input: $input) { requestId isNew outcome { ${OUTCOME} } account { accountId outcomeLabel } } }`;
const RETRACT = `mutation ($id: ID!) {
  retractOutcome(input: { id: $id }) { requestId deletedId account { accountId outcomeLabel } } }`;
const LABEL = `query ($id: ID!) { account(accountId: $id) {
  outcomeLabel reportedOutcomes { totalCount { value isExact } edges { cursor node { ${OUTCOME} } } } } }`;

let gateway: Gateway;
let project: TestProject;
const clock = new TestClock();
const MASTER_KEY = generateMasterKey();
beforeAll(async () => {
  gateway = await startGateway({ clock, masterKey: MASTER_KEY, worksInBackground: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

/** Tolerated difference of clocks. */
const TOLERANCE_MS = 10 * 60_000;
const at = (day: number) => `2026-03-${String(day).padStart(2, '0')}T12:00:00.000Z`;

async function report(accountId: string, outcome: string, day: number, more: Body = {}, by = project) {
  const { reportOutcome } = await by.graphql(REPORT, { input: { accountId, outcome, at: at(day), ...more } });
  return reportOutcome;
}

async function read(accountId: string, by = project) {
  return (await by.graphql(LABEL, { id: accountId })).account;
}

async function refusal(query: string, variables: Body, by = project) {
  const { body } = await by.rawGraphql(query, variables);
  expect(body.errors, JSON.stringify(body)).toHaveLength(1);
  return { code: body.errors[0].extensions.code, message: body.errors[0].message };
}

async function account(): Promise<string> {
  const id = unique('account');
  await project.authenticate({ id });
  return id;
}

describe('a reported outcome', () => {
  it('labels its account, and is returned by the account, by its id and in the audit log', async () => {
    const id = await account();
    expect(await read(id)).toMatchObject({ outcomeLabel: null, reportedOutcomes: { edges: [] } });
    const { outcome, ...answer } = await report(id, 'CHARGEBACK', 5, { note: 'card 1 of Ada' });
    expect(answer).toMatchObject({ isNew: true, account: { accountId: id, outcomeLabel: 'FRAUD' } });
    expect(outcome).toMatchObject({
      accountId: id,
      outcome: 'CHARGEBACK',
      at: at(5),
      note: 'card 1 of Ada',
      reportedAt: clock.now().toISOString(),
      account: { accountId: id },
    });
    expect(outcome.actor).toMatch(/^vg_test_/);
    const { node } = await project.graphql(
      `query ($id: ID!) { node(id: $id) { ... on AccountOutcome { ${OUTCOME} } } }`,
      { id: outcome.id },
    );
    expect(node).toEqual(outcome);
    const { auditLog } = await project.graphql(
      `query ($id: ID!) { auditLog(accountId: $id) { edges { node { action after } } } }`,
      { id },
    );
    const [entry] = auditLog.edges.map((edge: Body) => edge.node);
    expect(entry.action).toBe('OUTCOME_REPORT');
    expect(JSON.stringify(entry)).not.toContain('Ada');
    expect(JSON.stringify(entry)).not.toContain(id);
  });

  it('determines the label when it is reported last, also with an earlier time', async () => {
    const id = await account();
    await report(id, 'FRAUD', 9);
    const correction = await report(id, 'LEGITIMATE', 8);
    expect(correction.account.outcomeLabel).toBe('LEGITIMATE');
    expect((await report(id, 'CHARGEBACK', 10)).account.outcomeLabel).toBe('FRAUD');
    expect((await report(id, 'LEGITIMATE', 1)).account.outcomeLabel).toBe('LEGITIMATE');
    // The correction is stored, and is reported last now.
    const repeated = await report(id, 'CHARGEBACK', 10);
    expect(repeated).toMatchObject({ isNew: true, account: { outcomeLabel: 'FRAUD' } });
    const { outcomeLabel, reportedOutcomes: outcomes } = await read(id);
    expect(outcomeLabel).toBe('FRAUD');
    expect(outcomes.totalCount).toEqual({ value: 4, isExact: true });
    expect(outcomes.edges.map(({ node }: Body) => node.at)).toEqual([at(10), at(1), at(8), at(9)]);
  });

  it('of the same time counts when it is reported last, also in the same millisecond and after a correction', async () => {
    const id = await account();
    for (const [outcome, label] of [
      ['FRAUD', 'FRAUD'],
      ['LEGITIMATE', 'LEGITIMATE'],
      ['FRAUD', 'FRAUD'],
      ['LEGITIMATE', 'LEGITIMATE'],
      ['CHARGEBACK', 'FRAUD'],
      ['LEGITIMATE', 'LEGITIMATE'],
    ] as const)
      expect(await report(id, outcome, 4)).toMatchObject({
        isNew: true,
        outcome: { outcome },
        account: { outcomeLabel: label },
      });
    expect(await report(id, 'LEGITIMATE', 4)).toMatchObject({ isNew: false });
    const { edges } = (await read(id)).reportedOutcomes;
    expect(edges.map(({ node }: Body) => node.outcome)).toEqual(['LEGITIMATE', 'CHARGEBACK', 'FRAUD']);
  });

  it('that two requests correct at the same time is the one that was stored last', async () => {
    const id = await account();
    await report(id, 'FRAUD', 4);
    await Promise.all([report(id, 'LEGITIMATE', 4), report(id, 'CHARGEBACK', 4)]);
    const { outcomeLabel, reportedOutcomes } = await read(id);
    const [latest] = reportedOutcomes.edges;
    expect(outcomeLabel).toBe(latest.node.outcome === 'LEGITIMATE' ? 'LEGITIMATE' : 'FRAUD');
    expect(reportedOutcomes.edges).toHaveLength(3);
    expect(reportedOutcomes.edges[2].node.outcome).toBe('FRAUD');
    expect((await report(id, 'FRAUD', 4)).account.outcomeLabel).toBe('FRAUD');
  });

  it('determines the label when it is reported last, also by a gateway whose clock is ten minutes behind', async () => {
    const behind = await startGateway({
      database: gateway.database,
      masterKey: MASTER_KEY,
      clock: new TestClock(new Date(clock.now().getTime() - TOLERANCE_MS)),
      worksInBackground: false,
    });
    try {
      const other = projectClient(behind.baseUrl, project.projectId, project.key);
      const id = await account();
      await report(id, 'FRAUD', 4);
      expect((await report(id, 'LEGITIMATE', 4, {}, other)).account.outcomeLabel).toBe('LEGITIMATE');
      await report(id, 'CHARGEBACK', 4);
      const { outcome } = await report(id, 'LEGITIMATE', 5, {}, other);
      await report(id, 'FRAUD', 4, {}, other);
      const { outcomeLabel, reportedOutcomes } = await read(id);
      expect(outcomeLabel).toBe('FRAUD');
      expect(reportedOutcomes.edges.map(({ node }: Body) => [node.outcome, node.at])).toEqual([
        ['FRAUD', at(4)],
        ['LEGITIMATE', at(5)],
        ['CHARGEBACK', at(4)],
        ['LEGITIMATE', at(4)],
      ]);
      await Promise.all([report(id, 'CHARGEBACK', 6), report(id, 'LEGITIMATE', 6, {}, other)]);
      const [last] = (await read(id)).reportedOutcomes.edges;
      expect((await read(id, other)).outcomeLabel).toBe(
        last.node.outcome === 'LEGITIMATE' ? 'LEGITIMATE' : 'FRAUD',
      );
      await project.graphql(RETRACT, { id: outcome.id });
      expect(await report(id, 'CHARGEBACK', 7)).toMatchObject({ account: { outcomeLabel: 'FRAUD' } });
    } finally {
      await behind.close();
    }
  });

  it('is paged in both directions', async () => {
    const id = await account();
    for (const day of [1, 2, 3]) await report(id, 'FRAUD', day);
    const page = async (args: string) => {
      const query = `query ($id: ID!) { account(accountId: $id) { reportedOutcomes(${args}) {
        pageInfo { hasNextPage hasPreviousPage } edges { cursor node { at } } } } }`;
      const { reportedOutcomes: outcomes } = (await project.graphql(query, { id })).account;
      return {
        ...outcomes.pageInfo,
        edges: outcomes.edges,
        days: outcomes.edges.map((edge: Body) => edge.node.at),
      };
    };
    const first = await page('first: 2');
    expect(first).toMatchObject({ days: [at(3), at(2)], hasNextPage: true });
    expect(await page(`first: 2, after: "${first.edges[1].cursor}"`)).toMatchObject({
      days: [at(1)],
      hasNextPage: false,
      hasPreviousPage: true,
    });
    expect((await page('last: 2')).days).toEqual([at(2), at(1)]);
  });

  it('that is repeated changes nothing, also with concurrent requests', async () => {
    const id = await account();
    const [one, other] = await Promise.all([
      report(id, 'FRAUD', 3, { note: 'first' }),
      report(id, 'FRAUD', 3, { note: 'second' }),
    ]);
    expect([one.isNew, other.isNew].sort()).toEqual([false, true]);
    expect(one.outcome).toEqual(other.outcome);
    const again = await report(id, 'FRAUD', 3);
    expect(again).toMatchObject({ isNew: false, outcome: one.outcome });
    expect((await read(id)).reportedOutcomes.edges).toHaveLength(1);
    const { auditLog } = await project.graphql(
      `query ($id: ID!) { auditLog(accountId: $id) { edges { node { action } } } }`,
      { id },
    );
    expect(auditLog.edges).toHaveLength(1);
  });

  it('is retracted once, after which the previous one determines the label again', async () => {
    const id = await account();
    await report(id, 'LEGITIMATE', 2);
    const mistake = await report(id, 'FRAUD', 4);
    expect(mistake.account.outcomeLabel).toBe('FRAUD');
    const [{ retractOutcome }, second] = await Promise.all([
      project.graphql(RETRACT, { id: mistake.outcome.id }),
      report(id, 'LEGITIMATE', 1),
    ]);
    expect(second.isNew).toBe(true);
    expect(retractOutcome).toMatchObject({
      deletedId: mistake.outcome.id,
      account: { accountId: id, outcomeLabel: 'LEGITIMATE' },
    });
    expect(await refusal(RETRACT, { id: mistake.outcome.id })).toMatchObject({ code: 'outcome.not_found' });
    const { node } = await project.graphql('query ($id: ID!) { node(id: $id) { id } }', {
      id: mistake.outcome.id,
    });
    expect(node).toBeNull();
    // A new report is a new outcome.
    expect((await report(id, 'FRAUD', 4)).isNew).toBe(true);
  });

  it('can be ten minutes ahead of the clock of the gateway', async () => {
    const accountId = unique('ahead');
    await project.authenticate({ id: accountId });
    const ahead = new Date(clock.now().getTime() + TOLERANCE_MS).toISOString();
    const input = { accountId, outcome: 'FRAUD', at: ahead };
    expect((await project.graphql(REPORT, { input })).reportOutcome.outcome.at).toBe(ahead);
  });

  it('with invalid input is rejected, and nothing is stored', async () => {
    const id = await account();
    const input = { accountId: id, outcome: 'FRAUD', at: at(1) };
    const future = new Date(clock.now().getTime() + TOLERANCE_MS + 1).toISOString();
    expect(await refusal(REPORT, { input: { ...input, at: future } })).toEqual({
      code: 'input.invalid',
      message: 'at: must not be in the future',
    });
    const long = { ...input, note: 'x'.repeat(1025) };
    expect((await refusal(REPORT, { input: long })).message).toBe(
      'input.note: must be at most 1024 characters',
    );
    expect(await refusal(REPORT, { input: { ...input, accountId: unique('nobody') } })).toMatchObject({
      code: 'account.not_found',
    });
    expect((await refusal(REPORT, { input: { ...input, accountId: '' } })).code).toBe('input.invalid');
    for (const wrong of [
      'x',
      globalIdOf('Account', crypto.randomUUID()),
      globalIdOf('AccountOutcome', crypto.randomUUID()),
    ])
      expect((await refusal(RETRACT, { id: wrong })).code).toBe('outcome.not_found');
    expect(await read(id)).toMatchObject({ outcomeLabel: null, reportedOutcomes: { edges: [] } });
  });

  it('is neither read nor retracted by another project', async () => {
    const other = await gateway.project();
    const id = await account();
    await other.authenticate({ id });
    const { outcome } = await report(id, 'FRAUD', 1);
    expect(await read(id, other)).toMatchObject({ outcomeLabel: null, reportedOutcomes: { edges: [] } });
    expect((await refusal(RETRACT, { id: outcome.id }, other)).code).toBe('outcome.not_found');
    const { node } = await other.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: outcome.id });
    expect(node).toBeNull();
    expect((await read(id)).outcomeLabel).toBe('FRAUD');
  });

  it('needs one statement for the labels, one for the outcomes of a page of accounts, and one for outcomes by their ids', async () => {
    const own = await gateway.project();
    for (const index of [1, 2, 3]) {
      const id = unique(`many-${index}`);
      await own.authenticate({ id });
      await report(id, 'FRAUD', index, {}, own);
    }
    gateway.takeStatements();
    const { accounts } = await own.graphql(
      '{ accounts { edges { node { outcomeLabel reportedOutcomes { edges { node { at } } } } } } }',
    );
    expect(accounts.edges).toHaveLength(3);
    const sent = gateway.takeStatements().filter((name) => name.startsWith('prisma:'));
    expect(sent).toEqual(['prisma:SELECT', 'prisma:SELECT']);
    const stored =
      '{ accounts { edges { node { reportedOutcomes { edges { node { id } } } decisions { edges { node { id } } } } } } }';
    const { edges } = (await own.graphql(stored)).accounts;
    const idsOf = (connection: Body): string[] => connection.edges.map(({ node }: Body) => node.id);
    const ids = edges.flatMap(({ node }: Body) => [
      ...idsOf(node.reportedOutcomes),
      ...idsOf(node.decisions),
    ]);
    gateway.takeStatements();
    const fields = '... on AccountOutcome { accountId note } ... on Decision { accountId flags }';
    const { nodes } = await own.graphql(`query ($ids: [ID!]!) { nodes(ids: $ids) { ${fields} } }`, { ids });
    expect(nodes).toHaveLength(6);
    expect(gateway.takeStatements().filter((name) => name.startsWith('prisma:'))).toHaveLength(2);
    gateway.takeTrips();
    await report(accounts.edges.length === 3 ? await firstOf(own) : '', 'LEGITIMATE', 9, {}, own);
    const trips = gateway.takeTrips().map((names) => names.map((name) => name.replace(/_\d+$/, '')));
    const begins = trips.findIndex(([name]) => name === 'begin');
    expect(trips.slice(begins, begins + 5)).toEqual([
      ['begin', 'account.lock'],
      ['prisma'],
      ['prisma'],
      ['prisma'],
      ['audit.insert', 'event.insert', 'commit'],
    ]);
  });

  it('is erased with its account', async () => {
    const id = await account();
    const { outcome } = await report(id, 'FRAUD', 1, { note: unique('note') });
    const system = await connectAs(gateway.database, 'vouchgraph_system');
    try {
      const stored = async () =>
        (await system.query('select 1 from account_outcomes where project_id = $1', [project.projectId]))
          .rowCount!;
      const before = await stored();
      expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
      expect(await stored()).toBe(before - 1);
    } finally {
      await system.end();
    }
    const { node } = await project.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: outcome.id });
    expect(node).toBeNull();
    expect((await refusal(REPORT, { input: { accountId: id, outcome: 'FRAUD', at: at(2) } })).code).toBe(
      'account.not_found',
    );
  });
});

async function firstOf(by: TestProject): Promise<string> {
  return (await by.graphql('{ accounts(first: 1) { edges { node { accountId } } } }')).accounts.edges[0].node
    .accountId;
}
