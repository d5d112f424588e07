import { randomUUID } from 'node:crypto';
import type { EventType } from '@vouchgraph/events/internals/catalogue/event-type';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { list } from '../../support/lists.ts';
import { createEventWriter, sampleData, type WrittenEvent } from '../../support/outbox.ts';
import { connectAs } from '../../support/sql.ts';

/** Pages of events, and their totals, need a bounded number of statements and decrypted rows. */

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let write: (events: readonly WrittenEvent[]) => Promise<void>;

beforeAll(async () => {
  gateway = await startGateway({ masterKey, worksInBackground: false });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  project = await gateway.project();
  write = await createEventWriter(gateway, masterKey, project.projectId);
});

const dataOf = (type: EventType): Body => sampleData(type);

/** The response to a query, with its statements of one prefix. */
async function statementsOf(query: string, prefix: string, variables: Body = {}) {
  await gateway.app.settleEvents();
  gateway.takeTrips();
  const { events } = await project.graphql(query, variables);
  const statements = gateway.takeTrips().flat();
  return { events, statements: statements.filter((name) => name.startsWith(prefix)) };
}

const erasures = (count: number): WrittenEvent[] =>
  Array.from({ length: count }, () => {
    const type = 'account.deleted';
    return { type, data: { ...dataOf(type), account_id: unique('erased') } };
  });

describe('the objects of a page of events are read in one statement', () => {
  it('lists', async () => {
    const names: string[] = [];
    for (let index = 0; index < 20; index += 1) names.push(await list(project));
    const type = 'list.account_added';
    await write(names.map((name) => ({ type, data: { ...dataOf(type), list: name } })));
    const query = `{ events(types: [LIST_ACCOUNT_ADDED], first: 20) { edges { node {
      ... on ListChangedEvent { list { name } } } } } }`;
    const { events, statements } = await statementsOf(query, 'prisma');
    expect(events.edges.map(({ node }: Body) => node.list.name)).toEqual(names);
    expect(statements).toHaveLength(1);
  });

  it('identity groups', async () => {
    const group = () => randomUUID();
    const type = 'identity_group.split';
    const split = () => ({ ...dataOf(type), identity_group_id: group(), new_group_id: group() });
    await write(Array.from({ length: 20 }, () => ({ type, data: split() })));
    const query = `{ events(types: [IDENTITY_GROUP_SPLIT], first: 20) { edges { node {
      ... on IdentityGroupSplitEvent { identityGroup { id } newIdentityGroup { id } } } } } }`;
    const { events, statements } = await statementsOf(query, 'identity.find');
    expect(events.edges).toHaveLength(20);
    expect(statements).toHaveLength(1);
  });
});

describe('events of an account among many that name it only by its encrypted id', () => {
  const PAGE = `query ($id: ID, $first: Int, $last: Int, $after: String, $before: String) {
    events(accountId: $id, first: $first, last: $last, after: $after, before: $before) {
      edges { node { type } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
  const typesOf = (events: Body) => events.edges.map(({ node }: Body) => node.type);

  it('are paged in at most two reads, forward and backward', async () => {
    const id = unique('after-erasures');
    await write(erasures(1300));
    await project.authenticate({ id });
    const after = await statementsOf(PAGE, 'event.read', { id, first: 5 });
    expect(after.events).toMatchObject({ edges: [], pageInfo: { hasNextPage: true, startCursor: null } });
    expect(after.statements).toHaveLength(2);
    const { endCursor } = after.events.pageInfo;
    const next = await statementsOf(PAGE, 'event.read', { id, first: 5, after: endCursor });
    expect(typesOf(next.events)).toEqual(['ACCOUNT_AUTHENTICATED']);
    expect(next.events.pageInfo.hasNextPage).toBe(false);

    const back = await statementsOf(PAGE, 'event.read', { id, last: 5 });
    expect(typesOf(back.events)).toEqual(typesOf(next.events));
    expect(back.events.pageInfo.hasPreviousPage).toBe(true);
    expect(back.statements).toHaveLength(2);
    const { startCursor } = back.events.pageInfo;
    const first = await statementsOf(PAGE, 'event.read', { id, last: 5, before: startCursor });
    expect(first.events).toMatchObject({ edges: [], pageInfo: { hasPreviousPage: false } });
  });

  it('are counted exactly from at most 1,000 decrypted rows, and with a lower bound from more', async () => {
    const COUNT = `query ($id: ID, $types: [EventType!]) {
      events(accountId: $id, types: $types) { totalCount { value isExact } } }`;
    const id = unique('counted');
    const types = ['ACCOUNT_DELETED'];
    const mine: WrittenEvent = {
      type: 'account.deleted',
      data: { ...dataOf('account.deleted'), account_id: id },
    };
    await write([mine, ...erasures(999)]);
    const counted = async (variables: Body) => {
      const { events, statements } = await statementsOf(COUNT, 'event.', { id, ...variables });
      return { ...events.totalCount, decrypts: statements.includes('event.read_without_account') };
    };
    expect(await counted({ types })).toEqual({ value: 1, isExact: true, decrypts: true });
    await write([...erasures(1), mine]);
    expect(await counted({ types })).toEqual({ value: 1, isExact: false, decrypts: true });
    expect(await counted({})).toEqual({ value: 1, isExact: false, decrypts: true });
    await project.authenticate({ id });
    const columns = { types: ['ACCOUNT_AUTHENTICATED'] };
    expect(await counted(columns)).toEqual({ value: 1, isExact: true, decrypts: false });
    expect(await counted({ id: null })).toMatchObject({ isExact: true, decrypts: false });
  });
});

it('a page decrypts no more events than it shows when columns answer its conditions', async () => {
  await write(erasures(30));
  const { events, statements } = await statementsOf(
    '{ events(first: 7) { edges { cursor } pageInfo { hasNextPage } } }',
    'event.read',
  );
  expect(events).toMatchObject({ pageInfo: { hasNextPage: true } });
  expect(events.edges).toHaveLength(7);
  expect(statements).toHaveLength(1);
});

it('a page of few types ends after a bounded number of positions, and the next one continues behind it', async () => {
  const type = 'list.account_added';
  const one = (name: string) => write([{ type, data: { ...dataOf(type), list: name } }]);
  await one('first');
  await gateway.app.settleEvents();
  const client = await connectAs(gateway.database, 'vouchgraph_system');
  await client.query('update outbox_positions set position = position + 1200000 where project_id = $1', [
    project.projectId,
  ]);
  await client.end();
  await one('second');
  const pages = async (argument: string, cursor: string, next: string) => {
    const names: string[][] = [];
    for (let at: string | null = null; ; ) {
      const position = at === null ? '' : `, ${argument}: "${at}"`;
      const { events }: Body = await project.graphql(
        `{ events(types: [LIST_ACCOUNT_ADDED], ${cursor}: 5${position}) { totalCount { value isExact }
          edges { node { data } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`,
      );
      expect(events.totalCount).toEqual({ value: 1, isExact: false });
      names.push(events.edges.map(({ node }: Body) => node.data.list));
      if (!events.pageInfo[next]) return names;
      at = events.pageInfo[argument === 'after' ? 'endCursor' : 'startCursor'];
    }
  };
  await gateway.app.settleEvents();
  expect(await pages('after', 'first', 'hasNextPage')).toEqual([['first'], [], ['second']]);
  expect(await pages('before', 'last', 'hasPreviousPage')).toEqual([['second'], [], ['first']]);
  const newest = await project.graphql(
    '{ events(types: [LIST_ACCOUNT_ADDED], last: 1) { edges { cursor } pageInfo { hasPreviousPage } } }',
  );
  const [{ cursor }] = newest.events.edges;
  const { events } = await project.graphql(
    `{ events(types: [LIST_ACCOUNT_REMOVED], first: 5, before: "${cursor}") { edges { cursor } pageInfo { hasNextPage } } }`,
  );
  expect(events).toMatchObject({ edges: [], pageInfo: { hasNextPage: true } });
});
