import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccessService } from '../../../src/domain/projects/access-service.ts';
import { startDeliverer } from '../../../src/domain/webhooks/delivery-service.ts';
import { startDispatcher } from '../../../src/domain/webhooks/dispatch-service.ts';
import { openJobs } from '../../../src/domain/webhooks/job-store.ts';
import { generateMasterKey, MasterKey } from '../../../src/platform/crypto.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { type Gateway, startGateway, TestClock, type TestProject, unique } from '../../support/gateway.ts';
import { createEventWriter } from '../../support/outbox.ts';
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

async function happen(own: TestProject, written: ReturnType<typeof events>, of = gateway): Promise<void> {
  const write = await createEventWriter(of, masterKey, own.projectId);
  await write(written);
}

/** Changes what only the system may. */
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

it('60 receivers of one project that hang hold up none of another project', async () => {
  receiver.answer('hang');
  for (const index of upTo(60)) await createEndpoint(project, { url: receiver.url(`/${index}`) });
  const other = await gateway.project();
  const quick = await startReceiver();
  await createEndpoint(other, { url: quick.url(), eventTypes: [TYPE] });
  await happen(project, events(6));
  // All that they may have is under way: 48 attempts, and 16 more at most once these are known to be slow.
  await receiver.until(48);
  await happen(other, events(20));
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
    await happen(project, events(1, { account_id }));
    await settle();
    const [delivery] = await deliveriesOf(project, id);
    receiver.answer('hang');
    await resend(delivery!.id);
    await receiver.until(2);
    await pause(id, true);
    await pause(id, false);
    await resend(delivery!.id);
    // What comes afterwards is sent: the second attempt would have been before it.
    await happen(project, events(1, { n: 1 }));
    await receiver.until(3);
    expect(numbers()).toEqual([0, 0, 0]);
    expect(receiver.received.filter(({ body }) => body.data.account_id === account_id)).toHaveLength(2);
    receiver.answer({});
    receiver.release();
    await settle();
    expect((await deliveriesOf(project, id)).map(({ deliveryState }) => deliveryState)).toEqual([
      'DELIVERED',
      'DELIVERED',
    ]);
  });

  it('that was left without a job gets one', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    receiver.answer({ status: 500 });
    await happen(project, events(2));
    await settle();
    const gone = `delete from vouchgraph_jobs.job where data->>'p' = $1::text`;
    expect(await sql(gone, [project.projectId])).toBe(2);
    receiver.answer({});
    clock.advance(6000);
    await settle();
    expect((await deliveriesOf(project, id)).map(({ deliveryState }) => deliveryState)).toEqual([
      'DELIVERED',
      'DELIVERED',
    ]);
    // The same when it is resent.
    const [delivery] = await deliveriesOf(project, id);
    await sql(`update webhook_deliveries set state = 'waiting', next_attempt_at = $2 where project_id = $1`, [
      project.projectId,
      new Date(clock.now().getTime() + 3_600_000),
    ]);
    await resend(delivery!.id);
    await receiver.until(5);
    await settle();
    expect(receiver.received).toHaveLength(5);
  });

  it('of an event that does not open is dead, and what comes behind it is sent', async () => {
    const account_id = unique('account');
    await project.authenticate({ id: account_id });
    await gateway.app.settleEvents();
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    await pause(id, true);
    await happen(project, events(3, { account_id }));
    await gateway.app.settleEvents();
    const spoil = `update outbox_events set payload = '' where project_id = $1 and position = (
      select min(position) from outbox_events where project_id = $1 and type = $2)`;
    expect(await sql(spoil, [project.projectId, TYPE])).toBe(1);
    await pause(id, false);
    await settle();
    expect(numbers()).toEqual([1, 2]);
    const states = (await deliveriesOf(project, id)).map(({ deliveryState }) => deliveryState);
    expect(states.sort()).toEqual(['DEAD', 'DELIVERED', 'DELIVERED']);
  });

  it('that took long is written behind those that ended before it', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    receiver.answer(({ body }) => (body.data.n === 0 ? 'hang' : {}));
    await happen(project, events(1));
    await receiver.until(1);
    clock.advance(1000);
    await happen(project, events(2).slice(1));
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

it('an endpoint that is resumed has all that waits, in pages', async () => {
  const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
  receiver.answer({ status: 500 });
  await happen(project, events(1100));
  await settle();
  expect(receiver.received).toHaveLength(1100);
  await pause(id, true);
  await sql(`delete from vouchgraph_jobs.job where data->>'p' = $1::text`, [project.projectId]);
  receiver.answer({});
  clock.advance(10_000);
  await pause(id, false);
  await settle();
  expect(new Set(numbers().slice(1100))).toEqual(new Set(upTo(1100)));
  expect(receiver.received).toHaveLength(2200);
});

it('a project whose key does not open, and an endpoint that fails, stop no others', async () => {
  const gone = await startGateway({ clock, masterKey, settings });
  const [broken, sound] = [await gone.project(), await gone.project()];
  const failing = await createEndpoint(sound, { url: receiver.url('/failing'), eventTypes: [TYPE] });
  for (const own of [broken, sound])
    await createEndpoint(own, { url: receiver.url(`/${own.projectId}`), eventTypes: [TYPE] });
  for (const own of [broken, sound]) await happen(own, events(3), gone);
  await pauseRelay(gone);
  const database = openDatabase({ connectionString: gone.database.ownerUrl, poolSize: 4 });
  const jobs = await openJobs(database.system, { keepsUp: false, onError: () => {} });
  const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock });
  const errors: string[] = [];
  const sent: string[] = [];
  const onError = (error: unknown) => void errors.push((error as Error).message);
  const dispatcher = startDispatcher({
    jobs: {
      ...jobs,
      transaction: (work, options) =>
        jobs.transaction(
          (transaction) =>
            work({
              ...transaction,
              run(statement, values) {
                if (values[1] === failing.endpointId) throw new Error('the endpoint fails');
                return transaction.run(statement, values);
              },
            }),
          options,
        ),
    },
    clock,
    onJobs: () => {},
    onError,
  });
  await expect(dispatcher.dispatchAll()).rejects.toThrow('the endpoint fails');
  const deliverer = startDeliverer({
    jobs,
    clock,
    sender: {
      async send({ url }) {
        sent.push(new URL(url).pathname);
        return { status: 200, error: '', answer: '', retryAfter: null, durationMs: 1 };
      },
      async close() {},
    },
    getProject: async (projectId) => {
      if (projectId === broken.projectId) throw new Error('the key does not open');
      return access.findProjectById(projectId);
    },
    allowsLoopback: () => true,
    onRoom: () => {},
    onError,
  });
  await deliverer.drain();
  expect(sent).toEqual(Array(3).fill(`/${sound.projectId}`));
  expect(new Set(errors)).toEqual(new Set(['the key does not open']));
  await deliverer.close();
  await dispatcher.close();
  await jobs.close();
  await database.close();
  await gone.database.drop();
});

/** Events have their positions, and the gateway is gone before anybody was told of them. */
async function pauseRelay(of: Gateway): Promise<void> {
  await of.app.settleEvents();
  await of.app.close();
  await sql('delete from webhook_attempts', [], of);
  await sql('delete from webhook_deliveries', [], of);
  await sql('delete from vouchgraph_jobs.job', [], of);
  await sql('update webhook_endpoints set position = 0', [], of);
}
