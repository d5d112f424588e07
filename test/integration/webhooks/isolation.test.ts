import { BodyCache } from '@vouchgraph/events/internals/webhooks/body-cache';
import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createAccessService } from '../../../src/domain/projects/access-service.ts';
import type { QueueDatabase } from '../../../src/domain/webhooks/delivery-queue-store.ts';
import { startDeliverer } from '../../../src/domain/webhooks/delivery-service.ts';
import { startDispatcher } from '../../../src/domain/webhooks/dispatch-service.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { type Gateway, startGateway, TestClock, type TestProject, unique } from '../../support/gateway.ts';
import { createEventWriter, EVENTS_WITH_POSITIONS } from '../../support/outbox.ts';
import { connectAs } from '../../support/sql.ts';
import {
  createEndpoint,
  deliveriesOf,
  type Receiver,
  startReceiver,
} from '../../support/webhook-receiver.ts';

const masterKey = generateMasterKey();
const settings = { WEBHOOK_ALLOW_LOOPBACK: '1' };
const clock = new TestClock();
let gateway: Gateway;
let project: TestProject;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway({ clock, masterKey, settings, webhooks: { timeoutMs: 120_000 } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  project = await gateway.project();
  receiver = await startReceiver();
  return () => receiver.close();
});

const TYPE = 'rule.custom';
const settle = () => gateway.app.settleWebhooks();
const numbers = (from = receiver) => from.received.map(({ body }) => body.data.n as number);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const events = (count: number, data: Record<string, unknown> = {}) =>
  upTo(count).map((n) => ({ type: TYPE, data: { ...data, n } }) as const);

async function emitEvents(own: TestProject, written: ReturnType<typeof events>, of = gateway): Promise<void> {
  const write = await createEventWriter(of, masterKey, own.projectId);
  await write(written);
}

/** Changes that only the system role may make. */
async function sql(text: string, values: unknown[], of = gateway): Promise<number | null> {
  const client = await connectAs(of.database, 'vouchgraph_system');
  const { rowCount } = await client.query(text, values);
  await client.end();
  return rowCount;
}

const pause = (id: string, paused: boolean) =>
  project.graphql(
    `mutation { updateWebhookEndpoint(input: { id: "${id}", paused: ${paused} }) { endpoint { endpointState } } }`,
  );
const resend = (id: string) =>
  project.graphql(
    `mutation { resendWebhookDelivery(input: { id: "${id}" }) { delivery { deliveryState } } }`,
  );

it('60 hanging receivers of one project do not delay those of another project', async () => {
  receiver.answer('hang');
  for (const index of upTo(60)) await createEndpoint(project, { url: receiver.url(`/${index}`) });
  const other = await gateway.project();
  const quick = await startReceiver();
  await createEndpoint(other, { url: quick.url(), eventTypes: [TYPE] });
  await emitEvents(project, events(6));
  // All permitted attempts are running: 48, and at most 16 more once these are known as slow.
  await receiver.until(48);
  await emitEvents(other, events(20));
  await quick.until(20);
  expect(receiver.received.length).toBeLessThanOrEqual(64);
  receiver.answer({});
  receiver.release();
  await settle();
  expect(receiver.received.length).toBeGreaterThanOrEqual(360);
  await quick.close();
});

describe('a delivery', () => {
  it('that is resent, of an endpoint that is paused and resumed meanwhile, is sent once at a time', async () => {
    const account_id = unique('account');
    await project.authenticate({ id: account_id });
    await gateway.app.settleEvents();
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    await emitEvents(project, events(1, { account_id }));
    await settle();
    const [delivery] = await deliveriesOf(project, id);
    receiver.answer('hang');
    await resend(delivery!.id);
    await receiver.until(2);
    await pause(id, true);
    await pause(id, false);
    await resend(delivery!.id);
    // Later deliveries are sent: the second attempt would precede them.
    await emitEvents(project, events(1, { n: 1 }));
    await receiver.until(3);
    expect(numbers()).toEqual([0, 0, 0]);
    expect(receiver.received.filter(({ body }) => body.data.account_id === account_id)).toHaveLength(2);
    receiver.answer({});
    receiver.release();
    await settle();
    // The resend during the second attempt is the third one.
    expect(receiver.received.filter(({ body }) => body.data.account_id === account_id)).toHaveLength(3);
    expect((await deliveriesOf(project, id)).map(({ deliveryState }) => deliveryState)).toEqual([
      'DELIVERED',
      'DELIVERED',
    ]);
  });

  it.each([
    ['succeeds', 200],
    ['fails', 500],
    ['disables the endpoint', 410],
  ])(
    'that is resent during an attempt that %s is sent again once the attempt has ended',
    async (_, status) => {
      const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
      receiver.answer('hang');
      await emitEvents(project, events(1));
      await receiver.until(1);
      const [delivery] = await deliveriesOf(project, id);
      expect((await resend(delivery!.id)).resendWebhookDelivery.delivery.deliveryState).toBe('WAITING');
      receiver.answer({});
      receiver.release(status);
      await settle();
      if (status === 410) {
        expect(receiver.received).toHaveLength(1);
        await pause(id, false);
        await settle();
      }
      expect(numbers()).toEqual([0, 0]);
      const [after] = await deliveriesOf(project, id);
      expect(after).toMatchObject({ deliveryState: 'DELIVERED', attemptCount: 1 });
      expect(after!.attempts.map((attempt) => attempt.status).sort()).toEqual([200, status].sort());
    },
  );

  it('resent during its first attempt does not delay later ones of its account', async () => {
    const account_id = unique('account');
    await project.authenticate({ id: account_id });
    await gateway.app.settleEvents();
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    receiver.answer('hang');
    await emitEvents(project, events(3, { account_id }));
    await receiver.until(1);
    await resend((await deliveriesOf(project, id)).at(-1)!.id);
    receiver.answer({});
    receiver.release();
    await settle();
    expect(numbers()[0]).toBe(0);
    expect(numbers().slice(1).sort()).toEqual([0, 1, 2]);
    expect(numbers().filter((n) => n > 0)).toEqual([1, 2]);
  });

  it('that waits for its next attempt is sent immediately when it is resent', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    receiver.answer({ status: 500 });
    await emitEvents(project, events(2));
    await settle();
    receiver.answer({});
    const [delivery] = await deliveriesOf(project, id);
    await resend(delivery!.id);
    await receiver.until(3);
    await settle();
    expect((await deliveriesOf(project, id)).map(({ deliveryState }) => deliveryState)).toEqual([
      'DELIVERED',
      'WAITING',
    ]);
    expect(receiver.received).toHaveLength(3);
  });

  it('of an event that cannot be decrypted is dead, and later ones are sent', async () => {
    const account_id = unique('account');
    await project.authenticate({ id: account_id });
    await gateway.app.settleEvents();
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    await pause(id, true);
    await emitEvents(project, events(3, { account_id }));
    await gateway.app.settleEvents();
    const spoil = `update outbox_events set payload = '' where event_id = (
      select event_id from ${EVENTS_WITH_POSITIONS} where project_id = $1 and type = $2 order by position limit 1)`;
    expect(await sql(spoil, [project.projectId, TYPE])).toBe(1);
    await pause(id, false);
    await settle();
    expect(numbers()).toEqual([1, 2]);
    const deliveries = await deliveriesOf(project, id);
    expect(deliveries.map(({ deliveryState }) => deliveryState).sort()).toEqual([
      'DEAD',
      'DELIVERED',
      'DELIVERED',
    ]);
    // It has no body.
    const dead = deliveries.find(({ deliveryState }) => deliveryState === 'DEAD')!;
    await expect(resend(dead.id)).rejects.toThrow('Event not found');
    await settle();
    expect(numbers()).toEqual([1, 2]);
    const { node } = await project.graphql(
      `{ node(id: "${dead.id}") { ... on WebhookDelivery { deliveryState body } } }`,
    );
    expect(node).toEqual({ deliveryState: 'DEAD', body: null });
  });

  it('that took long is stored after those that ended before it', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    receiver.answer(({ body }) => (body.data.n === 0 ? 'hang' : {}));
    await emitEvents(project, events(1));
    await receiver.until(1);
    clock.advance(1000);
    await emitEvents(project, events(2).slice(1));
    await receiver.until(2);
    await expect.poll(async () => (await deliveriesOf(project, id))[0]!.deliveryState).toBe('DELIVERED');
    clock.advance(1000);
    receiver.release();
    await settle();
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    const { rows } = await client.query(
      'select delivery_id from webhook_attempts where project_id = $1 order by attempt_id',
      [project.projectId],
    );
    await client.end();
    const [second, first] = await deliveriesOf(project, id);
    expect(rows.map((row) => row.delivery_id)).toEqual([second!.deliveryId, first!.deliveryId]);
  });
});

it('an endpoint that is resumed receives all pending deliveries', async () => {
  const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
  receiver.answer({ status: 500 });
  await emitEvents(project, events(1100));
  await settle();
  expect(receiver.received).toHaveLength(1100);
  await pause(id, true);
  receiver.answer({});
  clock.advance(10_000);
  await pause(id, false);
  await settle();
  expect(new Set(numbers().slice(1100))).toEqual(new Set(upTo(1100)));
  expect(receiver.received).toHaveLength(2200);
});

it('a project with an invalid key, and a failing endpoint, do not block others', async () => {
  const gone = await startGateway({ clock, masterKey, settings });
  const [broken, sound] = [await gone.project(), await gone.project()];
  const failing = await createEndpoint(sound, { url: receiver.url('/failing'), eventTypes: [TYPE] });
  for (const own of [broken, sound])
    await createEndpoint(own, { url: receiver.url(`/${own.projectId}`), eventTypes: [TYPE] });
  for (const own of [broken, sound]) await emitEvents(own, events(3), gone);
  await pauseRelay(gone);
  const database = openDatabase({ connectionString: gone.database.ownerUrl, poolSize: 4 });
  const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock });
  const errors: string[] = [];
  const sent: string[] = [];
  const onError = (error: unknown) => void errors.push((error as Error).message);
  const cache = new BodyCache();
  const getProject = async (projectId: string) => {
    if (projectId === broken.projectId) throw new Error('the key does not open');
    return access.findProjectById(projectId);
  };
  const { system } = database;
  const failingSystem: QueueDatabase = {
    queueTransaction: (work) =>
      system.queueTransaction((transaction) =>
        work({
          ...transaction,
          run(...calls) {
            const isOfFailing = calls.some(([, values]) =>
              values.some((ids) => Array.isArray(ids) && ids.includes(failing.endpointId)),
            );
            if (isOfFailing) throw new Error('the endpoint fails');
            return transaction.run(...calls);
          },
        }),
      ),
  };
  const dispatcher = startDispatcher({
    system: failingSystem,
    clock,
    cache,
    getProject,
    onDue: () => {},
    onError,
  });
  const dispatched = dispatcher.dispatchAll().catch((error: AggregateError) => error.errors);
  expect(new Set((await dispatched) as Error[])).toEqual(
    new Set([new Error('the key does not open'), new Error('the endpoint fails')]),
  );
  // Two deliveries of the project with the invalid key were created before.
  const add = `insert into webhook_deliveries (project_id, delivery_id, endpoint_id, event_id, event_created_at, event_type, position,
      payload_format, next_attempt_at)
    select e.project_id, gen_random_uuid(), e.endpoint_id, gen_random_uuid(), now(), $2, n, 1, $3
    from webhook_endpoints e, generate_series(1, 2) n where e.project_id = $1`;
  expect(await sql(add, [broken.projectId, TYPE, clock.now()], gone)).toBe(2);
  const deliverer = startDeliverer({
    system,
    clock,
    cache,
    sender: {
      async send({ url }) {
        sent.push(new URL(url).pathname);
        return { status: 200, error: '', answer: '', retryAfter: null, durationMs: 1 };
      },
      async close() {},
    },
    getProject,
    allowsLoopback: async () => true,
    onRoom: () => {},
    onError,
  });
  await deliverer.drain();
  expect(sent).toEqual(Array(3).fill(`/${sound.projectId}`));
  expect(new Set(errors)).toEqual(new Set(['the key does not open']));
  await deliverer.close();
  await dispatcher.close();
  await database.close();
  await gone.database.drop();
});

it('a delivery can be resent until the day of its event is purged', async () => {
  const later = new TestClock();
  const own = await startGateway({ clock: later, masterKey, settings });
  onTestFinished(() => own.close());
  const late = await own.project();
  const { id } = await createEndpoint(late, { url: receiver.url(), eventTypes: [TYPE] });
  const change = (input: string) =>
    late.graphql(`mutation { updateWebhookEndpoint(input: { id: "${id}", ${input} }) { requestId } }`);
  await change('paused: true');
  await emitEvents(late, events(1), own);
  await own.app.settleEvents();
  const emitted = Date.now();
  const endOfDay = new Date(emitted).setUTCHours(23, 59, 59, 999);
  const DAY = 86_400_000;
  later.advance(DAY);
  await change('paused: false');
  await own.app.settleWebhooks();
  // The event is older than events are kept, and its day is not.
  later.advance(Math.min(emitted + 1000, endOfDay) + 30 * DAY - later.now().getTime());
  await own.app.purge();
  const [delivery] = await deliveriesOf(late, id);
  await late.graphql(
    `mutation { resendWebhookDelivery(input: { id: "${delivery!.id}" }) { delivery { deliveryState } } }`,
  );
  await own.app.settleWebhooks();
  expect(numbers()).toEqual([0, 0]);
});

/** Numbers events and stops the gateway before their delivery. */
async function pauseRelay(of: Gateway): Promise<void> {
  await of.app.settleEvents();
  await of.app.close();
  await sql('delete from webhook_attempts', [], of);
  await sql('delete from webhook_deliveries', [], of);
  await sql('delete from webhook_bodies', [], of);
  await sql('update webhook_endpoints set position = 0', [], of);
}
