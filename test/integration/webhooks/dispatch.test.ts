import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDispatcher } from '../../../src/domain/webhooks/dispatch-service.ts';
import { type Jobs, openJobs } from '../../../src/domain/webhooks/job-store.ts';
import { generateMasterKey } from '../../../src/platform/crypto.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import {
  type Gateway,
  projectClient,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import {
  createEndpoint,
  deliveriesOf,
  type Receiver,
  startReceiver,
} from '../../support/webhook-receiver.ts';

const masterKey = generateMasterKey();
const settings = { WEBHOOK_ALLOW_LOOPBACK: '1' };
/** Receivers that hang are let go by the test, however slow the machine is. */
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
const told = (from = receiver) => from.received.map(({ body }) => body.data.account_id as string);

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
  it('is told of what happens after it was made, and of the types it asked for', async () => {
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

  it('of one project is never told of another', async () => {
    const other = await gateway.project();
    await createEndpoint(other, { url: receiver.url() });
    await authenticate(2);
    await settle();
    expect(receiver.received).toEqual([]);
  });

  it('is told in the meantime nothing when it is paused, and all that it missed when it is resumed', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    receiver.answer({ status: 500 });
    const before = await authenticate(1, 'before');
    await settle();
    await update(id, 'paused: true');
    const missed = await authenticate(3, 'missed');
    clock.advance(60_000);
    await settle();
    expect(told()).toEqual(before);
    receiver.answer({ status: 200 });
    await update(id, 'paused: false');
    await settle();
    expect(told().slice(1).sort()).toEqual([...before, ...missed].sort());
    const deliveries = await deliveriesOf(project, id);
    expect(deliveries.map(({ deliveryState }) => deliveryState)).toEqual(Array(4).fill('DELIVERED'));
  });

  it('is told from a moment on, where it is resumed so', async () => {
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
    expect(told().slice(1).sort()).toEqual(wanted.sort());
    const states = (await deliveriesOf(project, id)).map(({ deliveryState }) => deliveryState);
    expect(states).toEqual(['DELIVERED', 'DELIVERED', 'DROPPED']);
  });

  it('is told no more than its limit a minute, and the rest later', async () => {
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
    expect(told().sort()).toEqual(ids.sort());
  });

  it('is tried again within its limit', async () => {
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
  it('takes what was told of it along, and what waits is not sent', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    receiver.answer(({ text }) => ({ status: 500, text }));
    const [erased, kept] = await authenticate(2);
    await settle();
    expect(receiver.received).toHaveLength(2);
    await project.rest('DELETE', `/account/${erased}`);
    clock.advance(6000);
    receiver.answer({ status: 200 });
    await settle();
    expect(told().slice(2)).toEqual([kept]);
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

  it('is not told of by a delivery that was made of an event that is gone', async () => {
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
  it('holds four connections at most, and nobody else up', async () => {
    const quick = await startReceiver();
    receiver.answer('hang');
    await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    await createEndpoint(project, { url: quick.url(), eventTypes: ONE_TYPE });
    const ids = await authenticate(30);
    await quick.until(30);
    expect(told(quick).sort()).toEqual([...ids].sort());
    expect(receiver.received.length).toBeLessThanOrEqual(4);
    expect(receiver.connections).toBeLessThanOrEqual(4);
    receiver.answer({ status: 200 });
    receiver.release();
    await settle();
    expect(new Set(told())).toEqual(new Set(ids));
    await quick.close();
  });

  it('fails when its time is over', async () => {
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
  it('tell each event once', async () => {
    const other = await startGateway({ database: gateway.database, masterKey, settings, clock, webhooks });
    await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    const ids = await authenticate(60);
    await Promise.all([settle(), other.app.settleWebhooks()]);
    expect(told().sort()).toEqual(ids.sort());
    await other.close();
  });

  it('leave what one was at to the other when it ends', async () => {
    const other = await startGateway({ database: gateway.database, masterKey, settings, clock, webhooks });
    await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    const ids = await authenticate(40);
    await other.close();
    await settle();
    expect(new Set(told())).toEqual(new Set(ids));
  });
});

describe('a gateway that is killed', () => {
  it('leaves what it was at to others, a minute later', async () => {
    receiver.answer('hang');
    await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    const [id] = await authenticate(1);
    await receiver.until(1);
    // Its job is taken, as that of a process that is gone would be for ever, and was so a minute ago.
    const owner = await connectAs(gateway.database, 'owner');
    const age = `update vouchgraph_jobs.job set started_on = now() - interval '61 seconds' where data->>'p' = $1 and state = 'active'`;
    expect((await owner.query(age, [project.projectId])).rowCount).toBe(1);
    await owner.end();
    const database = openDatabase({ connectionString: gateway.database.ownerUrl, poolSize: 1 });
    const errors: unknown[] = [];
    const jobs = await openJobs(database.system, { keepsUp: false, onError: (error) => errors.push(error) });
    await jobs.keepUp();
    receiver.answer({ status: 200 });
    await receiver.until(2);
    expect(told()).toEqual([id, id]);
    expect(errors).toEqual([]);
    await jobs.close();
    await database.close();
    receiver.release();
    await settle();
  });
});

/** The queue as it is, with a transaction that dies once a step was sent. */
function dyingAt(jobs: Jobs, step: string): Jobs {
  const die = () => {
    throw new Error('the process died');
  };
  return {
    ...jobs,
    transaction: (work) =>
      jobs.transaction(async (transaction) => {
        const result = await work({
          ...transaction,
          async run(statement, values) {
            const rows = await transaction.run(statement, values);
            return statement.name === step ? die() : (rows as never);
          },
          async addJobs(queue, added) {
            await transaction.addJobs(queue, added);
            if (step === 'jobs') die();
          },
        });
        return step === 'before the commit' ? die() : result;
      }),
  };
}

describe('a dispatch that dies between its steps', () => {
  it.each([
    'webhook.lock_behind',
    'webhook.insert_deliveries',
    'jobs',
    'webhook.advance',
    'before the commit',
  ])('loses nothing and makes nothing twice: %s', async (step) => {
    // A gateway that is gone leaves events behind; dispatchers take over one after the other.
    const gone = await startGateway({ clock, masterKey, settings, webhooks });
    const own = await gone.project();
    await createEndpoint(own, { url: receiver.url(), eventTypes: ONE_TYPE });
    await gone.app.close();
    const database = openDatabase({ connectionString: gone.database.ownerUrl, poolSize: 2 });
    const jobs = await openJobs(database.system, { keepsUp: false, onError: () => {} });
    await database.system.query(
      {
        name: 'test.events',
        text: `with told as (
                   insert into outbox_events (project_id, created_at, event_id, type, payload, position)
                   select $1, now(), gen_random_uuid(), 'account.authenticated', '', 1000 + n from generate_series(1, 5) n
                 )
                 insert into outbox_positions (project_id, position) values ($1, 1005)
                 on conflict (project_id) do update set position = 1005`,
      },
      [own.projectId],
    );
    const counted = async () => {
      const [row] = await database.system.query(
        {
          name: 'test.count',
          text: `select (select count(*)::int from webhook_deliveries where project_id = $1) as deliveries,
                     (select count(distinct event_id)::int from webhook_deliveries where project_id = $1) as events,
                     (select count(*)::int from vouchgraph_jobs.job where data->>'p' = $1::text) as jobs`,
        },
        [own.projectId],
      );
      return row;
    };
    const dispatcher = (using: Jobs) =>
      startDispatcher({ jobs: using, clock, onJobs: () => {}, onError: () => {} });
    await expect(dispatcher(dyingAt(jobs, step)).dispatchAll()).rejects.toThrow('the process died');
    expect(await counted()).toEqual({ deliveries: 0, events: 0, jobs: 0 });
    expect(await dispatcher(jobs).dispatchAll()).toBe(5);
    expect(await dispatcher(jobs).dispatchAll()).toBe(0);
    expect(await counted()).toEqual({ deliveries: 5, events: 5, jobs: 5 });
    await jobs.close();
    await database.close();
    await gone.database.drop();
  });
});
