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

describe('events of an account among many that name another one only by its encrypted id', () => {
  const PAGE = `query ($id: ID, $first: Int, $last: Int, $types: [EventType!]) {
    events(accountId: $id, first: $first, last: $last, types: $types) {
      edges { node { type } } pageInfo { hasNextPage hasPreviousPage } totalCount { value isExact } } }`;
  const deleted = (id: string): WrittenEvent => ({
    type: 'account.deleted',
    data: { ...dataOf('account.deleted'), account_id: id },
  });

  it('are paged and counted exactly in one read each, forward and backward', async () => {
    const id = unique('after-erasures');
    await write([deleted(id), ...erasures(1300)]);
    await project.authenticate({ id });
    await write([...erasures(1300), deleted(id)]);
    const page = async (variables: Body) => {
      const { events, statements } = await statementsOf(PAGE, 'event.', { id, ...variables });
      expect(statements.filter((name) => name.startsWith('event.read'))).toHaveLength(1);
      expect(statements.filter((name) => name.startsWith('event.count'))).toHaveLength(1);
      return { ...events, edges: events.edges.map(({ node }: Body) => node.type) };
    };
    const all = ['ACCOUNT_DELETED', 'ACCOUNT_AUTHENTICATED', 'ACCOUNT_DELETED'];
    const totalCount = { value: 3, isExact: true };
    const [noNext, noPrevious] = [{ hasNextPage: false }, { hasPreviousPage: false }];
    expect(await page({ first: 3 })).toMatchObject({ edges: all, pageInfo: noNext, totalCount });
    expect(await page({ last: 3 })).toMatchObject({ edges: all, pageInfo: noPrevious, totalCount });
    expect(await page({ first: 2 })).toMatchObject({
      edges: all.slice(0, 2),
      pageInfo: { hasNextPage: true },
    });
    expect(await page({ last: 2 })).toMatchObject({
      edges: all.slice(1),
      pageInfo: { hasPreviousPage: true },
    });
    expect(await page({ first: 3, types: ['ACCOUNT_DELETED'] })).toMatchObject({
      edges: ['ACCOUNT_DELETED', 'ACCOUNT_DELETED'],
      pageInfo: noNext,
      totalCount: { value: 2, isExact: true },
    });
    expect(await page({ id: unique('unknown'), first: 3 })).toMatchObject({
      edges: [],
      pageInfo: noNext,
      totalCount: { value: 0, isExact: true },
    });
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
