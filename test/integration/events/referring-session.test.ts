import { EVENT_TYPES } from '@vouchgraph/events/internals/catalogue/event-type';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { enumNameOf } from '../../../src/graphql/events/event-type.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { browserToken, collect, EVENTS, headOf, overSocket } from '../../support/subscriptions.ts';
import { playedVerification } from '../../support/verification.ts';
import {
  createEndpoint,
  deliveriesOf,
  type Receiver,
  startReceiver,
} from '../../support/webhook-receiver.ts';

/* Every event of a verification's session names the referring session of the person. */
let gateway: Gateway;
let project: TestProject;
let receiver: Receiver;
let endpoint: string;
beforeAll(async () => {
  gateway = await startGateway({ settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
});
afterAll(() => gateway.close());
beforeEach(async () => {
  project = await gateway.project();
  receiver = await startReceiver();
  ({ id: endpoint } = await createEndpoint(project, { url: receiver.url() }));
  return () => receiver.close();
});

const SUCCESS = { simulate: 'success', simulate_decision: 'Real' };
const RULE = {
  name: 'checked',
  trigger: 'FACE_CHECK_COMPLETED',
  expression: 'verification.risk_score < 0.5',
  actions: [{ addToList: 'main_account' }],
  state: 'ENABLED',
};
const makeRule = () =>
  project.graphql('mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }', {
    input: RULE,
  });

/** An event type in the form of webhooks, from its name in GraphQL. */
const dottedType = (name: string) => EVENT_TYPES.find((type) => enumNameOf(type) === name);

const REFERRING = `query { events(first: 100) { edges { node { type sessionId referringSessionId } } } }`;

/** Type and referring session of every sent event, by the metadata of webhooks and by GraphQL alike. */
async function sentOf(sessionId: string | null): Promise<[string, string | null][]> {
  await gateway.app.settleWebhooks();
  const sent = receiver.received
    .map(({ body }) => body.metadata as Body)
    .map((metadata, at) => ({ metadata, type: receiver.received[at]!.body.type as string }));
  const { events } = await project.graphql(REFERRING);
  const read = events.edges.map(({ node }: Body) => [
    dottedType(node.type),
    node.sessionId,
    node.referringSessionId,
  ]);
  expect(
    sent.map(({ type, metadata }) => [type, metadata.session_id, metadata.referring_session_id]).sort(),
  ).toEqual(read.sort());
  return sent
    .filter(({ metadata }) => metadata.session_id === sessionId)
    .map(({ type, metadata }) => [type, metadata.referring_session_id] as [string, string | null])
    .sort();
}

describe('metadata.referring_session_id', () => {
  it('is part of all events of a bound check: its rules, lists and links too', async () => {
    await makeRule();
    const phone = '+14155550199';
    const [known, account_id] = [unique('known'), unique('checked')];
    await project.authenticate({ id: known, phone });
    const referring_session_id = await project.session();
    const session = await playedVerification(gateway, project, {
      ...SUCCESS,
      account_id,
      referring_session_id,
    });
    expect(await sentOf(session)).toEqual([
      ['account.authenticated', referring_session_id],
      ['list.account_added', referring_session_id],
      ['rule.triggered', referring_session_id],
      ['session.completed', referring_session_id],
      ['verification.face_check.completed', referring_session_id],
    ]);
    const { status, body } = await project.rest('POST', '/session/authenticate', {
      session_id: session,
      account: { id: account_id, phone, lists: ['vip'] },
    });
    expect(status).toBe(200);
    expect(body.accounts_linked).toBe(1);
    const all = await sentOf(session);
    expect(all.map(([type]) => type)).toEqual(
      expect.arrayContaining(['account.linked', 'account.authenticated', 'list.account_added']),
    );
    expect(all.length).toBeGreaterThan(6);
    for (const [type, referring] of all) expect(referring, type).toBe(referring_session_id);
    // Events caused by another session, or by none, have none.
    await project.rest('PUT', `/account/${known}`, { username: unique('name') });
    await project.authenticate({ id: known });
    await sentOf(null);
    const others = receiver.received.filter(({ body }) => body.metadata.session_id !== session);
    expect(others.length).toBeGreaterThan(3);
    for (const { body } of others) expect(body.metadata.referring_session_id, body.type).toBeNull();
  });

  it('is part of the events of a check without an account, and of its later binding', async () => {
    const referring_session_id = await project.session();
    const session = await playedVerification(gateway, project, { ...SUCCESS, referring_session_id });
    expect(await sentOf(session)).toEqual([
      ['session.completed', referring_session_id],
      ['verification.face_check.completed', referring_session_id],
    ]);
    const account = { id: unique('later') };
    await project.rest('POST', '/session/authenticate', { session_id: session, account });
    expect(await sentOf(session)).toContainEqual(['account.authenticated', referring_session_id]);
  });

  it('is part of the event of a failure', async () => {
    const referring_session_id = await project.session();
    const session = await playedVerification(gateway, project, {
      simulate: 'liveness_check_failed',
      referring_session_id,
    });
    expect(await sentOf(session)).toEqual([['verification.failed', referring_session_id]]);
  });

  it('is stored with the event: later attempts have the same bytes when the check no longer has it', async () => {
    const account_id = unique('forgotten');
    const referring_session_id = await project.session();
    receiver.answer(({ body }) => ({ status: body.type === 'account.authenticated' ? 500 : 200 }));
    await playedVerification(gateway, project, { ...SUCCESS, account_id, referring_session_id });
    await gateway.app.settleWebhooks();
    const client = await connectAs(gateway.database, 'owner');
    await client
      .query('update verification_sessions set referring_session_id = null where project_id = $1', [
        project.projectId,
      ])
      .finally(() => client.end());
    receiver.answer({ status: 200 });
    const delivery = (await deliveriesOf(project, endpoint)).find(
      ({ eventType }) => eventType === 'ACCOUNT_AUTHENTICATED',
    )!;
    await project.graphql(
      'mutation ($id: ID!) { resendWebhookDelivery(input: { id: $id }) { delivery { deliveryState } } }',
      {
        id: delivery.id,
      },
    );
    await gateway.app.settleWebhooks();
    const texts = receiver.received
      .filter(({ body }) => body.type === 'account.authenticated')
      .map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(1);
    expect(new Set(texts).size).toBe(1);
    expect(JSON.parse(texts[0]!).metadata.referring_session_id).toBe(referring_session_id);
  });

  it('is hidden from the other account of a link', async () => {
    const [mine, theirs] = [unique('mine'), unique('theirs')];
    const phone = '+14155550177';
    await project.authenticate({ id: mine, phone });
    await gateway.app.settleEvents();
    const after = await headOf(project);
    const referring_session_id = await project.session();
    const session = await playedVerification(gateway, project, { ...SUCCESS, referring_session_id });
    const client = overSocket(gateway.baseUrl, {
      authorization: `Bearer ${await browserToken(project, { accountId: mine })}`,
    });
    try {
      const query = EVENTS.replace('cursor', 'cursor referringSessionId');
      const seen = collect(client, query, { after, types: ['ACCOUNT_LINKED'] });
      await project.rest('POST', '/session/authenticate', {
        session_id: session,
        account: { id: theirs, phone },
      });
      expect(await seen.until(1)).toMatchObject([{ sessionId: null, referringSessionId: null }]);
    } finally {
      await client.dispose();
    }
  });
});
