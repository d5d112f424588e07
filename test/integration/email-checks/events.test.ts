import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { collect, overSocket, overStream } from '../../support/subscriptions.ts';
import { createEndpoint, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

let gateway: Gateway;
let project: TestProject;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway({ settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
  project = await gateway.project();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

const EVENT = 'id: eventId type cursor accountId sessionId requestId data';
const TYPES = ['EMAIL_INTELLIGENCE_COMPLETED', 'EMAIL_BATCH_COMPLETED'];

const subscribe = async (query: string) => {
  const { events } = await project.graphql('{ events(first: 1) { headCursor } }');
  const client = overSocket(gateway.baseUrl, { 'x-api-key': project.key });
  return { client, collected: collect(client, query, { after: events.headCursor }) };
};

/** Events of these types since the start. */
async function eventsOf(types: string[]): Promise<Body[]> {
  await gateway.app.settleEvents();
  const query = `query ($types: [EventType!], $after: String) { events(first: 100, types: $types, after: $after) {
    edges { node { ${EVENT} } } pageInfo { hasNextPage endCursor } } }`;
  const found: Body[] = [];
  for (let after: string | null = null; ; ) {
    const { events } = await project.graphql(query, { types, after });
    found.push(...events.edges.map(({ node }: Body) => node));
    if (!events.pageInfo.hasNextPage) return found;
    after = events.pageInfo.endCursor;
  }
}

describe('a completed check', () => {
  test('is the same object by REST, GraphQL, subscription and webhook', async () => {
    const { id } = await createEndpoint(project, { url: receiver.url('/same') });
    const { client, collected } = await subscribe(
      `subscription ($after: String) { emailChecked(after: $after) { ${EVENT} } }`,
    );
    const email = `${unique('Ada')}@gmail.com`;
    const claims = { name: { first: 'Ada' }, country: 'FR' };
    const sent = { email, claims, identity_intelligence: true };
    const { body } = await project.rest('POST', '/email?wait=1', sent);
    expect(body.webhook_configured).toBe(true);
    const polled = await project.rest('GET', `/email/${body.request_id}`);
    expect(JSON.stringify(body.result)).toBe(polled.text);
    expect(Object.keys(polled.body.data.result)).toContain('identity_intelligence');

    const [event] = await collected.until(1);
    expect(event).toMatchObject({
      type: 'EMAIL_INTELLIGENCE_COMPLETED',
      requestId: body.request_id,
      accountId: null,
      sessionId: null,
    });
    expect(JSON.stringify(event.data)).toBe(polled.text);
    await client.dispose();

    await gateway.app.settleEvents();
    await gateway.app.settleWebhooks();
    await receiver.until(1);
    const delivered = receiver.received.find(({ path }) => path === '/same')!;
    expect(delivered.text).toContain(`"data":${polled.text}}`);
    expect(delivered.body).toMatchObject({
      id: event.id,
      type: 'email.intelligence.completed',
      project_id: project.projectId,
      metadata: { request_id: body.request_id, account_id: null, session_id: null },
    });

    const { emailCheck } = await project.graphql(
      `query ($id: ID!) { emailCheck(id: $id) { checkId checkStatus email claims { firstName lastName country } record
        emailResult { decision riskScore signals { code side weight source evidence } domain { fqdn apex }
          identity { claimMatches { name phone country } } } error { code } } }`,
      { id: globalIdOf('EmailCheck', body.request_id) },
    );
    const { result } = polled.body.data;
    expect(JSON.stringify(emailCheck.record)).toBe(polled.text);
    expect(emailCheck).toMatchObject({
      checkStatus: 'SUCCESS',
      email,
      claims: { firstName: 'Ada', lastName: null, country: 'FR' },
    });
    expect(emailCheck.emailResult.decision).toBe(result.decision.toUpperCase());
    expect(emailCheck.emailResult.riskScore).toBe(result.risk_score);
    expect(emailCheck.emailResult.signals).toEqual(
      result.signal_details.map((each: Body) => ({
        ...each,
        code: each.code.toUpperCase(),
        side: each.side.toUpperCase(),
        evidence: each.evidence || null,
      })),
    );
    await project.graphql('mutation ($id: ID!) { deleteWebhookEndpoint(input: { id: $id }) { requestId } }', {
      id,
    });
  });
});

describe('a batch', () => {
  test('emits an event for each check, and one for its completion, with its counts', async () => {
    const { client, collected } = await subscribe(
      `subscription ($after: String) { emailBatchCompleted(after: $after) { ${EVENT} } }`,
    );
    const name = unique('batch');
    const emails = Array.from({ length: 450 }, (_, index) => ({ email: `e${index % 300}@gmail.com` }));
    const { body, headers } = await project.rest('POST', '/email', { emails, batch_name: name });
    await gateway.app.settleEmailChecks(project.projectId);
    const [completed] = await collected.until(1);
    await client.dispose();
    expect(completed.requestId).toBe(headers.get('x-request-id'));
    expect(completed.data).toEqual({
      batch_id: body.batch_id,
      batch_name: name,
      status: 'completed',
      total_count: 450,
      completed_count: 450,
      failed_count: 0,
      import_id: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      completed_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });

    const ofBatch = (await eventsOf(TYPES)).filter(({ data }) => data.batch_id === body.batch_id);
    const page = await project.rest('GET', `/email/batch/${body.batch_id}?limit=1000`);
    // In the order sent, and the batch after its checks.
    expect(ofBatch.map(({ data }) => data)).toEqual([...page.body.results, completed.data]);
    expect(new Set(ofBatch.map(({ requestId }) => requestId))).toEqual(
      new Set([headers.get('x-request-id')]),
    );
  });

  test('is received by its id only, over an event stream too', async () => {
    const batches = ['a', 'b'].map((name) => ({ emails: [{ email: `${unique(name)}@gmail.com` }] }));
    const client = overStream(gateway.baseUrl, { 'x-api-key': project.key });
    const { events } = await project.graphql('{ events(first: 1) { headCursor } }');
    const [, second] = [
      await project.rest('POST', '/email', batches[0]),
      await project.rest('POST', '/email', batches[1]),
    ];
    await gateway.app.settleEmailChecks(project.projectId);
    const collected = collect(
      client,
      `subscription ($after: String, $id: ID) { emailChecked(batchId: $id, after: $after) { ${EVENT} } }`,
      { after: events.headCursor, id: globalIdOf('EmailBatch', second.body.batch_id) },
    );
    const [event] = await collected.until(1);
    expect(event.data.batch_id).toBe(second.body.batch_id);
    expect(collected.events).toHaveLength(1);
    client.dispose();
  });

  test('is available to webhooks only when an enabled endpoint receives its type', async () => {
    const other = await gateway.project();
    const configured = async () => {
      const single = await other.rest('POST', '/email', { email: 'a@gmail.com' });
      const batch = await other.rest('POST', '/email', { emails: [{ email: 'a@gmail.com' }] });
      return [single.body.webhook_configured, batch.body.webhook_configured];
    };
    expect(await configured()).toEqual([false, false]);
    const { id } = await createEndpoint(other, {
      url: receiver.url(),
      eventTypes: ['email.batch.completed'],
    });
    expect(await configured()).toEqual([false, true]);
    await other.graphql(
      'mutation ($id: ID!) { updateWebhookEndpoint(input: { id: $id, paused: true }) { requestId } }',
      { id },
    );
    expect(await configured()).toEqual([false, false]);
    await createEndpoint(other, { url: receiver.url(), eventTypes: ['account.updated'] });
    expect(await configured()).toEqual([false, false]);
    // The results of a batch are those of its checks.
    await createEndpoint(other, { url: receiver.url(), eventTypes: ['email.intelligence.completed'] });
    expect(await configured()).toEqual([true, true]);
  });

  test('is hidden from tokens that are limited to an account', async () => {
    await project.authenticate({ id: 'limited' });
    const { createBrowserToken } = await project.graphql(
      'mutation { createBrowserToken(input: { scopes: [ACCOUNT, EVENTS], accountId: "limited" }) { token } }',
    );
    const headers = { 'x-api-key': '', authorization: `Bearer ${createBrowserToken.token}` };
    const withToken = async (args: string) =>
      (await project.rawGraphql(`{ events(${args}) { edges { node { type } } } }`, undefined, headers)).body;
    expect((await withToken(`types: [${TYPES}]`)).errors[0].extensions.code).toBe('auth.forbidden');
    await gateway.app.settleEvents();
    const { edges } = (await withToken('first: 100')).data.events;
    expect(edges.map(({ node }: Body) => node.type)).toContain('ACCOUNT_AUTHENTICATED');
    for (const { node } of edges) expect(TYPES).not.toContain(node.type);
    expect((await eventsOf(TYPES)).length).toBeGreaterThan(0);
  });
});

describe('emailBatches', () => {
  test('lists the newest first, by status, in pages', async () => {
    const other = await gateway.project();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { body } = await other.rest('POST', '/email', { emails: [{ email: 'a@gmail.com' }] });
      ids.unshift(body.batch_id);
      await gateway.app.settleEmailChecks(other.projectId);
    }
    const query = `query ($after: String, $status: EmailBatchStatus) { emailBatches(first: 2, after: $after, status: $status) {
      edges { node { batchId batchStatus counts { total } checks(first: 1) { edges { node { id checkStatus batchPosition } } } } } pageInfo { hasNextPage endCursor } } }`;
    const first = (await other.graphql(query)).emailBatches;
    const second = (await other.graphql(query, { after: first.pageInfo.endCursor })).emailBatches;
    expect([...first.edges, ...second.edges].map(({ node }: Body) => node.batchId)).toEqual(ids);
    expect([first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([true, false]);
    expect(first.edges[0].node).toMatchObject({
      batchStatus: 'COMPLETED',
      counts: { total: 1 },
      checks: { edges: [{ node: { checkStatus: 'SUCCESS', batchPosition: 0 } }] },
    });
    const pending = (await other.graphql(query, { status: 'PENDING' })).emailBatches;
    expect(pending.edges).toEqual([]);
    const completed = (await other.graphql(query, { status: 'COMPLETED' })).emailBatches;
    expect(completed.edges.map(({ node }: Body) => node.batchId)).toEqual(ids.slice(0, 2));
  });
});
