import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { enumNameOf } from '../../../src/graphql/events/event-type.ts';
import {
  type Body,
  type Gateway,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import {
  browserToken,
  collect,
  EVENTS,
  headOf,
  overSocket,
  overStream,
} from '../../support/subscriptions.ts';
import { playedVerification, verificationLink, verifyFace, verifyId } from '../../support/verification.ts';
import { createEndpoint, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

let gateway: Gateway;
let project: TestProject;
let receiver: Receiver;
const open: { dispose(): void | Promise<void> }[] = [];

beforeAll(async () => {
  gateway = await startGateway({ settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  project = await gateway.project();
  receiver = await startReceiver();
  return () => receiver.close();
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.dispose();
});

const COMPLETED = `subscription ($after: String, $kind: VerificationKind, $accountId: ID, $sessionId: ID) {
  verificationCompleted(after: $after, kind: $kind, accountId: $accountId, sessionId: $sessionId) {
    id: eventId type cursor accountId sessionId data } }`;
const KINDS = [
  { kind: 'ID_CHECK', query: { id: 'true' }, type: 'verification.id_check.completed', verify: verifyId },
  { kind: 'FACE_CHECK', query: {}, type: 'verification.face_check.completed', verify: verifyFace },
] as const;
const socket = () => {
  const client = overSocket(gateway.baseUrl, { 'x-api-key': project.key });
  open.push(client);
  return client;
};
const delivered = (type: string) => receiver.received.filter(({ body }) => body.type === type);

/** Equal parts of an event and a response, without the request, the time, and temporary signed addresses. */
function lasting(data: Body): Body {
  const { request_id: _, timestamp: __, ...metadata } = data.metadata;
  const { photo_urls: ___, video_urls: ____, ...rest } = data;
  return { ...rest, metadata };
}

describe('a simulated session', () => {
  it('emits its event about three seconds after its page was opened, to subscribers and receivers', async () => {
    await createEndpoint(project, { url: receiver.url(), eventTypes: ['verification.face_check.completed'] });
    const client = socket();
    const collected = collect(client, COMPLETED, { after: await headOf(project) });
    const { url, sessionId } = await verificationLink(project, { simulate: 'success' });
    const openedAt = Date.now();
    await (await fetch(url)).text();
    const [event] = await collected.until(1);
    expect(event).toMatchObject({ type: 'VERIFICATION_FACE_CHECK_COMPLETED', sessionId });
    await receiver.until(1);
    const [{ body }] = receiver.received as [Body];
    expect(body.id).toBe(event.id);
    const waited = Date.parse(body.created_at) - openedAt;
    expect(waited).toBeGreaterThanOrEqual(2500);
    expect((await verifyFace(project, sessionId)).status).toBe(200);
  });

  it.each(KINDS)('has the type of its kind: $kind', async ({ query, kind, type }) => {
    const after = await headOf(project);
    const other = KINDS.find((each) => each.kind !== kind)!;
    const byKind = collect(socket(), COMPLETED, { after, kind });
    const byType = collect(socket(), EVENTS, { after, types: [enumNameOf(type)] });
    const stream = overStream(gateway.baseUrl, { 'x-api-key': project.key });
    open.push(stream);
    const streamed = collect(stream, COMPLETED, { after });
    const ids = [
      await playedVerification(gateway, project, { simulate: 'success', ...other.query }),
      await playedVerification(gateway, project, { simulate: 'success', ...query }),
    ];
    const both = await streamed.until(2);
    expect(both.map(({ sessionId }) => sessionId)).toEqual(ids);
    expect((await byKind.until(1)).map(({ sessionId }) => sessionId)).toEqual([ids[1]]);
    expect((await byType.until(1)).map(({ sessionId }) => sessionId)).toEqual([ids[1]]);
  });

  it('is sent only to the page of its account', async () => {
    const [mine, other] = [unique('mine'), unique('other')];
    const after = await headOf(project);
    const listen = async (accountId: string) => {
      const client = overSocket(gateway.baseUrl, {
        authorization: `Bearer ${await browserToken(project, { accountId })}`,
      });
      open.push(client);
      return collect(client, COMPLETED, { after, accountId });
    };
    const collected = { mine: await listen(mine), other: await listen(other) };
    const made = { simulate: 'success', simulate_decision: 'Real' };
    const first = await playedVerification(gateway, project, { ...made, account_id: mine });
    const second = await playedVerification(gateway, project, { ...made, account_id: other });
    const [event] = await collected.mine.until(1);
    expect(event).toMatchObject({ accountId: mine, sessionId: first });
    await collected.other.until(1);
    expect(collected.other.events.map(({ sessionId }) => sessionId)).toEqual([second]);
    expect(collected.mine.events).toHaveLength(1);
  });
});

describe('a failure', () => {
  const POLL = `query ($after: String, $accountId: ID) {
    events(after: $after, accountId: $accountId) { edges { node { type accountId sessionId account { accountId } } } } }`;

  it('belongs to its account, live and on resume, also before the account is created', async () => {
    const [known, unknown] = [unique('known'), unique('unknown')];
    await project.authenticate({ id: known });
    await gateway.app.settleEvents();
    const after = await headOf(project);
    for (const account_id of [known, unknown]) {
      const live = collect(socket(), EVENTS, { after, accountId: account_id });
      const session = await playedVerification(gateway, project, {
        simulate: 'liveness_check_failed',
        account_id,
      });
      await gateway.app.settleEvents();
      const failed = { type: 'VERIFICATION_FAILED', accountId: account_id, sessionId: session };
      expect(await live.until(1)).toMatchObject([failed]);
      const again = collect(socket(), EVENTS, { after, accountId: account_id });
      expect(await again.until(1)).toMatchObject([failed]);
      const { events } = await project.graphql(POLL, { after, accountId: account_id });
      const account = account_id === known ? { accountId: known } : null;
      expect(events.edges).toEqual([{ node: { ...failed, account } }]);
    }
    // An account that is created later has the earlier events of its id.
    await project.authenticate({ id: unknown });
    await gateway.app.settleEvents();
    const { events } = await project.graphql(POLL, { after, accountId: unknown });
    expect(events.edges.map(({ node }: Body) => node.type)).toEqual([
      'VERIFICATION_FAILED',
      'ACCOUNT_AUTHENTICATED',
    ]);
  });
});

describe('a webhook', () => {
  it.each(KINDS)('equals the response of the verify endpoint: $kind', async ({ query, type, verify }) => {
    const { secret } = await createEndpoint(project, { url: receiver.url(), eventTypes: [type] });
    const account_id = unique('event');
    const phone = '+14155550101';
    await project.authenticate({ id: account_id, phone, lists: ['vip'] });
    await project.authenticate({ id: unique('friend'), phone });
    const referring_session_id = await project.session();
    const session_id = await playedVerification(gateway, project, {
      ...{ simulate: 'success', simulate_decision: 'Suspicious', simulate_risk_flags: 'repeat_id' },
      ...{ account_id, referring_session_id, ...query },
    });
    await gateway.app.settleWebhooks();
    expect(receiver.received).toHaveLength(1);
    const { text, headers, body } = receiver.received[0]!;
    new Webhook(secret).verify(text, headers as Record<string, string>);
    const names = { account_id, session_id, referring_session_id, project_id: project.projectId };
    expect(body).toMatchObject({ type, event_type: type, project_id: project.projectId, metadata: names });
    expect(body.metadata.request_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.metadata.timestamp).toMatch(/^\d{4}-.*\.\d{3}Z$/);
    const answer = await verify(project, session_id);
    expect(answer.status).toBe(200);
    const { account_id: account, referring_session_id: referring, ...data } = body.data;
    expect({ account, referring }).toEqual({ account: account_id, referring: referring_session_id });
    expect(lasting(data)).toEqual(lasting(answer.body));
    expect(Object.keys(data).sort()).toEqual(Object.keys(answer.body).sort());
    expect(data.metadata).toMatchObject(names);
  });

  it('equals the response without personal data, apart from the omitted fields', async () => {
    await createEndpoint(project, { url: receiver.url(), eventTypes: ['verification.id_check.completed'] });
    const session = await playedVerification(gateway, project, { simulate: 'success', id: 'true' });
    const full = (await verifyId(project, session)).body;
    for (const on of ['?excludePII=true', '?excludePII=1', '?excludePII=']) {
      const { document_data, photo_urls, video_urls, ...rest } = full;
      const answer = (await verifyId(project, session, on)).body;
      expect({ ...answer, metadata: null }).toEqual({ ...rest, metadata: null });
      expect(answer).not.toHaveProperty('document_data');
      expect([document_data, photo_urls, video_urls]).not.toContain(undefined);
    }
    for (const off of ['?excludePII=false', '?excludePII=0'])
      expect((await verifyId(project, session, off)).body).toHaveProperty(
        'document_data.user_data.first_name',
      );
    await gateway.app.settleWebhooks();
    expect(receiver.received).toHaveLength(1);
    expect(lasting(receiver.received[0]!.body.data)).toMatchObject({
      document_data: full.document_data,
      document_signals: full.document_signals,
    });
    expect(receiver.received[0]!.body.data).toHaveProperty('photo_urls.id_scan_front');
  });

  it.each(['liveness_check_failed', 'session_id_not_found', 'failed_to_process_id_scan'])(
    'reports a failure: %s',
    async (simulate) => {
      await createEndpoint(project, { url: receiver.url() });
      const account_id = unique('failed');
      const session_id = await playedVerification(gateway, project, { simulate, id: 'true', account_id });
      await gateway.app.settleWebhooks();
      expect(delivered('verification.id_check.completed')).toEqual([]);
      const [only, ...more] = delivered('verification.failed');
      expect(more).toEqual([]);
      const names = { account_id, session_id, referring_session_id: null, project_id: project.projectId };
      expect(only!.body).toMatchObject({
        metadata: names,
        data: { metadata: names, kind: 'id', error_message: simulate },
      });
      // It failed: the account is not created.
      expect((await project.rest('GET', `/account/${account_id}`)).status).toBe(400);
    },
  );
});

describe('30 days later', () => {
  it('an event keeps its data', async () => {
    const clock = new TestClock();
    const later = await startGateway({ clock });
    try {
      const own = await later.project();
      const session = await playedVerification(later, own, { simulate: 'success', id: 'true' });
      await later.app.settleEvents();
      const events = async () =>
        (
          await own.graphql(
            '{ events(types: [VERIFICATION_ID_CHECK_COMPLETED]) { edges { node { data } } } }',
          )
        ).events.edges;
      const before = await events();
      clock.advance(31 * 86_400_000);
      expect((await verifyId(own, session)).body.error).toBe('session_not_valid_for_this_endpoint');
      expect(await events()).toEqual(before);
    } finally {
      await later.close();
    }
  });
});
