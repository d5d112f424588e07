import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Gateway, startGateway, TestClock, type TestProject, unique } from '../../support/gateway.ts';
import { sampleData } from '../../support/outbox.ts';
import { connectAs } from '../../support/sql.ts';
import {
  createEndpoint,
  deliveriesOf,
  type Receiver,
  startReceiver,
} from '../../support/webhook-receiver.ts';

const ONE_TYPE = ['account.authenticated'];
const clock = new TestClock();
let gateway: Gateway;
let project: TestProject;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway({ clock, settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  project = await gateway.project();
  receiver = await startReceiver();
  return () => receiver.close();
});

const settle = () => gateway.app.settleWebhooks();
const FIELDS = 'id url description eventTypes signatureFormat ratePerMinute endpointState disabledReason';

async function errorOf(query: string, as = project) {
  const { body } = await as.rawGraphql(query);
  return body.errors?.[0]?.extensions?.code;
}

async function authenticateMany(count = 1): Promise<void> {
  for (let index = 0; index < count; index += 1) await project.authenticate({ id: unique('event') });
  await settle();
}

describe('an endpoint', () => {
  it('is created, returned without its secret, changed and deleted', async () => {
    const { id, secret } = await createEndpoint(project, {
      url: 'https://example.com',
      description: 'first',
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const show = `{ webhookEndpoint(id: "${id}") { ${FIELDS} } webhookEndpoints { edges { node { id } } } }`;
    expect(await project.graphql(show)).toEqual({
      webhookEndpoint: {
        id,
        url: 'https://example.com/',
        description: 'first',
        eventTypes: [],
        signatureFormat: 'STANDARD',
        ratePerMinute: null,
        endpointState: 'ENABLED',
        disabledReason: null,
      },
      webhookEndpoints: { edges: [{ node: { id } }] },
    });
    const change = `mutation { updateWebhookEndpoint(input: { id: "${id}", url: "https://example.org/a", description: "",
      eventTypes: [RULE_CUSTOM, ACCOUNT_UPDATED, RULE_CUSTOM], signatureFormat: COMPAT, ratePerMinute: 5, paused: true })
      { endpoint { ${FIELDS} } } }`;
    expect((await project.graphql(change)).updateWebhookEndpoint.endpoint).toEqual({
      id,
      url: 'https://example.org/a',
      description: null,
      eventTypes: ['ACCOUNT_UPDATED', 'RULE_CUSTOM'],
      signatureFormat: 'COMPAT',
      ratePerMinute: 5,
      endpointState: 'PAUSED',
      disabledReason: null,
    });
    const remove = `mutation { deleteWebhookEndpoint(input: { id: "${id}" }) { deletedId } }`;
    expect((await project.graphql(remove)).deleteWebhookEndpoint).toEqual({ deletedId: id });
    expect(await project.graphql(show)).toEqual({ webhookEndpoint: null, webhookEndpoints: { edges: [] } });
    expect(await errorOf(remove)).toBe('webhook.endpoint_not_found');
  });

  it('is read, changed, rotated and deleted by its endpointId in either case, as by its global id', async () => {
    const { id, endpointId } = await createEndpoint(project, { url: 'https://example.com' });
    for (const given of [endpointId, endpointId.toUpperCase()]) {
      expect(await project.graphql(`{ webhookEndpoint(id: "${given}") { id } }`)).toEqual({
        webhookEndpoint: { id },
      });
      const { updateWebhookEndpoint } = await project.graphql(
        `mutation { updateWebhookEndpoint(input: { id: "${given}", paused: true }) { endpoint { id endpointState } } }`,
      );
      expect(updateWebhookEndpoint.endpoint).toEqual({ id, endpointState: 'PAUSED' });
      const { rotateWebhookSecret } = await project.graphql(
        `mutation { rotateWebhookSecret(input: { id: "${given}" }) { endpoint { id } secret } }`,
      );
      expect(rotateWebhookSecret).toEqual({ endpoint: { id }, secret: expect.stringMatching(/^whsec_/) });
    }
    const { deleteWebhookEndpoint } = await project.graphql(
      `mutation { deleteWebhookEndpoint(input: { id: "${endpointId}" }) { deletedId } }`,
    );
    expect(deleteWebhookEndpoint).toEqual({ deletedId: id });
  });

  it('writes audit entries without secrets and without possible secrets of its URL', async () => {
    const { id, endpointId, secret } = await createEndpoint(project, {
      url: 'https://example.com/token-in-path?key=hidden',
    });
    const input = `input: { id: "${id}" }`;
    // Entries of the same time have no order.
    clock.advance(1);
    const rotated = await project.graphql(`mutation { rotateWebhookSecret(${input}) { secret } }`);
    clock.advance(1);
    await project.graphql(
      `mutation { updateWebhookEndpoint(input: { id: "${id}", paused: true }) { requestId } }`,
    );
    clock.advance(1);
    // Nothing changes: nothing is written.
    await project.graphql(
      `mutation { updateWebhookEndpoint(input: { id: "${id}", paused: true }) { requestId } }`,
    );
    await project.graphql(`mutation { deleteWebhookEndpoint(${input}) { deletedId } }`);
    const { auditLog } = await project.graphql(
      `{ auditLog(filter: { actions: [WEBHOOK_CREATE, WEBHOOK_UPDATE, WEBHOOK_ROTATE_SECRET, WEBHOOK_DELETE,
           WEBHOOK_DISABLE, WEBHOOK_RESEND, WEBHOOK_TEST] }) { edges { node { action target before after } } } }`,
    );
    const lines = auditLog.edges.map((edge: { node: unknown }) => edge.node).reverse();
    const target = `webhook:${endpointId}`;
    expect(lines).toMatchObject([
      { action: 'WEBHOOK_CREATE', target, before: null, after: { host: 'example.com', state: 'enabled' } },
      { action: 'WEBHOOK_ROTATE_SECRET', target, before: null, after: null },
      { action: 'WEBHOOK_UPDATE', target, before: { state: 'enabled' }, after: { state: 'paused' } },
      { action: 'WEBHOOK_DELETE', target, before: { host: 'example.com' }, after: null },
    ]);
    const text = JSON.stringify(lines);
    for (const hidden of [secret, rotated.rotateWebhookSecret.secret, 'whsec', 'token-in-path', 'hidden'])
      expect(text).not.toContain(hidden);
  });

  it('stores its secret and the responses of receivers encrypted', async () => {
    receiver.answer({ status: 500, text: 'answer-in-clear' });
    const { secret } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    await authenticateMany();
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    const { rows } = await client.query(
      `select e.secret, a.answer from webhook_endpoints e join webhook_attempts a using (project_id) where project_id = $1`,
      [project.projectId],
    );
    await client.end();
    expect(rows).toHaveLength(1);
    for (const bytes of [rows[0].secret, rows[0].answer] as Buffer[]) {
      const stored = bytes.toString('latin1');
      expect(stored).not.toContain(secret.slice(6, 20));
      expect(stored).not.toContain('answer-in-clear');
    }
  });

  it.each([
    ['an unknown type', 'url: "https://example.com", eventTypes: [ACCOUNT_FLEW]', 'graphql.invalid'],
    ['a rate below 0', 'url: "https://example.com", ratePerMinute: -1'],
    ['a rate above 60,000', 'url: "https://example.com", ratePerMinute: 60001'],
    ['1,025 characters of description', `url: "https://example.com", description: "${'x'.repeat(1025)}"`],
    ['a NUL in its description', 'url: "https://example.com", description: "\\u0000"'],
  ])('is not created with %s', async (_, input, code = 'input.invalid') => {
    const mutation = `mutation { createWebhookEndpoint(input: { ${input} }) { secret } }`;
    expect(await errorOf(mutation)).toBe(code);
    expect(
      (await project.graphql('{ webhookEndpoints { edges { node { id } } } }')).webhookEndpoints.edges,
    ).toEqual([]);
  });

  it('is one of at most 100, also when many are created concurrently', async () => {
    const mutation = 'mutation { createWebhookEndpoint(input: { url: "https://example.com" }) { secret } }';
    for (let made = 0; made < 95; made += 1) expect(await errorOf(mutation)).toBeUndefined();
    const codes = await Promise.all(Array.from({ length: 10 }, () => errorOf(mutation)));
    expect(codes.filter((code) => code === undefined)).toHaveLength(5);
    expect(codes.filter((code) => code === 'webhook.too_many_endpoints')).toHaveLength(5);
  });

  it('is not changed to a URL that is rejected', async () => {
    const { id } = await createEndpoint(project, { url: 'https://example.com/' });
    const change = `mutation { updateWebhookEndpoint(input: { id: "${id}", url: "https://10.0.0.1/" }) { requestId } }`;
    expect(await errorOf(change)).toBe('input.invalid');
    expect(
      await errorOf(
        `mutation { updateWebhookEndpoint(input: { id: "${id}", resumeFrom: "2026-01-01T00:00:00Z" }) { requestId } }`,
      ),
    ).toBe('input.invalid');
  });
});

describe('another caller', () => {
  const everything = (endpoint: string, delivery: string) => [
    `mutation { updateWebhookEndpoint(input: { id: "${endpoint}", paused: true }) { requestId } }`,
    `mutation { deleteWebhookEndpoint(input: { id: "${endpoint}" }) { deletedId } }`,
    `mutation { rotateWebhookSecret(input: { id: "${endpoint}" }) { secret } }`,
    `mutation { resendWebhooksSince(input: { endpointId: "${endpoint}", since: "2020-01-01T00:00:00Z" }) { count } }`,
    `{ simulateWebhook(endpointId: "${endpoint}", type: RULE_CUSTOM) { reason } }`,
    `mutation { sendTestWebhook(input: { endpointId: "${endpoint}", type: RULE_CUSTOM }) { delivered } }`,
    `mutation { resendWebhookDelivery(input: { id: "${delivery}" }) { requestId } }`,
  ];

  it('of another project finds no endpoint, as for an unknown id', async () => {
    const { id, endpointId } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    await authenticateMany();
    const [delivery] = await deliveriesOf(project, id);
    const other = await gateway.project();
    const nobody = globalIdOf('WebhookEndpoint', '019ab0f3-6f3e-7c6e-8f5e-0f7d1b0a9c11');
    const answersFor = async (endpoint: string, deliveryId: string) =>
      Promise.all(
        everything(endpoint, deliveryId).map(async (query) => {
          const { body } = await other.rawGraphql(query);
          const [{ message, extensions }] = body.errors;
          return [message, extensions.code];
        }),
      );
    expect(await answersFor(id, delivery!.id)).toEqual(await answersFor(nobody, nobody));
    expect(await answersFor(id, delivery!.id)).toEqual(await answersFor('no id at all', 'no id at all'));
    const plain = [endpointId, delivery!.deliveryId] as const;
    expect(await answersFor(...plain)).toEqual(await answersFor(nobody, nobody));
    expect(
      await other.graphql(
        `{ webhookEndpoint(id: "${id}") { id } webhookEndpoints { edges { node { id } } } }`,
      ),
    ).toEqual({
      webhookEndpoint: null,
      webhookEndpoints: { edges: [] },
    });
    await settle();
    expect(receiver.received).toHaveLength(1);
  });

  it('with a lower role has no permission', async () => {
    const { id } = await createEndpoint(project, { url: 'https://example.com' });
    for (const role of ['read', 'server'] as const) {
      const { key } = await gateway.app.projects.createKey(project.projectId, role);
      const lower = project.withKey(key);
      const create = 'mutation { createWebhookEndpoint(input: { url: "https://example.com" }) { secret } }';
      for (const query of [
        ...everything(id, id),
        create,
        '{ webhookEndpoints { edges { node { id } } } }',
        `{ webhookEndpoint(id: "${id}") { url } }`,
      ])
        expect(await errorOf(query, lower)).toBe('auth.forbidden');
    }
  });
});

describe('deliveries', () => {
  it('are paged, the newest first, and filtered by state', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    await authenticateMany(3);
    receiver.answer({ status: 500 });
    clock.advance(1);
    await authenticateMany(2);
    const all = await deliveriesOf(project, id);
    const page = async (args: string) => {
      const { webhookEndpoint } = await project.graphql(
        `{ webhookEndpoint(id: "${id}") { deliveries(${args}) { edges { node { id } } pageInfo { endCursor hasNextPage } } } }`,
      );
      const { edges, pageInfo } = webhookEndpoint.deliveries;
      return { ids: edges.map((edge: { node: { id: string } }) => edge.node.id), ...pageInfo };
    };
    const first = await page('first: 2');
    const second = await page(`first: 2, after: "${first.endCursor}"`);
    const third = await page(`first: 2, after: "${second.endCursor}"`);
    expect([...first.ids, ...second.ids, ...third.ids]).toEqual(all.map((delivery) => delivery.id));
    expect([first, second, third].map(({ hasNextPage }) => hasNextPage)).toEqual([true, true, false]);
    expect((await page('state: WAITING')).ids).toEqual(all.slice(0, 2).map((delivery) => delivery.id));
    expect((await page('state: DELIVERED')).ids).toEqual(all.slice(2).map((delivery) => delivery.id));
  });

  it('are resent one by one, with the same id and body, and with all attempts', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    await authenticateMany();
    const [delivery] = await deliveriesOf(project, id);
    receiver.answer({ status: 500 });
    const resend = `mutation { resendWebhookDelivery(input: { id: "${delivery!.id}" }) { delivery { deliveryState attemptCount } } }`;
    expect((await project.graphql(resend)).resendWebhookDelivery.delivery).toEqual({
      deliveryState: 'WAITING',
      attemptCount: 0,
    });
    await settle();
    // A delivery that waits for its next attempt is not awaited.
    await project.graphql(resend);
    receiver.answer({ status: 200 });
    await settle();
    const [after] = await deliveriesOf(project, id);
    expect(after).toMatchObject({ deliveryState: 'DELIVERED', attemptCount: 1 });
    expect(after!.attempts.length).toBe(receiver.received.length);
    expect(receiver.received.length).toBeGreaterThanOrEqual(3);
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('are resent since a time, all or only the dead ones', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    await authenticateMany(2);
    clock.advance(60_000);
    const since = clock.now().toISOString();
    await authenticateMany(2);
    clock.advance(1);
    receiver.answer({ status: 500 });
    await authenticateMany();
    for (let attempt = 0; attempt < 9; attempt += 1) {
      clock.advance(27 * 3_600_000);
      await settle();
      // It is disabled before its time would end.
      await project.graphql(
        `mutation { updateWebhookEndpoint(input: { id: "${id}", paused: false }) { requestId } }`,
      );
    }
    await settle();
    receiver.answer({ status: 200 });
    const resend = async (args: string) => {
      const before = receiver.received.length;
      const answer = await project.graphql(
        `mutation { resendWebhooksSince(input: { endpointId: "${id}", since: "${since}"${args} }) { count } }`,
      );
      await settle();
      return [answer.resendWebhooksSince.count, receiver.received.length - before];
    };
    expect((await deliveriesOf(project, id))[0]!.deliveryState).toBe('DEAD');
    expect(await resend(', onlyDead: true')).toEqual([1, 1]);
    expect(await resend('')).toEqual([3, 3]);
    expect(await resend(', onlyDead: true')).toEqual([0, 0]);
  });

  it('are resent in pages, each once', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    await authenticateMany(5);
    const counts: number[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const args: string = `endpointId: "${id}", since: "2020-01-01T00:00:00Z", first: 2${after && `, after: "${after}"`}`;
      const answer = await project.graphql(
        `mutation { resendWebhooksSince(input: { ${args} }) { count endCursor } }`,
      );
      counts.push(answer.resendWebhooksSince.count);
      after = answer.resendWebhooksSince.endCursor;
      // Those of the first page are delivered again before the next page is requested.
      await settle();
    }
    expect(counts).toEqual([2, 2, 1]);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids.slice(5).sort()).toEqual(ids.slice(0, 5).sort());
    const wrong = (args: string) =>
      errorOf(
        `mutation { resendWebhooksSince(input: { endpointId: "${id}", since: "2020-01-01T00:00:00Z", ${args} }) { count } }`,
      );
    for (const args of ['first: 0', 'first: 10001', 'after: "x"'])
      expect(await wrong(args)).toBe('input.invalid');
  });

  it('of a paused endpoint are not resent', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    await authenticateMany();
    const [delivery] = await deliveriesOf(project, id);
    await project.graphql(
      `mutation { updateWebhookEndpoint(input: { id: "${id}", paused: true }) { requestId } }`,
    );
    expect(
      await errorOf(`mutation { resendWebhookDelivery(input: { id: "${delivery!.id}" }) { requestId } }`),
    ).toBe('webhook.endpoint_not_enabled');
  });

  it('are deleted with their endpoint', async () => {
    receiver.answer({ status: 500 });
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    await authenticateMany();
    await project.graphql(`mutation { deleteWebhookEndpoint(input: { id: "${id}" }) { deletedId } }`);
    clock.advance(6000);
    await settle();
    expect(receiver.received).toHaveLength(1);
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    const { rows } = await client.query(
      `select delivery_id from webhook_deliveries where project_id = $1
       union all select attempt_id from webhook_attempts where project_id = $1`,
      [project.projectId],
    );
    await client.end();
    expect(rows).toEqual([]);
  });
});

it('reads the events of a page of deliveries in one statement', async () => {
  const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
  for (let event = 0; event < 3; event += 1) await authenticateMany();
  const statementsOf = async (first: number) => {
    await settle();
    gateway.takeTrips();
    const { webhookEndpoint } = await project.graphql(
      `{ webhookEndpoint(id: "${id}") { deliveries(first: ${first}) { edges { node { event { eventId } } } } } }`,
    );
    const events = gateway
      .takeTrips()
      .flat()
      .filter((name) => name === 'event.find');
    return { events: webhookEndpoint.deliveries.edges.length, statements: events.length };
  };
  expect(await statementsOf(3)).toEqual({ events: 3, statements: 1 });
});

describe('testing an endpoint', () => {
  const simulate = async (args: string) =>
    (await project.graphql(`{ simulateWebhook(${args}) { wouldDeliver reason body } }`)).simulateWebhook;

  it('returns the exact body that would be sent and the reason, and sends nothing', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    await authenticateMany();
    const { text, body } = receiver.received[0]!;
    const would = { wouldDeliver: true, reason: 'TYPE_CHOSEN', body: text };
    expect(await simulate(`endpointId: "${id}", type: ACCOUNT_AUTHENTICATED`)).toEqual(would);
    expect(
      await simulate(`endpointId: "${id}", eventId: "${globalIdOf('AccountAuthenticatedEvent', body.id)}"`),
    ).toEqual(would);
    // The UUIDs of these fields and of webhooks are accepted as well.
    const { webhookEndpoint } = await project.graphql(`{ webhookEndpoint(id: "${id}") { endpointId } }`);
    expect(await simulate(`endpointId: "${webhookEndpoint.endpointId}", eventId: "${body.id}"`)).toEqual(
      would,
    );
    expect(await simulate(`endpointId: "${id}", type: RULE_CUSTOM`)).toEqual({
      wouldDeliver: false,
      reason: 'TYPE_NOT_CHOSEN',
      body: null,
    });
    await project.graphql(
      `mutation { updateWebhookEndpoint(input: { id: "${id}", paused: true }) { requestId } }`,
    );
    expect(await simulate(`endpointId: "${id}", type: ACCOUNT_AUTHENTICATED`)).toMatchObject({
      wouldDeliver: false,
      reason: 'ENDPOINT_PAUSED',
    });
    await settle();
    expect(receiver.received).toHaveLength(1);
  });

  it('rejects unknown types and events, and both or neither of them', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url() });
    const nobody = '019ab0f3-6f3e-7c6e-8f5e-0f7d1b0a9c11';
    const codeOf = (args: string) => errorOf(`{ simulateWebhook(endpointId: "${id}"${args}) { reason } }`);
    expect(await codeOf(', type: ACCOUNT_FLEW')).toBe('graphql.invalid');
    expect(await codeOf('')).toBe('input.invalid');
    expect(await codeOf(`, type: RULE_CUSTOM, eventId: "${globalIdOf('RuleCustomEvent', nobody)}"`)).toBe(
      'input.invalid',
    );
    expect(await codeOf(`, eventId: "${globalIdOf('RuleCustomEvent', nobody)}"`)).toBe(
      'webhook.event_not_found',
    );
    expect(await codeOf(', eventId: "x"')).toBe('webhook.event_not_found');
    const test = `mutation { sendTestWebhook(input: { endpointId: "${id}", type: ACCOUNT_FLEW }) { delivered } }`;
    expect(await errorOf(test)).toBe('graphql.invalid');
  });

  it('signs a test event with both secrets while one is rotated', async () => {
    const { id, secret } = await createEndpoint(project, { url: receiver.url() });
    const rotate = `mutation { rotateWebhookSecret(input: { id: "${id}" }) { secret } }`;
    const { rotateWebhookSecret } = await project.graphql(rotate);
    await project.graphql(
      `mutation { sendTestWebhook(input: { endpointId: "${id}", type: ACCOUNT_LINKED }) { delivered } }`,
    );
    const { headers, text } = receiver.received[0]!;
    const at = new Date(Number(headers['webhook-timestamp']) * 1000);
    const signed = (by: string) => new Webhook(by).sign(String(headers['webhook-id']), at, text);
    expect(headers['webhook-signature']).toBe(`${signed(rotateWebhookSecret.secret)} ${signed(secret)}`);
  });

  it('signs a test event with the secrets of two concurrent rotations and with the one before them', async () => {
    const { id, secret } = await createEndpoint(project, { url: receiver.url() });
    const rotate = `mutation { rotateWebhookSecret(input: { id: "${id}" }) { secret } }`;
    const rotated = await Promise.all([project.graphql(rotate), project.graphql(rotate)]);
    const secrets = [secret, ...rotated.map(({ rotateWebhookSecret }) => rotateWebhookSecret.secret)];
    await project.graphql(
      `mutation { sendTestWebhook(input: { endpointId: "${id}", type: ACCOUNT_LINKED }) { delivered } }`,
    );
    const { headers, text } = receiver.received[0]!;
    const at = new Date(Number(headers['webhook-timestamp']) * 1000);
    const signatures = secrets.map((by) => new Webhook(by).sign(String(headers['webhook-id']), at, text));
    expect(String(headers['webhook-signature']).split(' ').toSorted()).toEqual(signatures.toSorted());
  });

  it('sends a marked test event, on request also in the legacy format', async () => {
    receiver.answer({ status: 202, text: 'thanks' });
    const { id } = await createEndpoint(project, { url: receiver.url(), signatureFormat: 'COMPAT' });
    const { sendTestWebhook } = await project.graphql(
      `mutation { sendTestWebhook(input: { endpointId: "${id}", type: ACCOUNT_LINKED }) { eventId delivered status error responseBody } }`,
    );
    expect(sendTestWebhook).toMatchObject({
      delivered: true,
      status: 202,
      error: null,
      responseBody: 'thanks',
    });
    const { headers, body } = receiver.received[0]!;
    expect(body).toMatchObject({
      id: sendTestWebhook.eventId,
      type: 'account.linked',
      project_id: project.projectId,
      format: 2,
      data: { test: true, ...sampleData('account.linked', project.projectId) },
    });
    expect(headers['x-event-id']).toBe(sendTestWebhook.eventId);
    expect(headers['x-signature']).toMatch(/^t=\d+,h=content-type x-event-id x-event-type,v1=[0-9a-f]{64}$/);
    await settle();
    expect(await deliveriesOf(project, id)).toEqual([]);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('the payload format of an endpoint', () => {
  const update = (id: string, format: number) =>
    `mutation { updateWebhookEndpoint(input: { id: "${id}", payloadFormat: ${format} }) { endpoint { payloadFormat } } }`;

  it('is 1 at the creation of a standard endpoint and in every body, and unknown ones are rejected', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    const { webhookEndpoint } = await project.graphql(`{ webhookEndpoint(id: "${id}") { payloadFormat } }`);
    expect(webhookEndpoint.payloadFormat).toBe(1);
    expect((await project.graphql(update(id, 1))).updateWebhookEndpoint.endpoint.payloadFormat).toBe(1);
    for (const format of [0, 3, -1]) expect(await errorOf(update(id, format))).toBe('input.invalid');
    await authenticateMany();
    expect(receiver.received[0]!.body.format).toBe(1);
  });

  it('of a newer version keeps events pending until a gateway supports it', async () => {
    const { id, endpointId } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    const setFormat = async (format: number) => {
      const client = await connectAs(gateway.database, 'vouchgraph_system');
      await client.query('update webhook_endpoints set payload_format = $2 where endpoint_id = $1', [
        endpointId,
        format,
      ]);
      await client.end();
    };
    await setFormat(99);
    await authenticateMany();
    expect(receiver.received).toEqual([]);
    expect(await deliveriesOf(project, id)).toEqual([]);
    await setFormat(1);
    await settle();
    expect(await deliveriesOf(project, id)).toMatchObject([{ deliveryState: 'DELIVERED', attemptCount: 1 }]);
  });
});

describe('a delivery', () => {
  const FIELDS_OF_DELIVERY =
    '__typename id body deliveryState endpoint { id } event { __typename eventId } attempts { responseBody }';

  it('contains the body that was sent and the response, and is refetched by its id', async () => {
    receiver.answer({ status: 202, text: 'taken' });
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    await authenticateMany();
    const { webhookEndpoint } = await project.graphql(
      `{ webhookEndpoint(id: "${id}") { deliveries { totalCount { value isExact } edges { node { ${FIELDS_OF_DELIVERY} } } } } }`,
    );
    const { edges, totalCount } = webhookEndpoint.deliveries;
    expect(totalCount).toEqual({ value: 1, isExact: true });
    const [{ node }] = edges;
    const [{ text, body }] = receiver.received as [(typeof receiver.received)[number]];
    expect(node).toMatchObject({
      ...{ body: text, endpoint: { id }, attempts: [{ responseBody: 'taken' }] },
      event: { __typename: 'AccountAuthenticatedEvent', eventId: body.id },
    });
    const refetch = `{ node(id: "${node.id}") { ... on WebhookDelivery { ${FIELDS_OF_DELIVERY} } } }`;
    expect((await project.graphql(refetch)).node).toEqual(node);
    const other = await gateway.project();
    expect((await other.graphql(refetch)).node).toBeNull();
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    for (const hidden of [node.id, id])
      expect((await project.withKey(key).graphql(`{ node(id: "${hidden}") { id } }`)).node).toBeNull();
  });

  it('has no body after the event has expired, and pages backwards too', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url(), eventTypes: ONE_TYPE });
    await authenticateMany(3);
    const all = (await deliveriesOf(project, id)).map((delivery) => delivery.id);
    const { webhookEndpoint } = await project.graphql(
      `{ webhookEndpoint(id: "${id}") { deliveries(last: 2) { edges { cursor node { id } } pageInfo { hasPreviousPage } } } }`,
    );
    const { edges, pageInfo } = webhookEndpoint.deliveries;
    expect(edges.map((edge: { node: { id: string } }) => edge.node.id)).toEqual(all.slice(1));
    expect(pageInfo.hasPreviousPage).toBe(true);
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    await client.query('delete from outbox_events where project_id = $1', [project.projectId]);
    await client.end();
    const { node } = await project.graphql(
      `{ node(id: "${all[0]}") { ... on WebhookDelivery { body event { id } } } }`,
    );
    expect(node).toEqual({ body: null, event: null });
  });
});
