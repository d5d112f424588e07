import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, TestClock, type TestProject, unique } from '../../support/gateway.ts';
import {
  createEndpoint,
  deliveriesOf,
  type Receiver,
  startReceiver,
} from '../../support/webhook-receiver.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let gateway: Gateway;
let clock: TestClock;
let project: TestProject;
let receiver: Receiver;

beforeAll(async () => {
  clock = new TestClock();
  gateway = await startGateway({ clock, settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  project = await gateway.project();
  receiver = await startReceiver();
  return () => receiver.close();
});

const settle = () => gateway.app.settleWebhooks();
const ONE_TYPE = ['account.authenticated'];

/** An endpoint with one event, which was attempted once. */
async function deliverOne(input: Record<string, unknown> = {}) {
  const endpoint = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE, ...input });
  await project.authenticate({ id: unique('event') });
  await settle();
  const only = async () => (await deliveriesOf(project, endpoint.id))[0]!;
  return { ...endpoint, only };
}

const waitOf = ({ nextAttemptAt }: { nextAttemptAt: string | null }) =>
  Date.parse(nextAttemptAt!) - clock.now().getTime();

const endpointState = async (id: string) => {
  const query = '{ webhookEndpoint(id: "' + id + '") { endpointState disabledReason failingSince } }';
  return (await project.graphql(query)).webhookEndpoint;
};

describe('a delivery', () => {
  it('contains the full body of the event, with a signature that the Standard Webhooks library verifies', async () => {
    const { id, secret } = await createEndpoint(project, { url: receiver.url() });
    const account = unique('account-ü-😀');
    const session = await project.session();
    await project.rest('POST', '/session/authenticate', { session_id: session, account: { id: account } });
    await settle();
    const authenticated = receiver.received.find(({ body }) => body.type === 'account.authenticated')!;
    expect(authenticated.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': authenticated.body.id,
    });
    expect(authenticated.headers['x-signature']).toBeUndefined();
    const verified = new Webhook(secret).verify(
      authenticated.text,
      authenticated.headers as Record<string, string>,
    );
    expect(verified).toEqual(authenticated.body);
    expect(authenticated.body).toMatchObject({
      event_type: 'account.authenticated',
      project_id: project.projectId,
      metadata: { account_id: account, session_id: session, project_id: project.projectId },
      data: { account_id: account },
    });
    const deliveries = await deliveriesOf(project, id);
    expect(deliveries.map(({ eventId }) => eventId).sort()).toEqual(
      receiver.received.map(({ body }) => body.id).sort(),
    );
    expect(deliveries[0]).toMatchObject({
      deliveryState: 'DELIVERED',
      attemptCount: 1,
      nextAttemptAt: null,
      attempts: [{ status: 200, error: null, responseBody: null }],
    });
  });
});

describe('the retry schedule', () => {
  const DELAYS = [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    DAY,
  ];

  it('has ten attempts, each delay within a tenth of its length, with the same id and body', async () => {
    receiver.answer({ status: 500, text: 'out of order' });
    const { only } = await deliverOne();
    for (const [index, delay] of DELAYS.entries()) {
      const delivery = await only();
      expect(delivery).toMatchObject({ deliveryState: 'WAITING', attemptCount: index + 1 });
      const wait = waitOf(delivery);
      expect(wait).toBeGreaterThanOrEqual(delay * 0.9);
      expect(wait).toBeLessThanOrEqual(delay * 1.1);
      clock.advance(wait - 1);
      await settle();
      expect(receiver.received).toHaveLength(index + 1);
      clock.advance(1);
      await settle();
      expect(receiver.received).toHaveLength(index + 2);
    }
    const dead = await only();
    expect(dead).toMatchObject({ deliveryState: 'DEAD', attemptCount: 10, nextAttemptAt: null });
    expect(dead.attempts).toHaveLength(10);
    expect(dead.attempts[0]).toMatchObject({ status: 500, error: null, responseBody: 'out of order' });
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(10);
    clock.advance(10 * DAY);
    await settle();
    expect(receiver.received).toHaveLength(10);
  });

  it('ends with the first 2xx', async () => {
    receiver.answer({ status: 503 });
    const { id, only } = await deliverOne();
    expect(await endpointState(id)).toMatchObject({
      endpointState: 'ENABLED',
      failingSince: clock.now().toISOString(),
    });
    receiver.answer({ status: 204 });
    clock.advance(6 * SECOND);
    await settle();
    expect(await only()).toMatchObject({ deliveryState: 'DELIVERED', attemptCount: 2 });
    expect((await endpointState(id)).failingSince).toBeNull();
  });

  it.each([
    ['seconds', () => '120', 120 * SECOND],
    ['a date', () => new Date(clock.now().getTime() + 3 * HOUR).toUTCString(), 3 * HOUR],
    ['too long', () => '9999999', DAY],
  ])('waits for the time of Retry-After: %s', async (_, header, expected) => {
    receiver.answer(() => ({ status: 429, headers: { 'retry-after': header() } }));
    const { only } = await deliverOne();
    // A date has no fraction of a second.
    expect(Math.abs(waitOf(await only()) - expected)).toBeLessThanOrEqual(SECOND);
  });

  it('schedules no attempt before its own delay, and uses Retry-After of 429 and 503 only', async () => {
    receiver.answer({ status: 500, headers: { 'retry-after': '3600' } });
    const one = await deliverOne();
    expect(waitOf(await one.only())).toBeLessThanOrEqual(5.5 * SECOND);
    receiver.answer({ status: 503, headers: { 'retry-after': '0' } });
    const two = await deliverOne();
    expect(waitOf(await two.only())).toBeGreaterThanOrEqual(4.5 * SECOND);
  });

  it.each([301, 302, 307, 308])(
    'treats a redirect (%i) as a failure and does not follow it',
    async (status) => {
      const elsewhere = await startReceiver();
      receiver.answer({ status, headers: { location: elsewhere.url() } });
      const { only } = await deliverOne();
      expect(await only()).toMatchObject({
        deliveryState: 'WAITING',
        attempts: [{ status, error: 'REDIRECT' }],
      });
      expect(elsewhere.connections).toBe(0);
      await elsewhere.close();
    },
  );

  it('stores 1,024 bytes of a response, and does not wait for a long one', async () => {
    receiver.answer({ status: 500, text: 'x'.repeat(1_000_000) });
    const { only } = await deliverOne();
    expect((await only()).attempts[0]!.responseBody).toBe('x'.repeat(1024));
  });
});

describe('an endpoint that is disabled after failures', () => {
  it('is disabled by a 410, with an event and an audit entry', async () => {
    const watcher = await startReceiver();
    await createEndpoint(project, { url: watcher.url(), eventTypes: ['webhook.endpoint_disabled'] });
    receiver.answer({ status: 410 });
    const { id, endpointId, only } = await deliverOne();
    expect(await only()).toMatchObject({ deliveryState: 'DEAD', attemptCount: 1 });
    expect(await endpointState(id)).toMatchObject({ endpointState: 'DISABLED', disabledReason: 'GONE' });
    expect(watcher.received.map(({ body }) => body.data)).toMatchObject([
      { endpoint_id: endpointId, reason: 'gone' },
    ]);
    const audit = await project.graphql(
      '{ auditLog(filter: { actions: [WEBHOOK_DISABLE] }) { edges { node { actor target after } } } }',
    );
    expect(audit.auditLog.edges.map((edge: { node: unknown }) => edge.node)).toEqual([
      { actor: 'system', target: `webhook:${endpointId}`, after: { reason: 'gone' } },
    ]);
    await project.authenticate({ id: unique('unheard') });
    await settle();
    expect(receiver.received).toHaveLength(1);
    await watcher.close();
  });

  it('is disabled after five days without a success, and not before', async () => {
    receiver.answer({ status: 500 });
    const { id } = await deliverOne();
    clock.advance(5 * DAY - MINUTE);
    await project.authenticate({ id: unique('late') });
    await settle();
    expect(await endpointState(id)).toMatchObject({ endpointState: 'ENABLED' });
    clock.advance(2 * MINUTE);
    await settle();
    expect(await endpointState(id)).toMatchObject({ endpointState: 'DISABLED', disabledReason: 'FAILING' });
  });

  it('has five days again after one successful delivery', async () => {
    receiver.answer({ status: 500 });
    const { id } = await deliverOne();
    clock.advance(4 * DAY);
    receiver.answer({ status: 200 });
    await settle();
    receiver.answer({ status: 500 });
    await project.authenticate({ id: unique('again') });
    await settle();
    clock.advance(2 * DAY);
    await settle();
    expect(await endpointState(id)).toMatchObject({ endpointState: 'ENABLED' });
  });

  it('receives missed events once it is resumed', async () => {
    receiver.answer({ status: 410 });
    const { id } = await deliverOne();
    const missed = unique('missed');
    await project.authenticate({ id: missed });
    await settle();
    receiver.answer({ status: 200 });
    await project.graphql(
      `mutation { updateWebhookEndpoint(input: { id: "${id}", paused: false }) { endpoint { endpointState disabledReason } } }`,
    );
    await settle();
    expect(receiver.received.slice(1).map(({ body }) => body.data.account_id)).toEqual([missed]);
  });
});

describe('a rotated secret', () => {
  it('signs beside the new one for 24 hours', async () => {
    const { id, secret } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    const { rotateWebhookSecret } = await project.graphql(
      `mutation { rotateWebhookSecret(input: { id: "${id}" }) { secret endpoint { previousSecretUntil } } }`,
    );
    expect(rotateWebhookSecret.secret).not.toBe(secret);
    expect(rotateWebhookSecret.endpoint.previousSecretUntil).toBe(
      new Date(clock.now().getTime() + DAY).toISOString(),
    );
    const signaturesBy = async () => {
      await project.authenticate({ id: unique('rotated') });
      await settle();
      const { headers, text } = receiver.received.at(-1)!;
      const at = new Date(Number(headers['webhook-timestamp']) * 1000);
      const by = (key: string) => new Webhook(key).sign(String(headers['webhook-id']), at, text);
      const signatures = String(headers['webhook-signature']).split(' ');
      return {
        count: signatures.length,
        new: signatures.includes(by(rotateWebhookSecret.secret)),
        old: signatures.includes(by(secret)),
      };
    };
    expect(await signaturesBy()).toEqual({ count: 2, new: true, old: true });
    clock.advance(DAY - 1);
    expect(await signaturesBy()).toEqual({ count: 2, new: true, old: true });
    clock.advance(1);
    expect(await signaturesBy()).toEqual({ count: 1, new: true, old: false });
  });

  it('signs until its own end, also when the secret is rotated again, at most 5 of them', async () => {
    const { id, secret } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    const secrets = [secret];
    const rotation = `mutation { rotateWebhookSecret(input: { id: "${id}" }) {
      secret endpoint { previousSecretUntil previousSecretsUntil } } }`;
    const rotate = async () => {
      const { rotateWebhookSecret } = await project.graphql(rotation);
      secrets.push(rotateWebhookSecret.secret);
      return rotateWebhookSecret.endpoint;
    };
    const HOUR = DAY / 24;
    const ends: string[] = [];
    for (let count = 1; count <= 5; count += 1) {
      clock.advance(HOUR);
      ends.unshift(new Date(clock.now().getTime() + DAY).toISOString());
      expect(await rotate()).toEqual({ previousSecretUntil: ends[0], previousSecretsUntil: ends });
    }
    const { body } = await project.rawGraphql(rotation);
    expect(body.errors[0]).toMatchObject({
      message: `An endpoint has at most 5 previous secrets. The next one expires at ${ends[4]}`,
      extensions: { code: 'webhook.too_many_secrets' },
    });
    const signing = async () => {
      await project.authenticate({ id: unique('rotated') });
      await settle();
      const { headers, text } = receiver.received.at(-1)!;
      const at = new Date(Number(headers['webhook-timestamp']) * 1000);
      const signatures = String(headers['webhook-signature']).split(' ');
      const signed = secrets.map((key) => new Webhook(key).sign(String(headers['webhook-id']), at, text));
      expect(signatures.every((one) => signed.includes(one))).toBe(true);
      return signed.map((one) => signatures.includes(one));
    };
    expect(await signing()).toEqual([true, true, true, true, true, true]);
    // The first rotation was 4 hours ago.
    clock.advance(DAY - 4 * HOUR);
    expect(await signing()).toEqual([false, true, true, true, true, true]);
    expect((await rotate()).previousSecretsUntil).toHaveLength(5);
    clock.advance(2 * HOUR);
    expect(await signing()).toEqual([false, false, false, true, true, true, true]);
  });
});
