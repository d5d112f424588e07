import { GraphQLInputObjectType, getNamedType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/graphql/schema.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { add, list } from '../../support/lists.ts';
import { openCommandWorld } from '../commands/support.ts';

/* One range of times on every way in: a time of the year 10000 could be stored, and not be read again. */
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const MIN = '0001-01-01T00:00:00.000Z';
const MAX = '9999-12-31T23:59:59.999Z';
const RANGE = `must be between ${MIN} and ${MAX}; null is no time and no end`;
const BEYOND = [
  '9999-12-31T23:59:59-23:59',
  '9999-12-31T23:59:59.999-00:01',
  '0000-12-31T23:59:59Z',
  '0000-06-01T00:00:00Z',
  '0001-01-01T00:00:00+00:01',
];

/** Input types and arguments with a time, found in the schema. */
const TIME_FIELDS = Object.values(schema.getTypeMap())
  .filter((type) => type instanceof GraphQLInputObjectType)
  .flatMap((type) =>
    Object.values(type.getFields())
      .filter((field) => getNamedType(field.type).name === 'DateTime')
      .map((field) => [type.name, field.name]),
  );

const ADD = `mutation ($end: DateTime, $list: String!) {
  addAccountsToList(input: { list: $list, accountIds: ["nobody"], expiresAt: $end }) { requestId } }`;

describe.each(BEYOND)('the time %s is refused', (time) => {
  it('as a variable and in a document, with the remedy', async () => {
    for (const { body } of [
      await project.rawGraphql(ADD, { end: time, list: 'block' }),
      await project.rawGraphql(
        `mutation { addAccountsToList(input: { list: "block", accountIds: ["x"], expiresAt: "${time}" }) { requestId } }`,
      ),
      await project.rawGraphql(
        'query ($filter: SessionFilter) { sessions(filter: $filter) { edges { cursor } } }',
        {
          filter: { startedBefore: time },
        },
      ),
      await project.rawGraphql(`{ stats(since: "${time}", by: HOUR) { since } }`),
    ]) {
      expect(body.data).toBeUndefined();
      expect(body.errors[0].message).toContain(RANGE);
    }
  });

  it('by REST', async () => {
    const { status, body } = await project.rest('POST', '/session', { start_time: time });
    expect([status, body]).toEqual([
      400,
      { statusCode: 400, message: `start_time: ${RANGE}`, code: 'input.invalid' },
    ]);
  });
});

it('the schema has one type for times, which all inputs use', () => {
  expect(TIME_FIELDS.length).toBeGreaterThan(15);
  const times = /(At|Time|since|until|After|Before|resumeFrom)$/;
  const others = Object.values(schema.getTypeMap())
    .filter((type) => type instanceof GraphQLInputObjectType)
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter((field) => times.test(field.name) && getNamedType(field.type).name !== 'DateTime')
        .map((field) => `${type.name}.${field.name}: ${field.type}`),
    );
  expect(others).toEqual([]);
});

it('the command line refuses them too', async () => {
  const world = await openCommandWorld();
  try {
    for (const time of [BEYOND[0]!, '0000-01-01']) {
      const { code, errors } = await world.local.call('list', 'add', 'block', 'ada', '--expires', time);
      expect(code).not.toBe(0);
      expect(errors).toContain(
        'It must be between 0001-01-01 and 9999-12-31 in UTC. For no end, leave the option out.',
      );
    }
  } finally {
    await world.close();
  }
});

const SESSIONS = `query ($after: String, $direction: OrderDirection!) {
  sessions(first: 1, after: $after, orderBy: { field: START_TIME, direction: $direction }) {
    edges { node { sessionId startTime } } pageInfo { hasNextPage endCursor } } }`;
const MEMBERS = `query ($name: String!) { list(name: $name) {
  members(first: 1) { edges { node { accountId } expiresAt } } } }`;

describe('the first and the last accepted time', () => {
  it('of a session are read again, by itself, in pages and from its account', async () => {
    const own = await gateway.project();
    const times = [MIN, '2026-01-01T00:00:00.000Z', MAX];
    const account = unique('account');
    for (const start_time of times) {
      const answer = await own.authenticate({ id: account, email: `${account}@example.com` }, { start_time });
      expect((await own.rest('GET', `/session/${answer.session_id}`)).body.start_time).toBe(start_time);
      const other = await own.authenticate({ id: unique('other') }, { start_time });
      expect(other.account.last_session).toBe(other.session_id);
    }
    for (const direction of ['ASC', 'DESC']) {
      const found: string[] = [];
      let after: string | null = null;
      do {
        const { sessions }: Body = await own.graphql(SESSIONS, { after, direction });
        found.push(...sessions.edges.map(({ node }: Body) => node.startTime));
        after = sessions.pageInfo.hasNextPage ? sessions.pageInfo.endCursor : null;
      } while (after !== null);
      const each = times.flatMap((time) => [time, time]);
      expect(found).toEqual(direction === 'ASC' ? each : each.toReversed());
    }
    const state = await own.rest('GET', `/account/${account}`);
    expect([state.status, state.body.num_sessions]).toEqual([200, 3]);
    const filter = { lastSeenAfter: MIN, lastSeenBefore: MAX };
    const query =
      'query ($filter: AccountFilter) { accounts(filter: $filter, first: 10) { edges { node { accountId } } } }';
    expect((await own.graphql(query, { filter })).accounts.edges.length).toBeGreaterThan(0);
  });

  it('of a membership and of an outcome are read again', async () => {
    const account = unique('account');
    await project.authenticate({ id: account });
    const name = await list(project);
    await add(project, name, [account], { expiresAt: MAX });
    const { members } = (await project.graphql(MEMBERS, { name })).list;
    expect(members.edges).toEqual([{ node: { accountId: account }, expiresAt: MAX }]);
    const report = `mutation ($input: ReportOutcomeInput!) { reportOutcome(input: $input) { outcome { at } } }`;
    const input = { accountId: account, outcome: 'FRAUD', at: MIN };
    expect((await project.graphql(report, { input })).reportOutcome.outcome.at).toBe(MIN);
    const read = `query ($id: ID!) { account(accountId: $id) { reportedOutcomes { edges { node { at } } } } }`;
    const { account: found } = await project.graphql(read, { id: account });
    expect(found.reportedOutcomes.edges).toEqual([{ node: { at: MIN } }]);
  });
});
