import { BodyCache } from '@vouchgraph/events/internals/webhooks/body-cache';
import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createAccessService } from '../../../src/domain/projects/access-service.ts';
import type { QueueDatabase } from '../../../src/domain/webhooks/delivery-queue-store.ts';
import { startDispatcher } from '../../../src/domain/webhooks/dispatch-service.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import {
  type Gateway,
  projectClient,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { createEventWriter, type WrittenEvent } from '../../support/outbox.ts';
import { connectAs } from '../../support/sql.ts';
import {
  createEndpoint,
  deliveriesOf,
  type Receiver,
  startReceiver,
} from '../../support/webhook-receiver.ts';

const masterKey = generateMasterKey();
const settings = { WEBHOOK_ALLOW_LOOPBACK: '1' };
/** The test releases receivers that hang, on a machine of any speed. */
const webhooks = { timeoutMs: 120_000 };
const clock = new TestClock();
let gateway: Gateway;
let project: TestProject;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway({ clock, masterKey, settings, webhooks });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  project = await gateway.project();
  receiver = await startReceiver();
  return () => receiver.close();
});

const settle = () => gateway.app.settleWebhooks();
const ONE_TYPE = ['account.authenticated'];
const TYPE = 'rule.custom';
const received = (from = receiver) => from.received.map(({ body }) => body.data.account_id as string);

async function authenticate(count: number, name = 'a'): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => unique(`${name}${index}`));
  for (const id of ids) await project.authenticate({ id });
  return ids;
}

const update = (id: string, changes: string) =>
  project.graphql(
    `mutation { updateWebhookEndpoint(input: { id: "${id}", ${changes} }) { endpoint { endpointState } } }`,
  );

describe('an endpoint', () => {
  it('receives events of its types from its creation on', async () => {
    await authenticate(2);
    await gateway.app.settleEvents();
    await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    const all = await startReceiver();
    await createEndpoint(project, { url: all.url() });
    const ids = await authenticate(3);
    await project.rest('DELETE', `/account/${ids[2]}`);
    await settle();
    const types = (from: Receiver) => new Set(from.received.map(({ body }) => body.type));
    expect(types(receiver)).toEqual(new Set(ONE_TYPE));
    expect(types(all).has('account.deleted')).toBe(true);
    expect(types(all).size).toBeGreaterThan(1);
    await all.close();
  });

  it('receives the next event of its types behind any number of other events', async () => {
    await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    await client.query(
      `insert into outbox_positions as p (project_id, position) values ($1, 350000)
       on conflict (project_id) do update set position = excluded.position`,
      [project.projectId],
    );
    await client.end();
    const ids = await authenticate(1);
    await settle();
    expect(received()).toEqual(ids);
  });

  it('of one project never receives events of another', async () => {
    const other = await gateway.project();
    await createEndpoint(other, { url: receiver.url() });
    await authenticate(2);
    await settle();
    expect(receiver.received).toEqual([]);
  });

  it('receives nothing while it is paused, and all missed events when it is resumed', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    receiver.answer({ status: 500 });
    const before = await authenticate(1, 'before');
    await settle();
    await update(id, 'paused: true');
    const missed = await authenticate(3, 'missed');
    clock.advance(60_000);
    await settle();
    expect(received()).toEqual(before);
    receiver.answer({ status: 200 });
    await update(id, 'paused: false');
    await settle();
    expect(received().slice(1).sort()).toEqual([...before, ...missed].sort());
    const deliveries = await deliveriesOf(project, id);
    expect(deliveries.map(({ deliveryState }) => deliveryState)).toEqual(Array(4).fill('DELIVERED'));
  });

  it('receives events from the time that its resumption names', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    receiver.answer({ status: 500 });
    await authenticate(1, 'failed');
    await settle();
    await update(id, 'paused: true');
    await authenticate(2, 'missed');
    await gateway.app.settleEvents();
    clock.advance(10_000);
    const from = clock.now().toISOString();
    const wanted = await authenticate(2, 'wanted');
    await gateway.app.settleEvents();
    receiver.answer({ status: 200 });
    await update(id, `paused: false, resumeFrom: "${from}"`);
    await settle();
    expect(received().slice(1).sort()).toEqual(wanted.sort());
    const states = (await deliveriesOf(project, id)).map(({ deliveryState }) => deliveryState);
    expect(states).toEqual(['DELIVERED', 'DELIVERED', 'DROPPED']);
  });

  it('receives no more than its limit per minute, and the rest later', async () => {
    await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE, ratePerMinute: 3 });
    const ids = await authenticate(7);
    await settle();
    expect(receiver.received).toHaveLength(3);
    clock.advance(59_000);
    await settle();
    expect(receiver.received).toHaveLength(3);
    clock.advance(1001);
    await settle();
    expect(receiver.received).toHaveLength(6);
    clock.advance(60_001);
    await settle();
    expect(received().sort()).toEqual(ids.sort());
  });

  it('is retried within its limit', async () => {
    receiver.answer({ status: 500 });
    const { id } = await createEndpoint(project, {
      url: receiver.url(),
      eventTypes: ONE_TYPE,
      ratePerMinute: 2,
    });
    await authenticate(2);
    await settle();
    clock.advance(6000);
    await settle();
    expect(receiver.received).toHaveLength(2);
    const waiting = await deliveriesOf(project, id);
    expect(waiting.map(({ attemptCount, deliveryState }) => [attemptCount, deliveryState])).toEqual([
      [1, 'WAITING'],
      [1, 'WAITING'],
    ]);
    clock.advance(55_000);
    await settle();
    expect(receiver.received).toHaveLength(4);
  });
});

describe('an account that is erased', () => {
  it('is deleted with its deliveries, and pending ones are not sent', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    receiver.answer(({ text }) => ({ status: 500, text }));
    const [erased, kept] = await authenticate(2);
    await settle();
    expect(receiver.received).toHaveLength(2);
    await project.rest('DELETE', `/account/${erased}`);
    clock.advance(6000);
    receiver.answer({ status: 200 });
    await settle();
    expect(received().slice(2)).toEqual([kept]);
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    const { rows } = await client.query(
      `select (select count(*)::int from webhook_deliveries where project_id = $1) as deliveries,
         (select count(*)::int from webhook_attempts where project_id = $1) as attempts`,
      [project.projectId],
    );
    expect(rows).toEqual([{ deliveries: 1, attempts: 2 }]);
    await client.end();
    expect(await deliveriesOf(project, id)).toHaveLength(1);
  });

  it('leaves no attempt for a delivery of a deleted event', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    receiver.answer({ status: 500 });
    await authenticate(1);
    await settle();
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    await client.query('delete from outbox_events where project_id = $1', [project.projectId]);
    await client.end();
    clock.advance(6000);
    await settle();
    expect(receiver.received).toHaveLength(1);
    expect(await deliveriesOf(project, id)).toMatchObject([{ deliveryState: 'DROPPED', attemptCount: 1 }]);
  });
});

describe('a receiver that hangs', () => {
  it('uses at most four connections, and does not delay other receivers', async () => {
    const quick = await startReceiver();
    receiver.answer('hang');
    await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    await createEndpoint(project, { url: quick.url(), eventTypes: ONE_TYPE });
    const ids = await authenticate(30);
    await quick.until(30);
    expect(received(quick).sort()).toEqual([...ids].sort());
    expect(receiver.received.length).toBeLessThanOrEqual(4);
    expect(receiver.connections).toBeLessThanOrEqual(4);
    receiver.answer({ status: 200 });
    receiver.release();
    await settle();
    expect(new Set(received())).toEqual(new Set(ids));
    await quick.close();
  });

  it('fails after its timeout', async () => {
    const impatient = await startGateway({
      database: gateway.database,
      masterKey,
      settings,
      webhooks: { timeoutMs: 100 },
    });
    receiver.answer('hang');
    const { id } = await createEndpoint(project, { url: receiver.url() });
    const { sendTestWebhook } = await projectClient(
      impatient.baseUrl,
      project.projectId,
      project.key,
    ).graphql(
      `mutation { sendTestWebhook(input: { endpointId: "${id}", type: ACCOUNT_UPDATED }) { delivered status error } }`,
    );
    expect(sendTestWebhook).toEqual({ delivered: false, status: null, error: 'TIMEOUT' });
    await impatient.close();
  });
});

describe('two gateways on one database', () => {
  it('deliver each event once', async () => {
    const other = await startGateway({ database: gateway.database, masterKey, settings, clock, webhooks });
    await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    const ids = await authenticate(60);
    await Promise.all([settle(), other.app.settleWebhooks()]);
    expect(received().sort()).toEqual(ids.sort());
    await other.close();
  });

  it('transfer running deliveries on shutdown', async () => {
    const other = await startGateway({ database: gateway.database, masterKey, settings, clock, webhooks });
    await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    const ids = await authenticate(40);
    await other.close();
    await settle();
    expect(new Set(received())).toEqual(new Set(ids));
  });
});

describe('a gateway that is killed', () => {
  it('leaves running deliveries to others, a minute later', async () => {
    receiver.answer('hang');
    await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    const [id] = await authenticate(1);
    await receiver.until(1);
    // It is claimed, as by a crashed process, a minute ago.
    const system = await connectAs(gateway.database, 'vouchgraph_system');
    const age = `update webhook_deliveries set claimed_until = now() - interval '1 second'
                 where project_id = $1 and claimed_until > now()`;
    expect((await system.query(age, [project.projectId])).rowCount).toBe(1);
    receiver.answer({ status: 500 });
    await receiver.until(2);
    expect(received()).toEqual([id, id]);
    const attempts = 'select 1 from webhook_attempts where project_id = $1';
    await expect.poll(async () => (await system.query(attempts, [project.projectId])).rowCount).toBe(1);
    // A late result of the first claim does not overwrite that of the second.
    receiver.release();
    await settle();
    const { rows } = await system.query(
      `select d.state, d.attempts, (select count(*)::int from webhook_attempts a where a.project_id = $1) as written
       from webhook_deliveries d where d.project_id = $1`,
      [project.projectId],
    );
    expect(rows).toEqual([{ state: 'waiting', attempts: 1, written: 1 }]);
    await system.end();
  });
});

/** The database, with a transaction that aborts after a step. */
function dyingAt(system: QueueDatabase, step: string): QueueDatabase {
  return {
    queueTransaction: (work) =>
      system.queueTransaction((transaction) => {
        const dying = async (calls: Parameters<typeof transaction.run>) => {
          const rows = await transaction.run(...calls);
          if (calls.some(([statement]) => statement.name === step)) throw new Error('the process died');
          return rows;
        };
        return work({
          run: (...calls) => dying(calls),
          async commit(...calls) {
            const rows = await dying(calls);
            await transaction.commit();
            return rows;
          },
        });
      }),
  };
}

describe('a dispatch that crashes between its steps', () => {
  it.each(['webhook.lock_behind', 'webhook.read_behind', 'webhook.lock_order', 'webhook.insert_deliveries'])(
    'loses no delivery and creates none twice: %s',
    async (step) => {
      // A closed gateway leaves events; dispatchers replace each other.
      const gone = await startGateway({ clock, masterKey, settings, webhooks });
      const own = await gone.project();
      const { endpointId } = await createEndpoint(own, { url: receiver.url(), eventTypes: [TYPE] });
      await createEndpoint(own, { url: receiver.url() });
      const write = await createEventWriter(gone, masterKey, own.projectId);
      await write(Array.from({ length: 5 }, (_, n) => ({ type: TYPE, data: { n } }) as const));
      await gone.app.settleEvents();
      await gone.app.close();
      const database = openDatabase({ connectionString: gone.database.ownerUrl, poolSize: 2 });
      const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock });
      const client = await connectAs(gone.database, 'vouchgraph_system');
      await client.query('delete from webhook_deliveries');
      await client.query('delete from webhook_bodies');
      await client.query('update webhook_endpoints set position = 0');
      const counted = async () => {
        const { rows } = await client.query(
          `select (select count(*)::int from webhook_deliveries where project_id = $1) as deliveries,
           (select count(distinct (endpoint_id, event_id))::int from webhook_deliveries where project_id = $1) as distinct,
           (select count(*)::int from webhook_bodies where project_id = $1) as bodies,
           (select position::int from webhook_endpoints where project_id = $1 and endpoint_id = $2) as position`,
          [own.projectId, endpointId],
        );
        return rows[0];
      };
      const dispatcher = (system: QueueDatabase) =>
        startDispatcher({
          ...{ system, clock, cache: new BodyCache(), getProject: access.findProjectById },
          ...{ onDue: () => {}, onError: () => {} },
        });
      await expect(dispatcher(dyingAt(database.system, step)).dispatchAll()).rejects.toThrow(
        'were not dispatched',
      );
      expect(await counted()).toEqual({ deliveries: 0, distinct: 0, bodies: 0, position: 0 });
      expect(await dispatcher(database.system).dispatchAll()).toBe(10);
      expect(await dispatcher(database.system).dispatchAll()).toBe(0);
      expect(await counted()).toEqual({ deliveries: 10, distinct: 10, bodies: 5, position: 5 });
      await client.end();
      await database.close();
      await gone.database.drop();
    },
  );
});

describe('a dispatch that times out waiting for a lock', () => {
  const SECOND_TYPE = 'rule.triggered' as const;

  /** The database, whose transactions wait for locks only briefly. */
  const impatient = (system: QueueDatabase): QueueDatabase => ({
    queueTransaction: (work) =>
      system.queueTransaction(async (transaction) => {
        await transaction.run([{ name: 'test.lock_timeout', text: `set local lock_timeout = '200ms'` }, []]);
        return work(transaction);
      }),
  });

  /**
   * A closed gateway with events that `prepare` wrote and endpoints at their start; a dispatcher, and a
   * connection.
   */
  async function closedGateway(prepare: (gone: Gateway) => Promise<void>) {
    const gone = await startGateway({ clock, masterKey, settings, webhooks });
    await prepare(gone);
    await gone.app.close();
    const database = openDatabase({ connectionString: gone.database.ownerUrl, poolSize: 2 });
    const client = await connectAs(gone.database, 'vouchgraph_system');
    onTestFinished(async () => {
      await client.end();
      await database.close();
      await gone.database.drop();
    });
    await client.query('delete from webhook_deliveries');
    await client.query('delete from webhook_bodies');
    await client.query('update webhook_endpoints set position = 0');
    const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock });
    const dispatcher = startDispatcher({
      ...{
        system: impatient(database.system),
        clock,
        cache: new BodyCache(),
        getProject: access.findProjectById,
      },
      ...{ onDue: () => {}, onError: () => {} },
    });
    return { dispatcher, client };
  }

  it('dispatches the other endpoints of its group, at the latest with the next run', async () => {
    const { dispatcher, client } = await closedGateway(async (gone) => {
      const own = await gone.project();
      for (const type of [TYPE, TYPE, TYPE, SECOND_TYPE])
        await createEndpoint(own, { url: receiver.url(), eventTypes: [type] });
      const write = await createEventWriter(gone, masterKey, own.projectId);
      await write(([TYPE, SECOND_TYPE] as const).map((type): WrittenEvent => ({ type, data: {} })));
      await gone.app.settleEvents();
    });
    const types = async () =>
      (await client.query('select event_type from webhook_deliveries order by 1')).rows.map(
        ({ event_type }) => event_type,
      );
    await client.query('begin');
    await client.query('select 1 from outbox_events where type = $1 for update', [TYPE]);
    const failed = await dispatcher.dispatchAll().catch((error) => error);
    expect(failed.errors).toHaveLength(2);
    expect(failed.errors[0]).toMatchObject({ kind: 'unavailable' });
    await dispatcher.dispatchAll().catch(() => {});
    expect(await types()).toEqual([SECOND_TYPE]);
    await client.query('commit');
    expect(await dispatcher.dispatchAll()).toBe(3);
    expect(await types()).toEqual([TYPE, TYPE, TYPE, SECOND_TYPE]);
  });

  it('dispatches other projects', async () => {
    const ids: string[] = [];
    const { dispatcher, client } = await closedGateway(async (gone) => {
      for (let n = 0; n < 2; n += 1) {
        const own = await gone.project();
        ids.push(own.projectId);
        await createEndpoint(own, { url: receiver.url(), eventTypes: [TYPE] });
        await (await createEventWriter(gone, masterKey, own.projectId))([{ type: TYPE, data: {} }]);
      }
      await gone.app.settleEvents();
    });
    // In any order of projects.
    for (const [locked, other] of [ids, ids.toReversed()]) {
      await client.query('begin');
      await client.query('select 1 from outbox_events where project_id = $1 for update', [locked]);
      await expect(dispatcher.dispatchAll()).rejects.toMatchObject({ kind: 'unavailable' });
      await client.query('commit');
      const { rows } = await client.query('select project_id from webhook_deliveries');
      expect(rows).toEqual([{ project_id: other }]);
      await client.query('delete from webhook_deliveries');
      await client.query('update webhook_endpoints set position = 0');
    }
  });
});
