import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import {
  createEndpoint,
  deliveriesOf,
  type Received,
  type Receiver,
  startReceiver,
} from '../../support/webhook-receiver.ts';

let gateway: Gateway;
let project: TestProject;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway({ settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  project = await gateway.project();
  receiver = await startReceiver();
  return () => receiver.close();
});

const TYPE = 'email.intelligence.completed' as const;
const ENVELOPE = [
  ...['request_id', 'batch_id', 'project_id', 'event_type', 'created_at', 'completed_at'],
  ...['status', 'data', 'error'],
];

const endpoint = (path: string, input: Record<string, unknown> = {}) =>
  createEndpoint(project, { url: receiver.url(path), eventTypes: [TYPE], ...input });
const receivedAt = (path: string) => receiver.received.filter((each) => each.path === path);
const update = (input: Record<string, unknown>) =>
  project.graphql(
    `mutation ($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) {
       endpoint { signatureFormat signatureKey payloadFormat } } }`,
    { input },
  );

/** The result of a completed check of a new address, as REST returns it. */
async function checkEmail(): Promise<Body> {
  const sent = { email: `${unique('ada')}@gmail.com`, claims: { country: 'FR' } };
  const { body } = await project.rest('POST', '/email?wait=10', sent);
  await gateway.app.settleEvents();
  await gateway.app.settleWebhooks();
  return (await project.rest('GET', `/email/${body.request_id}`)).body;
}

describe('email.intelligence.completed', () => {
  it('is the object of REST for COMPAT, and in the data of the event for STANDARD', async () => {
    await endpoint('/compat', { signatureFormat: 'COMPAT' });
    await endpoint('/standard');
    const checked = await checkEmail();
    const [compat] = receivedAt('/compat');
    expect(Object.keys(compat!.body)).toEqual(ENVELOPE);
    expect(compat!.body).toEqual(checked);
    expect(compat!.headers).toMatchObject({
      'x-event-type': TYPE,
      'webhook-id': compat!.headers['x-event-id'],
    });
    const [standard] = receivedAt('/standard');
    expect(standard!.body).toMatchObject({ type: TYPE, format: 1, data: checked });
    expect(standard!.headers['webhook-id']).toBe(compat!.headers['webhook-id']);
  });

  it('of a batch has the id of the batch, and the error of a check that failed', async () => {
    await endpoint('/batch', { signatureFormat: 'COMPAT' });
    const { body } = await project.rest('POST', '/email?wait=10', { emails: [{ email: 'nowhere' }] });
    await gateway.app.settleEmailChecks(project.projectId);
    await gateway.app.settleEvents();
    await gateway.app.settleWebhooks();
    const [delivered] = receivedAt('/batch');
    expect(Object.keys(delivered!.body)).toEqual(ENVELOPE);
    expect(delivered!.body).toMatchObject({ batch_id: body.batch_id, event_type: TYPE });
  });

  it('has one form in tests, simulations, stored deliveries and resends', async () => {
    const { id } = await endpoint('/forms', { signatureFormat: 'COMPAT' });
    const simulated = `query ($id: ID!) { simulateWebhook(endpointId: $id, type: EMAIL_INTELLIGENCE_COMPLETED) {
      wouldDeliver body } }`;
    await project.graphql(
      `mutation ($id: ID!) { sendTestWebhook(input: { endpointId: $id, type: EMAIL_INTELLIGENCE_COMPLETED }) {
         delivered } }`,
      { id },
    );
    expect(Object.keys(receivedAt('/forms')[0]!.body)).toEqual(['test', ...ENVELOPE]);
    await checkEmail();
    const [, first] = receivedAt('/forms');
    expect((await project.graphql(simulated, { id })).simulateWebhook).toEqual({
      wouldDeliver: true,
      body: first!.text,
    });
    const [delivery] = await deliveriesOf(project, id);
    const stored = await project.graphql(
      'query ($id: ID!) { webhookEndpoint(id: $id) { deliveries(first: 1) { edges { node { body } } } } }',
      { id },
    );
    expect(stored.webhookEndpoint.deliveries.edges[0].node.body).toBe(first!.text);
    // A resend has the bytes of the first attempt, after a change of the format too.
    await update({ id, signatureFormat: 'STANDARD' });
    await project.graphql('mutation ($id: ID!) { resendWebhookDelivery(input: { id: $id }) { requestId } }', {
      id: delivery!.id,
    });
    await gateway.app.settleWebhooks();
    expect(receivedAt('/forms')[2]!.text).toBe(first!.text);
  });

  it('follows a change of the signature, unless the format of bodies is chosen', async () => {
    const { id } = await endpoint('/changed');
    const formats = async (input: Record<string, unknown>) =>
      (await update({ id, ...input })).updateWebhookEndpoint.endpoint;
    expect(await formats({ signatureFormat: 'COMPAT' })).toEqual({
      ...{ signatureFormat: 'COMPAT', signatureKey: 'TEXT', payloadFormat: 2 },
    });
    await checkEmail();
    expect(Object.keys(receivedAt('/changed')[0]!.body)).toEqual(ENVELOPE);
    expect(await formats({ payloadFormat: 1 })).toMatchObject({
      signatureFormat: 'COMPAT',
      payloadFormat: 1,
    });
    expect(await formats({ signatureKey: 'DECODED' })).toMatchObject({
      signatureKey: 'DECODED',
      payloadFormat: 1,
    });
    await checkEmail();
    expect(receivedAt('/changed')[1]!.body).toMatchObject({ type: TYPE, format: 1 });
    expect(await formats({ signatureFormat: 'STANDARD' })).toMatchObject({ payloadFormat: 1 });
    const { body } = await project.rawGraphql(
      'mutation ($id: ID!) { updateWebhookEndpoint(input: { id: $id, payloadFormat: 3 }) { requestId } }',
      { id },
    );
    expect(body.errors[0].message).toMatch(/payloadFormat: must be one of 1, 2$/);
  });
});

/** The signatures that a receiver computes, from the documents. */
function expectedSignature({ headers, text }: Received, keys: readonly (string | Buffer)[]): string {
  const t = /^t=(\d+),/.exec(String(headers['x-signature']))![1];
  const h = 'content-type x-event-id x-event-type';
  const signed = `${t}.${h}.${headers['content-type']}.${headers['x-event-id']}.${headers['x-event-type']}.${text}`;
  const digests = keys.map((key) => `v1=${createHmac('sha256', key).update(signed).digest('hex')}`);
  return [`t=${t}`, `h=${h}`, ...digests].join(',');
}

describe('the key of x-signature', () => {
  const KEYS: [string, Record<string, unknown>, (secret: string) => string | Buffer][] = [
    ['the secret as text by default', {}, (secret) => secret],
    ['the secret as text', { signatureKey: 'TEXT' }, (secret) => secret],
    ['its decoded bytes', { signatureKey: 'DECODED' }, (secret) => Buffer.from(secret.slice(6), 'base64')],
  ];

  it.each(KEYS)('is %s, also while a secret is rotated and in tests', async (_name, input, keyOf) => {
    const { id, secret } = await endpoint('/key', { signatureFormat: 'COMPAT', ...input });
    await checkEmail();
    const [first] = receivedAt('/key');
    expect(first!.headers['x-signature']).toBe(expectedSignature(first!, [keyOf(secret)]));
    // The key of the standard header is the same for both.
    expect(new Webhook(secret).verify(first!.text, first!.headers as Record<string, string>)).toEqual(
      first!.body,
    );
    const { rotateWebhookSecret: rotated } = await project.graphql(
      'mutation ($id: ID!) { rotateWebhookSecret(input: { id: $id }) { secret } }',
      { id },
    );
    const keys = [keyOf(rotated.secret), keyOf(secret)];
    await checkEmail();
    await project.graphql(
      'mutation ($id: ID!) { sendTestWebhook(input: { endpointId: $id, type: RULE_CUSTOM }) { delivered } }',
      { id },
    );
    const [, second, tested] = receivedAt('/key');
    for (const each of [second!, tested!])
      expect(each.headers['x-signature']).toBe(expectedSignature(each, keys));
  });

  it('is that of the last change', async () => {
    const { id, secret } = await endpoint('/last', { signatureFormat: 'COMPAT' });
    await update({ id, signatureKey: 'DECODED' });
    await checkEmail();
    const [delivered] = receivedAt('/last');
    const key = Buffer.from(secret.slice(6), 'base64');
    expect(delivered!.headers['x-signature']).toBe(expectedSignature(delivered!, [key]));
    const { body } = await project.rawGraphql(
      'mutation ($id: ID!) { updateWebhookEndpoint(input: { id: $id, signatureKey: BASE64 }) { requestId } }',
      { id },
    );
    expect(body.errors[0].message).toMatch(/Accepted values: DECODED, TEXT/);
  });
});
