import { BodyCache } from '@vouchgraph/events/internals/webhooks/body-cache';
import { PER_ENDPOINT } from '@vouchgraph/events/internals/webhooks/slots';
import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import type { AppError } from '@vouchgraph/platform/errors';
import { newId } from '@vouchgraph/platform/ids';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NUMBER } from '../../../src/domain/events/outbox-store.ts';
import { createAccessService } from '../../../src/domain/projects/access-service.ts';
import {
  CLAIM,
  type ClaimedRow,
  FIND_DUE_ENDPOINTS,
  type QueueDatabase,
  queueRows,
} from '../../../src/domain/webhooks/delivery-queue-store.ts';
import { startDeliverer } from '../../../src/domain/webhooks/delivery-service.ts';
import { startDispatcher } from '../../../src/domain/webhooks/dispatch-service.ts';
import { createResultWriter } from '../../../src/domain/webhooks/result-service.ts';
import { type Call, openDatabase, type Transaction } from '../../../src/storage/database.ts';
import { createTestDatabase, queryAsAdmin, type TestDatabase } from '../../support/database.ts';
import {
  type Gateway,
  projectClient,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { createEventWriter } from '../../support/outbox.ts';
import { connectAs, expectLockWaits } from '../../support/sql.ts';
import {
  createEndpoint,
  deliveriesOf,
  type Receiver,
  startReceiver,
} from '../../support/webhook-receiver.ts';

const masterKey = generateMasterKey();
const settings = { WEBHOOK_ALLOW_LOOPBACK: '1' };
const TYPE = 'rule.custom';
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const clock = new TestClock();
let gateway: Gateway;
let system: pg.Client;
let project: TestProject;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway({ clock, masterKey, settings });
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});
beforeEach(async () => {
  project = await gateway.project();
  receiver = await startReceiver();
  return () => receiver.close();
});

const settle = (of = gateway) => of.app.settleWebhooks();
const countOf = async (table: string, client = system) =>
  (await client.query(`select 1 from ${table} where project_id = $1`, [project.projectId])).rowCount;
const emitEvents = async (events: { type: typeof TYPE; data: Record<string, unknown> }[]) =>
  (await createEventWriter(gateway, masterKey, project.projectId))(events);
const numbered = (count: number, data: Record<string, unknown> = {}) =>
  upTo(count).map((n) => ({ type: TYPE, data: { ...data, n } }) as const);

/** Encrypts other data for the events of a project: a later version would render other bodies of them. */
async function changeEvents(projectId: string, of: Gateway): Promise<void> {
  const { database } = of.app;
  const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock });
  const { cipher } = (await access.findProjectById(projectId))!;
  const client = await connectAs(of.database, 'vouchgraph_system');
  const { rows } = await client.query('select event_id from outbox_events where project_id = $1', [
    projectId,
  ]);
  for (const { event_id } of rows)
    await client.query('update outbox_events set payload = $3 where project_id = $1 and event_id = $2', [
      projectId,
      event_id,
      cipher.encryptCompactJson('outbox_events', event_id, { format: 1, changed: true }),
    ]);
  await client.end();
}

describe('the body of a delivery', () => {
  it('is the same at three attempts of two gateways, even when the event would now be rendered differently', async () => {
    await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    receiver.answer({ status: 500 });
    await emitEvents(numbered(1, { text: 'ü😀' }));
    await settle();
    expect(await countOf('webhook_bodies')).toBe(1);
    await changeEvents(project.projectId, gateway);
    const other = await startGateway({ database: gateway.database, masterKey, settings, clock });
    for (const wait of [6000, 400_000]) {
      clock.advance(wait);
      await Promise.all([settle(other), settle()]);
    }
    expect(receiver.received).toHaveLength(6);
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
    expect(receiver.received[0]!.body.data).toEqual({ n: 0, text: 'ü😀' });
    const [delivery] = await deliveriesOf(project, id);
    const query = `{ node(id: "${delivery!.id}") { ... on WebhookDelivery { body } } }`;
    expect((await project.graphql(query)).node.body).toBe(receiver.received[0]!.text);
    await other.close();
  });

  it('is stored encrypted, and erased with each account that it names', async () => {
    await createEndpoint(project, { url: receiver.url() });
    receiver.answer({ status: 500 });
    const [one, two] = [unique('one'), unique('two')];
    for (const id of [one, two]) await project.authenticate({ id, phone: '+14155550188' });
    await settle();
    const naming = receiver.received.filter(({ text }) => text.includes(one));
    expect(new Set(naming.map(({ body }) => body.type))).toContain('account.linked');
    const { rows } = await system.query('select body from webhook_bodies where project_id = $1', [
      project.projectId,
    ]);
    expect(rows.length).toBe(receiver.received.length);
    for (const { body } of rows) expect(body.toString('latin1')).not.toContain(one);
    await project.rest('DELETE', `/account/${one}`);
    const ids = naming.map(({ body }) => body.id);
    const left = await system.query('select 1 from webhook_bodies where event_id = any($1)', [ids]);
    expect(left.rowCount).toBe(0);
    receiver.received.length = 0;
    clock.advance(6000);
    await settle();
    const later = receiver.received.filter(({ body }) => body.type !== 'account.deleted');
    expect(later.length).toBeGreaterThan(0);
    for (const { text } of later) expect(text).not.toContain(one);
  });

  it('is deleted with an event that is erased while it is dispatched', async () => {
    const first = await startGateway({ clock, masterKey, settings });
    onTestFinished(() => first.database.drop());
    const own = await first.project();
    const { endpointId } = await createEndpoint(own, { url: receiver.url(), eventTypes: [TYPE] });
    const client = await connectAs(first.database, 'vouchgraph_system');
    onTestFinished(() => client.end());
    const setState = (state: string) =>
      client.query('update webhook_endpoints set state = $2 where endpoint_id = $1', [endpointId, state]);
    await setState('paused');
    const account_id = unique('erased');
    await own.authenticate({ id: account_id });
    await (await createEventWriter(first, masterKey, own.projectId))(numbered(1, { account_id }));
    await first.app.settleEvents();
    await first.app.close();
    await setState('enabled');
    const { dispatching, commit } = await dispatchedUncommitted(first);
    // Its own dispatcher leaves the endpoint to the one that holds it.
    const { database } = first;
    const next = await startGateway({ database, clock, masterKey, settings });
    onTestFinished(() => next.close());
    const erasing = projectClient(next.baseUrl, own.projectId, own.key).rest(
      'DELETE',
      `/account/${account_id}`,
    );
    const owner = await connectAs(database, 'owner');
    onTestFinished(() => owner.end());
    await expectLockWaits(owner, 1);
    commit();
    expect(await dispatching).toBe(1);
    expect((await erasing).status).toBe(200);
    expect((await client.query('select 1 from webhook_bodies')).rowCount).toBe(0);
    clock.advance(2 * AHEAD_MS);
    await settle(next);
    expect(receiver.received.filter(({ text }) => text.includes(account_id))).toEqual([]);
  });

  const AHEAD_MS = 60_000;

  /** Dispatches all events of a closed gateway up to the commit. The deliveries are due after AHEAD_MS. */
  async function dispatchedUncommitted(closed: Gateway) {
    const database = openDatabase({ connectionString: closed.database.ownerUrl, poolSize: 2 });
    onTestFinished(() => database.close());
    const [added, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const pausing: QueueDatabase = {
      queueTransaction: (work) =>
        database.system.queueTransaction((transaction) =>
          work({
            run: transaction.run,
            async commit(...calls) {
              const rows = await transaction.run(...calls);
              if (calls.some(([{ name }]) => name === 'webhook.insert_deliveries')) {
                added.resolve();
                await mayCommit.promise;
              }
              await transaction.commit();
              return rows;
            },
          }),
        ),
    };
    const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock });
    const ahead = new TestClock(new Date(clock.now().getTime() + AHEAD_MS));
    const dispatcher = startDispatcher({
      ...{ system: pausing, clock: ahead, cache: new BodyCache(), getProject: access.findProjectById },
      ...{ onDue: () => {}, onError: () => {} },
    });
    onTestFinished(() => mayCommit.resolve());
    const dispatching = dispatcher.dispatchAll();
    await added.promise;
    return { dispatching, commit: mayCommit.resolve };
  }
});

describe('a body that cannot be loaded', () => {
  /** Four deliveries of one endpoint that failed once and are due again, in a database whose gateway is closed. */
  async function failedDeliveries() {
    const gone = await startGateway({ clock, masterKey, settings });
    onTestFinished(() => gone.database.drop());
    const own = await gone.project();
    const { endpointId } = await createEndpoint(own, { url: receiver.url(), eventTypes: [TYPE] });
    receiver.answer({ status: 500 });
    await (await createEventWriter(gone, masterKey, own.projectId))(numbered(4));
    await settle(gone);
    await gone.app.close();
    receiver.answer({});
    receiver.received.length = 0;
    clock.advance(6000);
    const client = await connectAs(gone.database, 'vouchgraph_system');
    onTestFinished(() => client.end());
    const { rows } = await client.query(
      'select event_id from webhook_deliveries where project_id = $1 and endpoint_id = $2 order by position',
      [own.projectId, endpointId],
    );
    const eventIds: string[] = rows.map(({ event_id }) => event_id);
    const statesOf = async () => {
      const found = await client.query(
        'select state from webhook_deliveries where project_id = $1 order by position',
        [own.projectId],
      );
      return found.rows.map(({ state }) => state);
    };
    return { gone, own, client, eventIds, statesOf };
  }

  it('fails its own delivery, and the others of its claim are sent', async () => {
    const { gone, own, client, eventIds, statesOf } = await failedDeliveries();
    const access = createAccessService({
      database: gateway.app.database,
      masterKey: new MasterKey(masterKey),
      clock,
    });
    const { cipher } = (await access.findProjectById(project.projectId))!;
    const setBody = (eventId: string | undefined, body: Buffer) =>
      client.query('update webhook_bodies set body = $3 where project_id = $1 and event_id = $2', [
        own.projectId,
        eventId,
        body,
      ]);
    await setBody(eventIds[0], Buffer.from('damaged'));
    // Encrypted with the key of another project.
    await setBody(eventIds[2], cipher.encryptCompactJson('webhook_bodies', `${eventIds[2]} 1`, 'foreign'));
    // As after the expiry of its event.
    await client.query('delete from webhook_bodies where project_id = $1 and event_id = $2', [
      own.projectId,
      eventIds[3],
    ]);
    const next = await startGateway({ database: gone.database, masterKey, settings, clock });
    await settle(next);
    await next.app.close();
    expect(receiver.received.map(({ body }) => body.data.n)).toEqual([1]);
    expect(await statesOf()).toEqual(['dead', 'delivered', 'dead', 'dropped']);
  });

  /** A deliverer whose transactions `change` can modify; its deliveries, and its errors. */
  function startChanged(
    of: Gateway,
    change: (transaction: Transaction, calls: readonly Call[]) => Promise<unknown> | undefined,
  ) {
    const database = openDatabase({ connectionString: of.database.ownerUrl, poolSize: 2 });
    onTestFinished(() => database.close());
    const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock });
    const changed: QueueDatabase = {
      queueTransaction: (work) =>
        database.system.queueTransaction((transaction) =>
          work({
            run: transaction.run,
            async commit(...calls) {
              await change(transaction, calls);
              return transaction.commit(...calls);
            },
          }),
        ),
    };
    const sent: number[] = [];
    const errors: AppError[] = [];
    const deliverer = startDeliverer({
      system: changed,
      clock,
      cache: new BodyCache(),
      sender: {
        async send({ body }) {
          sent.push(JSON.parse(body).data.n);
          return { status: 200, error: '', answer: '', retryAfter: null, durationMs: 1 };
        },
        async close() {},
      },
      getProject: access.findProjectById,
      allowsLoopback: async () => true,
      onRoom: () => {},
      onError: (error) => void errors.push(error as AppError),
    });
    return { deliverer, sent, errors };
  }
  /** Whether a statement of this name has this id among its values. */
  const isOf = (calls: readonly Call[], statement: string, id: string | undefined) =>
    calls.some(([{ name }, values]) => name === statement && (values[1] as string[]).includes(id!));

  it('for a temporary reason delays only its own delivery', async () => {
    const { gone, eventIds, statesOf } = await failedDeliveries();
    let isFailing = true;
    const { deliverer, sent, errors } = startChanged(gone, (_, calls) => {
      if (isFailing && isOf(calls, 'webhook.read_bodies', eventIds[1]))
        throw new Error('the body does not load');
      return undefined;
    });
    await deliverer.drain();
    expect(sent.sort()).toEqual([0, 2, 3]);
    // Once for all of them, and once for the one.
    expect(errors.map(({ message }) => message)).toEqual(Array(2).fill('the body does not load'));
    expect(await statesOf()).toEqual(['delivered', 'waiting', 'delivered', 'delivered']);
    isFailing = false;
    clock.advance(60_000);
    await deliverer.drain();
    expect(sent).toEqual([0, 2, 3, 1]);
    await deliverer.close();
  });

  it('because its statement times out delays only its own delivery', async () => {
    const { gone, eventIds, statesOf } = await failedDeliveries();
    let isSlow = true;
    const { deliverer, sent, errors } = startChanged(gone, async (transaction, calls) => {
      if (!isSlow || !isOf(calls, 'webhook.read_bodies', eventIds[1])) return;
      await transaction.run([{ name: 'test.timeout', text: 'set local statement_timeout = 100' }, []]);
      await transaction.run([{ name: 'test.sleep', text: 'select pg_sleep(600)' }, []]);
    });
    await deliverer.drain();
    expect(sent.sort()).toEqual([0, 2, 3]);
    expect(errors.map(({ cause }) => (cause as { code: string }).code)).toEqual(['57014', '57014']);
    expect(await statesOf()).toEqual(['delivered', 'waiting', 'delivered', 'delivered']);
    isSlow = false;
    clock.advance(60_000);
    await deliverer.drain();
    expect(sent).toEqual([0, 2, 3, 1]);
    await deliverer.close();
  });

  it('because the connection is lost does not stop the deliveries of its claim that are loaded', async () => {
    const { gone, own, client, eventIds, statesOf } = await failedDeliveries();
    const { rows } = await client.query(
      'select event_id from webhook_deliveries where project_id = $1 order by delivery_id',
      [own.projectId],
    );
    // In the order in which they are loaded.
    const numbers: number[] = rows.map(({ event_id }) => eventIds.indexOf(event_id));
    const { deliverer, sent, errors } = startChanged(gone, async (transaction, calls) => {
      const [first, , third] = numbers.map((n) => isOf(calls, 'webhook.read_bodies', eventIds[n]));
      if (first && third) throw new Error('the bodies do not load together');
      if (!third) return;
      const [rows] = await transaction.run([
        { name: 'test.pid', text: 'select pg_backend_pid() as pid' },
        [],
      ]);
      await queryAsAdmin(`select pg_terminate_backend(${rows![0].pid}, 10000)`);
    });
    await deliverer.drain();
    expect(sent.sort()).toEqual(numbers.slice(0, 2).sort());
    expect(errors).toHaveLength(2);
    const states = await statesOf();
    expect(numbers.map((n) => states[n])).toEqual(['delivered', 'delivered', 'waiting', 'waiting']);
    await deliverer.close();
  });
});

/** Endpoints with due deliveries, in a database without a gateway. */
async function addDue(
  client: pg.Client,
  endpoints: number,
  each: number,
  isRetry = false,
): Promise<string[]> {
  const ids = upTo(endpoints).map(() => newId());
  await client.query(
    `insert into webhook_endpoints (project_id, endpoint_id, url, secret) select $1, e, 'https://127.0.0.1/', '' from unnest($2::uuid[]) e`,
    [project.projectId, ids],
  );
  await client.query(
    `insert into webhook_deliveries (project_id, delivery_id, endpoint_id, event_id, event_created_at, event_type, position,
       payload_format, attempts, is_retry, next_attempt_at)
     select $1, gen_random_uuid(), e, gen_random_uuid(), now(), $3, n, 1, $5::int, $5 > 0, $6
     from unnest($2::uuid[]) e, generate_series(1, $4::int) n`,
    [project.projectId, ids, TYPE, each, isRetry ? 1 : 0, clock.now()],
  );
  return ids;
}

type PlanNode = { [key: string]: unknown; Plans?: PlanNode[] };
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Rows of deliveries that a statement reads, the discarded ones too. */
async function rowsRead(client: pg.Client, text: string, values: unknown[]): Promise<number> {
  await client.query(
    'begin; set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_sort = off',
  );
  const { rows } = await client.query(`explain (analyze, format json) ${text}`, values);
  await client.query('rollback');
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan)
    .filter(
      (node) => /Scan/.test(String(node['Node Type'])) && node['Relation Name'] === 'webhook_deliveries',
    )
    .reduce((sum, node) => {
      const perLoop = Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0);
      return sum + perLoop * Number(node['Actual Loops']);
    }, 0);
}

describe('a claim', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeEach(async () => {
    database = await createTestDatabase();
    client = await connectAs(database, 'vouchgraph_system');
    return async () => {
      await client.end();
      await database.drop();
    };
  });
  const gatewayOf = () => openDatabase({ connectionString: database.ownerUrl, poolSize: 1 });

  it('reads at most two batches of 100,000 deliveries that wait for a dead receiver', async () => {
    const [dead] = await addDue(client, 1, 100_000, true);
    const [healthy] = await addDue(client, 1, 3, true);
    const endpoints = [dead, healthy];
    const values = [
      endpoints.map(() => project.projectId),
      endpoints,
      endpoints.map(() => PER_ENDPOINT),
      true,
      clock.now(),
      newId(),
    ];
    // The window of other gateways' attempts, the batch, and the rows that are claimed.
    expect(await rowsRead(client, CLAIM.text, values)).toBeLessThanOrEqual(
      endpoints.length * 3 * PER_ENDPOINT,
    );
    expect(await rowsRead(client, FIND_DUE_ENDPOINTS.text, [clock.now()])).toBeLessThanOrEqual(
      endpoints.length + 1,
    );
    const own = gatewayOf();
    const claimed = await queueRows(own.system, CLAIM, values);
    expect(Map.groupBy(claimed, (row) => row.endpoint_id).get(healthy)).toHaveLength(3);
    // Another gateway claims none of them, and no more of the dead receiver than all gateways together may
    // attempt.
    const others = await queueRows(own.system, CLAIM, [...values.slice(0, 5), newId()]);
    expect(others).toEqual([]);
    await own.close();
  });

  it('assigns each delivery to one gateway for concurrent claims', async () => {
    const endpoints = await addDue(client, 8, 12);
    const claimed: string[] = [];
    const gateways = upTo(4).map(gatewayOf);
    await Promise.all(
      gateways.map(async (own, index) => {
        const order = index % 2 === 0 ? endpoints : endpoints.toReversed();
        for (let isMore = true; isMore; ) {
          const rows = await queueRows(own.system, CLAIM, [
            ...[order.map(() => project.projectId), order, order.map(() => 2), false, clock.now(), newId()],
          ]);
          claimed.push(...rows.map((row) => row.delivery_id));
          // A completed attempt makes room for the next.
          await own.system.query(
            {
              name: 'test.end',
              text: `update webhook_deliveries set state = 'delivered' where delivery_id = any($1)`,
            },
            [rows.map((row) => row.delivery_id)],
          );
          const left = `select 1 from webhook_deliveries where project_id = $1 and state = 'waiting' limit 1`;
          isMore =
            (await own.system.query({ name: 'test.left', text: left }, [project.projectId])).length > 0;
        }
      }),
    );
    expect(claimed).toHaveLength(96);
    expect(new Set(claimed).size).toBe(96);
    await Promise.all(gateways.map((own) => own.close()));
  });
});

it('a batch of deliveries needs one statement to add, one to claim, and one for each 32 results', async () => {
  const gone = await startGateway({ clock, masterKey, settings });
  const own = await gone.project();
  for (const index of upTo(12))
    await createEndpoint(own, { url: receiver.url(`/${index}`), eventTypes: [TYPE] });
  await gone.app.close();
  const names: string[] = [];
  const database = openDatabase({
    connectionString: gone.database.ownerUrl,
    poolSize: 2,
    onTrip: (trip) => names.push(...trip),
  });
  await (await createEventWriter({ ...gone, app: { ...gone.app, database } }, masterKey, own.projectId))(
    numbered(4),
  );
  await database.system.query(NUMBER, []);
  await database.system.query({ name: 'test.rewind', text: 'update webhook_endpoints set position = 0' }, []);
  const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock });
  const shared = {
    ...{ system: database.system, clock, cache: new BodyCache(), getProject: access.findProjectById },
    onError: (error: unknown) => {
      throw error;
    },
  };
  let sent = 0;
  const deliverer = startDeliverer({
    ...shared,
    sender: {
      async send() {
        sent += 1;
        return { status: 200, error: '', answer: '', retryAfter: null, durationMs: 1 };
      },
      async close() {},
    },
    allowsLoopback: async () => true,
    onRoom: () => {},
  });
  names.length = 0;
  expect(await startDispatcher({ ...shared, onDue: () => {} }).dispatchAll()).toBe(48);
  const webhookNames = () => names.filter((name) => name.startsWith('webhook.'));
  expect(webhookNames().slice(0, 5)).toEqual([
    'webhook.find_behind',
    'webhook.lock_behind',
    'webhook.read_behind',
    'webhook.lock_order',
    'webhook.insert_deliveries',
  ]);
  expect(webhookNames().filter((name) => name === 'webhook.insert_deliveries')).toHaveLength(1);
  names.length = 0;
  await deliverer.drain();
  expect(sent).toBe(48);
  const counts = Object.fromEntries(
    [...Map.groupBy(webhookNames(), (name) => name)].map(([name, of]) => [name, of.length]),
  );
  // The bodies are in the cache of the dispatch. The second claim finds that there is no more.
  expect(counts).toEqual({
    'webhook.find_due_endpoints': 1,
    'webhook.claim': 2,
    'webhook.share_orders': counts['webhook.end_claims'],
    'webhook.end_claims': counts['webhook.end_claims'],
  });
  expect(counts['webhook.end_claims']).toBeLessThanOrEqual(2);
  await deliverer.close();
  await database.close();
  await gone.database.drop();
});

describe('a chain of first attempts of an account', () => {
  const rowsOf = async (endpointId: string) =>
    (
      await system.query(
        `select delivery_id, next_attempt_at is not null as is_due from webhook_deliveries
         where project_id = $1 and endpoint_id = $2 order by position`,
        [project.projectId, endpointId],
      )
    ).rows as { delivery_id: string; is_due: boolean }[];
  const remove = (client: pg.Client, deliveryId: string) =>
    client.query('delete from webhook_deliveries where project_id = $1 and delivery_id = $2', [
      project.projectId,
      deliveryId,
    ]);
  const connected = async () => {
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    onTestFinished(() => client.end());
    return client;
  };
  /** Returns once another connection waits for a lock of `holder`. */
  const isWaitedFor = async (holder: pg.Client) => {
    const { rows } = await holder.query('select pg_backend_pid() as pid');
    await expect
      .poll(
        async () =>
          (
            await system.query(
              'select 1 from pg_stat_activity where $1::int = any(pg_blocking_pids(pid)) limit 1',
              [rows[0].pid],
            )
          ).rowCount,
        { interval: 20 },
      )
      .toBe(1);
  };

  it('continues after a delivery that is deleted while the attempt before it completes', async () => {
    const account_id = unique('chain');
    await project.authenticate({ id: account_id });
    const { endpointId } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    receiver.answer('hang');
    await emitEvents(numbered(4, { account_id }));
    await receiver.until(1);
    const rows = await rowsOf(endpointId);
    const eraser = await connected();
    await eraser.query('begin');
    await remove(eraser, rows[1]!.delivery_id);
    receiver.answer({ status: 200 });
    receiver.release();
    await isWaitedFor(eraser);
    await eraser.query('commit');
    await settle();
    expect(receiver.received.map(({ body }) => body.data.n)).toEqual([0, 2, 3]);
  });

  it('continues after two deliveries that are deleted concurrently', async () => {
    const account_id = unique('chain');
    await project.authenticate({ id: account_id });
    const { endpointId } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    await emitEvents(numbered(4, { account_id }));
    await settle();
    const rows = await rowsOf(endpointId);
    await system.query(
      `update webhook_endpoints set state = 'paused' where project_id = $1 and endpoint_id = $2`,
      [project.projectId, endpointId],
    );
    // As before any attempt: the first is due, and the others wait for it.
    await system.query(
      `update webhook_deliveries set state = 'waiting', is_ordered = true, attempts = 0, finished_at = null,
         next_attempt_at = case when delivery_id = $3 then now() end
       where project_id = $1 and endpoint_id = $2`,
      [project.projectId, endpointId, rows[0]!.delivery_id],
    );
    const [one, two] = [await connected(), await connected()];
    await two.query('begin');
    await remove(two, rows[1]!.delivery_id);
    const first = remove(one, rows[0]!.delivery_id);
    await isWaitedFor(two);
    await two.query('commit');
    await first;
    expect((await rowsOf(endpointId)).map(({ is_due }) => is_due)).toEqual([true, false]);
  });

  it('of an endpoint that is resumed while the account is erased is dropped without a deadlock', async () => {
    const account_id = unique('chain');
    await project.authenticate({ id: account_id });
    const { id, endpointId } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    await emitEvents(numbered(3, { account_id }));
    await settle();
    const holder = await connected();
    const looking = await connectAs(gateway.database, 'owner');
    onTestFinished(() => looking.end());
    await holder.query(`update webhook_endpoints set state = 'paused' where endpoint_id = $1`, [endpointId]);
    // As before any attempt: the first is due, and the others wait for it.
    const { rows } = await holder.query(
      `update webhook_deliveries d set state = 'waiting', is_ordered = true, attempts = 0, finished_at = null,
         next_attempt_at = case when d.position = f.position then now() end
       from (select min(position) as position from webhook_deliveries where endpoint_id = $1) f
       where d.endpoint_id = $1 returning d.delivery_id, d.position`,
      [endpointId],
    );
    rows.sort((a, b) => Number(a.position) - Number(b.position));
    gateway.takeStatements();
    await holder.query('begin');
    await holder.query('select 1 from webhook_deliveries where delivery_id = $1 for update', [
      rows[1].delivery_id,
    ]);
    // The erasure has deleted the first delivery, and waits for the second.
    const erasing = project.rest('DELETE', `/account/${account_id}`);
    await expectLockWaits(looking, 1);
    const resumeFrom = new Date(clock.now().getTime() + 1000).toISOString();
    const resuming = project.graphql(
      `mutation { updateWebhookEndpoint(input: { id: "${id}", paused: false, resumeFrom: "${resumeFrom}" }) {
         endpoint { endpointState } } }`,
    );
    await expectLockWaits(looking, 2);
    await holder.query('commit');
    expect((await erasing).status).toBe(200);
    expect((await resuming).updateWebhookEndpoint.endpoint.endpointState).toBe('ENABLED');
    const names = gateway.takeStatements();
    // After a deadlock the transaction of one of them is repeated.
    for (const name of ['webhook_deliveries.delete_of_account', 'webhook.drop_before'])
      expect(names.filter((each) => each === name)).toHaveLength(1);
  });
});

it('two gateways that lost claims to each other complete theirs without waiting for each other', async () => {
  await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
  const accounts = [unique('first'), unique('second')];
  for (const id of accounts) await project.authenticate({ id });
  await emitEvents(accounts.map((account_id) => ({ type: TYPE, data: { account_id } })));
  await settle();
  // As during their first attempts, each claimed by another gateway.
  const gatewayIds = [newId(), newId()];
  const claims = `update webhook_deliveries set state = 'waiting', attempts = 0, is_ordered = true, is_retry = false, finished_at = null,
      next_attempt_at = $3, claimed_by = $4, claimed_until = now() + interval '1 hour'
    where project_id = $1 and delivery_id = $2 returning *, account_id as ordered_account_id`;
  const { rows } = await system.query(
    'select delivery_id from webhook_deliveries where project_id = $1 order by delivery_id',
    [project.projectId],
  );
  expect(rows).toHaveLength(2);
  const claimed: ClaimedRow[] = [];
  for (const [index, { delivery_id }] of rows.entries()) {
    const values = [project.projectId, delivery_id, clock.now(), gatewayIds[index]];
    claimed.push((await system.query(claims, values)).rows[0]);
  }
  const { database } = gateway.app;
  const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock });
  const own = (await access.findProjectById(project.projectId))!;
  const errors: unknown[] = [];
  /** Ends both claims like a gateway with one of them. */
  const end = (gatewayId: string) => {
    const writer = createResultWriter({
      system: {
        queueTransaction: (work) =>
          database.system.queueTransaction(async (transaction) => {
            await transaction.run([{ name: 'test.lock_timeout', text: `set local lock_timeout = '5s'` }, []]);
            return work(transaction);
          }),
      },
      ...{ clock, gatewayId, isIdle: () => true, onWritten: () => {} },
      onError: (error) => void errors.push(error),
    });
    for (const row of claimed)
      writer.note({
        ...{ claimed: { project: own, row }, state: 'delivered', isEnded: true, attempts: 1 },
        ...{ nextAttemptAt: null, now: clock.now(), attempt: null, disables: null },
      });
    return writer.writing!;
  };
  const holder = await connectAs(gateway.database, 'vouchgraph_system');
  onTestFinished(() => holder.end());
  const looking = await connectAs(gateway.database, 'owner');
  onTestFinished(() => looking.end());
  await holder.query('begin');
  await holder.query(
    'select 1 from webhook_deliveries where project_id = $1 and delivery_id = $2 for update',
    [project.projectId, rows[1].delivery_id],
  );
  const second = end(gatewayIds[1]!);
  await expectLockWaits(looking, 1);
  await end(gatewayIds[0]!);
  expect(errors).toEqual([]);
  await holder.query('commit');
  await second;
  expect(errors).toEqual([]);
  const { rows: ended } = await system.query(
    'select state, claimed_by from webhook_deliveries where project_id = $1',
    [project.projectId],
  );
  expect(ended).toEqual(Array(2).fill({ state: 'delivered', claimed_by: null }));
});
