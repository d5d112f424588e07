import { randomUUID } from 'node:crypto';
import { newId } from '@vouchgraph/platform/ids';
import { pageAfter } from '@vouchgraph/platform/keyset';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  countFoundDeliveries,
  type DeliveryFilter,
  searchDeliveries,
} from '../../../src/domain/webhooks/delivery-search-store.ts';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Body, type Gateway, startGateway, TestClock, type TestProject } from '../../support/gateway.ts';
import { planOf } from '../../support/plans.ts';
import { connectAs } from '../../support/sql.ts';
import { createEndpoint, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

const clock = new TestClock();
let gateway: Gateway;
let receiver: Receiver;
let app: pg.Client;
let system: pg.Client;
beforeAll(async () => {
  gateway = await startGateway({
    clock,
    worksInBackground: false,
    settings: { WEBHOOK_ALLOW_LOOPBACK: '1' },
  });
  receiver = await startReceiver();
  app = await connectAs(gateway.database, 'vouchgraph_app');
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await Promise.all([app.end(), system.end(), receiver.close()]);
  await gateway.close();
});

type Filter = Record<string, unknown>;

const SEARCH = `query ($filter: WebhookDeliveryFilter, $first: Int, $after: String, $last: Int, $before: String) {
  webhookDeliveries(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
    edges { node { deliveryId endpointId eventType deliveryState } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount { value isExact } } }`;

const search = async (project: TestProject, filter: Filter | null = null, page: Filter = {}): Promise<Body> =>
  (await project.graphql(SEARCH, { filter, ...page })).webhookDeliveries;
const nodesIn = ({ edges }: Body): Body[] => edges.map(({ node }: Body) => node);
const idsIn = (page: Body): string[] => nodesIn(page).map(({ deliveryId }) => deliveryId);

/** Result of a filter, as endpoint, type and state; newest first, with the total. */
async function found(project: TestProject, names: Record<string, string>, filter: Filter | null = null) {
  const page = await search(project, filter);
  const ids = idsIn(page);
  expect(ids).toEqual([...ids].sort().reverse());
  expect(page.totalCount).toEqual({ value: ids.length, isExact: true });
  return nodesIn(page)
    .map(({ endpointId, eventType, deliveryState }) => `${names[endpointId]} ${eventType} ${deliveryState}`)
    .sort();
}

/** The statements of a request, without those of its key. */
async function statementsOf(request: () => Promise<unknown>): Promise<string[]> {
  gateway.takeStatements();
  await request();
  const sent = gateway.takeStatements().filter((name) => !/^(set_project|key\.)/.test(name));
  return sent.map((name) => name.split(':')[0]!);
}

/**
 * A project whose endpoint `good` accepts and whose `gone` rejects: two types of events for the first, one for
 * the other.
 */
async function delivered() {
  const project = await gateway.project();
  receiver.answer(({ path }) => (path === '/gone' ? { status: 410 } : {}));
  const good = await createEndpoint(project, {
    url: receiver.url('/good'),
    eventTypes: ['account.authenticated', 'session.completed'],
  });
  const gone = await createEndpoint(project, {
    url: receiver.url('/gone'),
    eventTypes: ['account.authenticated'],
  });
  const session_id = await project.session();
  await gateway.app.settleWebhooks();
  clock.advance(60_000);
  const since = clock.now().toISOString();
  await project.rest('POST', '/session/authenticate', { session_id, account: { id: 'a' } });
  await gateway.app.settleWebhooks();
  return { project, good, gone, since, names: { [good.endpointId]: 'good', [gone.endpointId]: 'gone' } };
}

describe('deliveries of a project', () => {
  it('are all returned, the newest first, or filtered by a condition', async () => {
    const { project, good, gone, since, names } = await delivered();
    const ALL = [
      'gone ACCOUNT_AUTHENTICATED DEAD',
      'good ACCOUNT_AUTHENTICATED DELIVERED',
      'good SESSION_COMPLETED DELIVERED',
    ];
    const [dead, authenticated, completed] = ALL;
    expect(await found(project, names)).toEqual(ALL);
    expect(await found(project, names, { state: 'DEAD' })).toEqual([dead]);
    expect(await found(project, names, { state: 'DELIVERED' })).toEqual([authenticated, completed]);
    expect(await found(project, names, { state: 'WAITING' })).toEqual([]);
    expect(await found(project, names, { state: 'DROPPED' })).toEqual([]);
    for (const endpointId of [good.id, good.endpointId])
      expect(await found(project, names, { endpointId })).toEqual([authenticated, completed]);
    expect(await found(project, names, { eventType: 'SESSION_COMPLETED' })).toEqual([completed]);
    expect(await found(project, names, { since })).toEqual([dead, authenticated]);
    expect(await found(project, names, { until: since })).toEqual([completed]);
    const combined = { state: 'DEAD', endpointId: gone.id, eventType: 'ACCOUNT_AUTHENTICATED', since };
    expect(await found(project, names, combined)).toEqual([dead]);
    expect(await found(project, names, { ...combined, endpointId: good.id })).toEqual([]);
  });

  it('are paged in both directions, and include only those of the own project', async () => {
    const [{ project, names }, theirs] = [await delivered(), await delivered()];
    const whole = idsIn(await search(project));
    const first = await search(project, null, { first: 2 });
    const next = await search(project, null, { first: 2, after: first.pageInfo.endCursor });
    const back = await search(project, null, { last: 1, before: next.pageInfo.startCursor });
    expect([...idsIn(first), ...idsIn(next)]).toEqual(whole);
    expect(idsIn(back)).toEqual(whole.slice(1, 2));
    const missing = [theirs.good.id, theirs.good.endpointId, 'nonsense', globalIdOf('Rule', randomUUID())];
    for (const endpointId of missing) expect(await found(project, names, { endpointId })).toEqual([]);
    const { body } = await project.rawGraphql(SEARCH, {
      after: (await search(theirs.project)).pageInfo.endCursor,
    });
    expect(body.errors[0].extensions.code).toBe('input.invalid');
  });

  it('are readable by operators only, in one statement for the ids, one for the rows and one for the count', async () => {
    const { project } = await delivered();
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    const { body } = await project.withKey(key).rawGraphql(SEARCH, {});
    expect(body.errors[0].extensions.code).toBe('auth.forbidden');
    const sent = await statementsOf(() => search(project, { state: 'DEAD' }));
    expect(sent.toSorted()).toEqual(['delivery.count_found', 'delivery.search', 'prisma']);
  });

  it('are read with their endpoints and attempts with a constant number of statements', async () => {
    const { project, good, gone } = await delivered();
    const delivery = 'endpoint { url } attempts { status delivery { endpoint { url } } }';
    const sent = await statementsOf(async () => {
      const { webhookDeliveries } = await project.graphql(
        `{ webhookDeliveries { edges { node { ${delivery} } } } }`,
      );
      const nodes = nodesIn(webhookDeliveries);
      expect(nodes.map(({ endpoint }) => endpoint.url).toSorted()).toEqual(
        ['/gone', '/good', '/good'].map((path) => receiver.url(path)),
      );
      for (const { endpoint, attempts } of nodes)
        expect(attempts).toEqual([{ status: expect.any(Number), delivery: { endpoint } }]);
    });
    expect(sent).toEqual(['delivery.search', 'prisma']);
    // The endpoints, and the deliveries of all of them.
    const nested = `{ webhookEndpoints(first: 2) { edges { node { deliveries(first: 9) { edges { node { ${delivery} } } } } } } }`;
    expect(await statementsOf(() => project.graphql(nested))).toEqual(['prisma', 'prisma']);
    const refetched = await statementsOf(async () => {
      const { nodes } = await project.graphql(
        'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on WebhookEndpoint { url endpointState } } }',
        { ids: [good.id, gone.id] },
      );
      expect(nodes).toEqual([
        { url: receiver.url('/good'), endpointState: 'ENABLED' },
        { url: receiver.url('/gone'), endpointState: 'DISABLED' },
      ]);
    });
    expect(refetched).toEqual(['prisma']);
  });

  it('that disable endpoints emit events, whose endpoints are read in one statement', async () => {
    const project = await gateway.project();
    receiver.answer({ status: 410 });
    for (const path of ['/a', '/b', '/c'])
      await createEndpoint(project, { url: receiver.url(path), eventTypes: ['account.authenticated'] });
    await project.authenticate({ id: 'a' });
    await gateway.app.settleWebhooks();
    const sent = await statementsOf(async () => {
      const { events } = await project.graphql(`{ events(types: [WEBHOOK_ENDPOINT_DISABLED]) { edges { node {
        ... on WebhookEndpointDisabledEvent { webhookEndpoint { url } } } } } }`);
      expect(
        nodesIn(events)
          .map(({ webhookEndpoint }) => webhookEndpoint.url)
          .toSorted(),
      ).toEqual(['/a', '/b', '/c'].map((path) => receiver.url(path)));
    });
    expect(sent.filter((name) => name === 'prisma')).toHaveLength(1);
  });
});

describe('the plan of a search of deliveries', () => {
  it('reads an index in the order of the page', async () => {
    const { project, good } = await delivered();
    await system.query(
      `insert into webhook_deliveries (project_id, delivery_id, endpoint_id, event_id, event_created_at, event_type, position, payload_format, state)
       select $1, gen_random_uuid(), ('00000000-0000-7000-8000-00000000000' || n % 9)::uuid, gen_random_uuid(), now(), 'type ' || n % 20, n, 1,
         case n % 50 when 0 then 'dead' when 1 then 'dropped' when 2 then 'waiting' else 'delivered' end
       from generate_series(1, 5000) n`,
      [project.projectId],
    );
    const owner = await connectAs(gateway.database, 'owner');
    await owner.query('analyze webhook_deliveries');
    await owner.end();
    const page = pageAfter([newId()], 21);
    const filters: [string, DeliveryFilter][] = [
      ['webhook_deliveries_pkey', {}],
      ['webhook_deliveries_pkey', { state: 'delivered' }],
      ['webhook_deliveries_undelivered', { state: 'dead' }],
      ['webhook_deliveries_undelivered', { state: 'dropped' }],
      ['webhook_deliveries_undelivered', { state: 'waiting' }],
      ['webhook_deliveries_type', { eventType: 'type 7' }],
      ['webhook_deliveries_project_id_endpoint_id_delivery_id_idx', { endpointId: good.endpointId }],
    ];
    for (const [index, filter] of filters) {
      const plans = [
        await planOf(app, project.projectId, (database) => searchDeliveries(database, filter, page)),
        await planOf(app, project.projectId, (database) => countFoundDeliveries(database, filter, 11)),
      ];
      for (const plan of plans) {
        expect(plan).toContain(`using ${index} on`);
        expect(plan).not.toMatch(/Sort|Seq Scan/);
      }
    }
  });
});
