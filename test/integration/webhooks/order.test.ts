import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, TestClock, type TestProject, unique } from '../../support/gateway.ts';
import { createEventWriter } from '../../support/outbox.ts';
import { connectAs } from '../../support/sql.ts';
import {
  createEndpoint,
  deliveriesOf,
  type Received,
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
let write: Awaited<ReturnType<typeof createEventWriter>>;

beforeAll(async () => {
  gateway = await startGateway({ clock, masterKey, settings, webhooks });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  project = await gateway.project();
  receiver = await startReceiver();
  write = await createEventWriter(gateway, masterKey, project.projectId);
  return () => receiver.close();
});

const settle = () => gateway.app.settleWebhooks();
const accountOf = ({ body }: Received): string => body.data.account_id;
const numberOf = ({ body }: Received): number => body.data.n;
/** The numbers of an account's events in the order of their arrival. */
const cameOf = (account: string, from = receiver) =>
  from.received.filter((delivery) => accountOf(delivery) === account).map(numberOf);
const TYPE = 'rule.custom';

/** Accounts of the project, without deliveries of their events. */
async function makeAccounts(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => unique(`account${index}`));
  for (const id of ids) await project.authenticate({ id });
  await gateway.app.settleEvents();
  return ids;
}

/** Writes events of accounts in turns, numbered for each account. */
const emitEvents = (accounts: readonly string[], count: number, from = 0) =>
  write(
    Array.from({ length: count }, (_, n) =>
      accounts.map((account_id) => ({ type: TYPE, data: { account_id, n: from + n } }) as const),
    ).flat(),
  );

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('events of one account at one endpoint', () => {
  it('are sent one after the other, in order, concurrently with those of others', async () => {
    const accounts = await makeAccounts(5);
    await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    await emitEvents(accounts, 12);
    await settle();
    for (const account of accounts) expect(cameOf(account)).toEqual(upTo(12));
    expect(receiver.connections).toBeGreaterThan(1);
  });

  it('wait for the running attempt of the previous event, and do not delay other events', async () => {
    const [slow, ...others] = await makeAccounts(4);
    await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    receiver.answer((delivery) => (accountOf(delivery) === slow ? 'hang' : {}));
    await emitEvents([slow!, ...others], 8);
    await receiver.until(1 + 8 * others.length);
    for (const other of others) expect(cameOf(other)).toEqual(upTo(8));
    expect(cameOf(slow!)).toEqual([0]);
    // Later events wait as well, even when their delivery is created only then.
    await emitEvents([slow!, others[0]!], 2, 8);
    await receiver.until(1 + 8 * others.length + 2);
    expect(cameOf(others[0]!)).toEqual(upTo(10));
    expect(cameOf(slow!)).toEqual([0]);
    receiver.answer({});
    receiver.release();
    await settle();
    expect(cameOf(slow!)).toEqual(upTo(10));
  });

  it('wait at the unresponsive endpoint, not at others', async () => {
    const [account] = await makeAccounts(1);
    const quick = await startReceiver();
    await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    await createEndpoint(project, { url: quick.url(), eventTypes: [TYPE] });
    receiver.answer('hang');
    await emitEvents([account!], 6);
    await quick.until(6);
    expect(cameOf(account!, quick)).toEqual(upTo(6));
    expect(cameOf(account!)).toEqual([0]);
    receiver.answer({});
    receiver.release();
    await settle();
    expect(cameOf(account!)).toEqual(upTo(6));
    await quick.close();
  });

  it('continue once the first attempt has failed, which is retried later', async () => {
    const [account] = await makeAccounts(1);
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    receiver.answer((delivery) => ({ status: numberOf(delivery) === 1 ? 500 : 200 }));
    await emitEvents([account!], 5);
    await settle();
    expect(cameOf(account!)).toEqual(upTo(5));
    receiver.answer({});
    clock.advance(6000);
    await settle();
    expect(cameOf(account!)).toEqual([...upTo(5), 1]);
    const states = (await deliveriesOf(project, id)).map(({ deliveryState }) => deliveryState);
    expect(states).toEqual(Array(5).fill('DELIVERED'));
  });

  it('continue in order when the paused endpoint is resumed', async () => {
    const [account] = await makeAccounts(1);
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    const update = (paused: boolean) =>
      project.graphql(
        `mutation { updateWebhookEndpoint(input: { id: "${id}", paused: ${paused} }) { endpoint { endpointState } } }`,
      );
    receiver.answer('hang');
    await emitEvents([account!], 4);
    await receiver.until(1);
    await update(true);
    receiver.answer({});
    receiver.release();
    await settle();
    await emitEvents([account!], 2, 4);
    await settle();
    expect(cameOf(account!)).toEqual([0]);
    await update(false);
    await settle();
    expect(cameOf(account!)).toEqual(upTo(6));
  });

  it('continue when the delivery that they wait for is deleted', async () => {
    const [account] = await makeAccounts(1);
    const { endpointId } = await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    receiver.answer('hang');
    await emitEvents([account!], 4);
    await receiver.until(1);
    // As erased with another account that it names.
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    const gone = `delete from webhook_deliveries where project_id = $1 and endpoint_id = $2
                  and position = (select min(position) from webhook_deliveries where project_id = $1)`;
    expect((await client.query(gone, [project.projectId, endpointId])).rowCount).toBe(1);
    await client.end();
    receiver.answer({});
    receiver.release();
    await settle();
    expect(cameOf(account!)).toEqual(upTo(4));
  });

  it('are sent in order by two gateways, while they are created', async () => {
    const other = await startGateway({ database: gateway.database, masterKey, settings, clock, webhooks });
    const accounts = await makeAccounts(4);
    await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
    for (let n = 0; n < 30; n += 3) await emitEvents(accounts, 3, n);
    await Promise.all([settle(), other.app.settleWebhooks()]);
    for (const account of accounts) expect(cameOf(account)).toEqual(upTo(30));
    await other.close();
  });
});

it('events without an account do not wait for each other', async () => {
  await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
  receiver.answer((delivery) => (numberOf(delivery) === 0 ? 'hang' : {}));
  await write(upTo(9).map((n) => ({ type: TYPE, data: { n } })));
  await receiver.until(9);
  expect(receiver.received.map(numberOf).sort((a, b) => a - b)).toEqual(upTo(9));
  receiver.release();
  await settle();
});
