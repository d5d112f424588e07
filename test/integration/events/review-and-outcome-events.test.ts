import type { EventType } from '@vouchgraph/events/internals/catalogue/event-type';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { browserToken, collect, headOf, overSocket, overStream } from '../../support/subscriptions.ts';
import { playedVerification } from '../../support/verification.ts';
import { createEndpoint, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

let gateway: Gateway;
let project: TestProject;
let receiver: Receiver;
const open: { dispose(): void | Promise<void> }[] = [];
const TYPES: EventType[] = ['verification.reviewed', 'account.outcome_reported', 'account.outcome_retracted'];
beforeAll(async () => {
  [gateway, receiver] = await Promise.all([
    startGateway({ settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } }),
    startReceiver(),
  ]);
  project = await gateway.project();
  await createEndpoint(project, { url: receiver.url(), eventTypes: TYPES });
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.dispose();
});
afterAll(async () => {
  await receiver?.close();
  await gateway?.close();
});

const ENUM_TYPES = '[VERIFICATION_REVIEWED, ACCOUNT_OUTCOME_REPORTED, ACCOUNT_OUTCOME_RETRACTED]';
const FIELDS = `__typename id eventId type accountId sessionId referringSessionId requestId createdAt data
  account { accountId }
  ... on VerificationReviewedEvent { kind position reviewDecision reason actor
    review { id reason } verification { sessionId } }
  ... on AccountOutcomeChangedEvent { outcomeId outcome at actor reportedOutcome { id outcomeId note } }`;
const SUBSCRIBE = `subscription ($after: String, $accountId: ID, $sessionId: ID) {
  events(after: $after, types: ${ENUM_TYPES}, accountId: $accountId, sessionId: $sessionId) { cursor ${FIELDS} } }`;
const LIST = `query ($after: String, $accountId: ID, $sessionId: ID) {
  events(first: 100, after: $after, types: ${ENUM_TYPES}, accountId: $accountId, sessionId: $sessionId) {
    edges { node { ${FIELDS} } } } }`;

async function listed(variables: Body = {}, by = project): Promise<Body[]> {
  await gateway.app.settleEvents();
  const { events } = await by.graphql(LIST, variables);
  return events.edges.map(({ node }: Body) => node);
}

type Connect = typeof overSocket | typeof overStream;
function subscribed(connect: Connect, variables: Body, by = project) {
  const client = connect(gateway.baseUrl, { 'x-api-key': by.key });
  open.push(client);
  return collect(client, SUBSCRIBE, variables);
}

/** Bodies of the webhooks of these events, in their order. */
async function delivered(eventIds: readonly string[]): Promise<Body[]> {
  await gateway.app.settleEvents();
  await gateway.app.settleWebhooks();
  const bodies = receiver.received.map(({ body }) => body);
  return eventIds.flatMap((id) => bodies.filter((body) => body.id === id));
}

const head = async (by = project) => {
  await gateway.app.settleEvents();
  return headOf(by);
};
const played = (query: Record<string, string> = {}, by = project) =>
  playedVerification(gateway, by, { simulate: 'success', simulate_decision: 'Suspicious', ...query });

type Verb = 'approveVerification' | 'rejectVerification' | 'clearVerificationReview';
async function review(verb: Verb, session: string, reason?: string): Promise<string> {
  const type = `${verb[0]!.toUpperCase()}${verb.slice(1)}Input`;
  const answer = await project.graphql(
    `mutation ($input: ${type}!) { ${verb}(input: $input) { requestId } }`,
    { input: { id: globalIdOf('Verification', session), reason } },
  );
  return answer[verb].requestId;
}

const AT = '2026-01-02T03:04:05.000Z';
async function report(accountId: string, outcome: string, note?: string): Promise<Body> {
  const { reportOutcome } = await project.graphql(
    `mutation ($input: ReportOutcomeInput!) { reportOutcome(input: $input) {
       requestId isNew outcome { id outcomeId actor } } }`,
    { input: { accountId, outcome, at: AT, note } },
  );
  return reportOutcome;
}
const RETRACT = 'mutation ($id: ID!) { retractOutcome(input: { id: $id }) { requestId } }';
const retract = async (id: string): Promise<string> =>
  (await project.graphql(RETRACT, { id })).retractOutcome.requestId;

async function newAccount(by = project): Promise<string> {
  const id = unique('account');
  await by.authenticate({ id });
  return id;
}

describe.each([
  { transport: 'a WebSocket', connect: overSocket },
  { transport: 'an event stream', connect: overStream },
])('events over $transport', ({ connect }) => {
  it('contain each review of a check with its decision and reason, by its session and its account', async () => {
    const accountId = unique('reviewed');
    const referring = await project.session();
    const session = await played({ id: 'true', account_id: accountId, referring_session_id: referring });
    const other = await played();
    const after = await head();
    const bySession = subscribed(connect, { after, sessionId: session });
    const byAccount = subscribed(connect, { after, accountId });
    await review('rejectVerification', other, 'another check');
    const requests = [
      await review('approveVerification', session, 'called the person'),
      await review('rejectVerification', session, 'is a copy'),
      await review('clearVerificationReview', session),
    ];
    const events = await bySession.until(3);
    expect(await byAccount.until(3)).toEqual(events);
    const shown = [
      { reviewDecision: 'APPROVED', reason: 'called the person' },
      { reviewDecision: 'REJECTED', reason: 'is a copy' },
      { reviewDecision: 'CLEARED', reason: null },
    ];
    expect(events).toMatchObject(
      shown.map((facts, index) => ({
        ...{ __typename: 'VerificationReviewedEvent', type: 'VERIFICATION_REVIEWED', kind: 'ID_CHECK' },
        ...{ accountId, sessionId: session, referringSessionId: referring, requestId: requests[index] },
        ...facts,
        position: index + 1,
        actor: expect.stringMatching(/^vg_test_/),
        account: { accountId },
        review: { id: globalIdOf('VerificationReview', `${session}:${index + 1}`), reason: facts.reason },
        verification: { sessionId: session },
      })),
    );
    const { cursor: _, ...last } = events.at(-1)!;
    expect((await listed({ after, sessionId: session })).at(-1)).toEqual(last);
  });

  it('contain a reported outcome and its retraction, by their account', async () => {
    const [id, other] = [await newAccount(), await newAccount()];
    const after = await head();
    const collected = subscribed(connect, { after, accountId: id });
    await report(other, 'FRAUD');
    const { outcome, requestId } = await report(id, 'CHARGEBACK', 'card of Ada');
    const [reported] = await collected.until(1);
    const common = {
      ...{ accountId: id, sessionId: null, account: { accountId: id } },
      ...{ outcomeId: outcome.outcomeId, outcome: 'CHARGEBACK', at: AT, actor: outcome.actor },
    };
    expect(reported).toMatchObject({
      ...common,
      ...{ __typename: 'AccountOutcomeReportedEvent', type: 'ACCOUNT_OUTCOME_REPORTED', requestId },
      reportedOutcome: { id: outcome.id, outcomeId: outcome.outcomeId, note: 'card of Ada' },
    });
    expect(JSON.stringify(reported!.data)).not.toContain('Ada');
    const retraction = await retract(outcome.id);
    const [, retracted] = await collected.until(2);
    expect(retracted).toMatchObject({
      ...common,
      ...{ __typename: 'AccountOutcomeRetractedEvent', type: 'ACCOUNT_OUTCOME_RETRACTED' },
      ...{ requestId: retraction, reportedOutcome: null },
    });
    expect((await listed({ after, accountId: id })).map(({ eventId }) => eventId)).toEqual([
      reported!.eventId,
      retracted!.eventId,
    ]);
  });
});

describe('a webhook', () => {
  it('contains a review as the interface shows it', async () => {
    const accountId = unique('hooked');
    const session = await played({ account_id: accountId });
    await review('rejectVerification', session, 'is a copy');
    const [event] = await listed({ sessionId: session });
    const [body, ...more] = await delivered([event!.eventId]);
    expect(more).toEqual([]);
    expect(body).toMatchObject({
      ...{ type: 'verification.reviewed', event_type: 'verification.reviewed' },
      metadata: { session_id: session, account_id: accountId, request_id: event!.requestId },
    });
    expect(body!.data).toEqual(event!.data);
    expect(body!.data).toEqual({
      ...{ account_id: accountId, referring_session_id: null, session_id: session, kind: 'face' },
      ...{ position: 1, review_decision: 'rejected', reason: 'is a copy', actor: event!.actor },
    });
  });

  it('contains an outcome and its retraction, without the note', async () => {
    const id = await newAccount();
    const { outcome } = await report(id, 'FRAUD', 'card of Ada');
    await retract(outcome.id);
    const events = await listed({ accountId: id });
    const bodies = await delivered(events.map(({ eventId }) => eventId));
    expect(bodies.map(({ type }) => type)).toEqual(['account.outcome_reported', 'account.outcome_retracted']);
    for (const { data, metadata } of bodies) {
      expect(metadata).toMatchObject({ session_id: null, account_id: id });
      expect(data).toEqual({
        ...{ account_id: id, outcome_id: outcome.outcomeId, outcome: 'fraud', at: AT, actor: outcome.actor },
      });
    }
  });
});

describe('a call without a change', () => {
  it('emits no event for repeated and rejected reviews', async () => {
    const session = await played();
    await review('clearVerificationReview', session);
    expect(await listed({ sessionId: session })).toEqual([]);
    await Promise.all([1, 2, 3].map(() => review('approveVerification', session, 'fine')));
    await review('approveVerification', session, 'fine');
    expect(await listed({ sessionId: session })).toHaveLength(1);
    await review('clearVerificationReview', session, 'wrong check');
    await review('clearVerificationReview', session);
    const other = await gateway.project();
    const { body } = await other.rawGraphql(
      'mutation ($input: RejectVerificationInput!) { rejectVerification(input: $input) { requestId } }',
      { input: { id: globalIdOf('Verification', session), reason: 'not mine' } },
    );
    expect(body.errors[0].extensions.code).toBe('verification.session_not_found');
    expect((await listed({ sessionId: session })).map(({ reviewDecision }) => reviewDecision)).toEqual([
      'APPROVED',
      'CLEARED',
    ]);
  });

  it('emits no event for repeated and rejected outcomes', async () => {
    const id = await newAccount();
    const [{ outcome }] = await Promise.all([1, 2, 3].map(() => report(id, 'FRAUD')));
    expect((await report(id, 'FRAUD', 'another note')).isNew).toBe(false);
    expect(await listed({ accountId: id })).toHaveLength(1);
    const retractions = await Promise.all(
      [1, 2, 3].map(() => project.rawGraphql(RETRACT, { id: outcome.id })),
    );
    expect(retractions.filter(({ body }) => body.errors === undefined)).toHaveLength(1);
    expect((await listed({ accountId: id })).map(({ type }) => type)).toEqual([
      'ACCOUNT_OUTCOME_REPORTED',
      'ACCOUNT_OUTCOME_RETRACTED',
    ]);
  });
});

describe('events of reviews and outcomes', () => {
  it('are erased with their account', async () => {
    const id = await newAccount();
    const session = await played({ account_id: id });
    const { outcome } = await report(id, 'FRAUD');
    await review('rejectVerification', session, 'is a copy');
    await retract(outcome.id);
    const before = await listed({ accountId: id });
    expect(before).toHaveLength(3);
    const system = await connectAs(gateway.database, 'vouchgraph_system');
    const remaining = async () => {
      const { rows } = await system.query(
        'select event_id from outbox_events where project_id = $1 and event_id = any($2::uuid[])',
        [project.projectId, before.map(({ eventId }) => eventId)],
      );
      return rows;
    };
    expect(await remaining()).toHaveLength(3);
    expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
    expect(await remaining()).toEqual([]);
    await system.end();
    expect(await listed({ accountId: id })).toEqual([]);
    expect(await listed({ sessionId: session })).toEqual([]);
    const { nodes } = await project.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: before.map((event) => event.id),
    });
    expect(nodes).toEqual([null, null, null]);
  });

  it('written during the erasure of their account are erased too', async () => {
    const id = await newAccount();
    const session = await played({ account_id: id });
    const { outcome } = await report(id, 'FRAUD');
    const after = await head();
    await Promise.all([
      project.rest('DELETE', `/account/${id}`),
      project.rawGraphql(RETRACT, { id: outcome.id }),
      project.rawGraphql(
        'mutation ($input: RejectVerificationInput!) { rejectVerification(input: $input) { requestId } }',
        { input: { id: globalIdOf('Verification', session), reason: 'is a copy' } },
      ),
      project.rawGraphql(
        'mutation ($input: ReportOutcomeInput!) { reportOutcome(input: $input) { isNew } }',
        { input: { accountId: id, outcome: 'CHARGEBACK', at: AT } },
      ),
    ]);
    expect((await project.rest('GET', `/account/${id}`)).status).toBe(400);
    const left = await listed({ after });
    expect(left.filter((event) => event.accountId === id || event.sessionId === session)).toEqual([]);
  });

  it('are hidden from another project', async () => {
    const other = await gateway.project();
    const id = await newAccount();
    await other.authenticate({ id });
    const session = await played({ account_id: id });
    const after = await head(other);
    const collected = subscribed(overSocket, { after }, other);
    await review('approveVerification', session, 'fine');
    await report(id, 'FRAUD');
    const own = await listed({ accountId: id });
    expect(own).toHaveLength(2);
    expect(await listed({}, other)).toEqual([]);
    expect(await listed({ accountId: id }, other)).toEqual([]);
    const { nodes } = await other.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: own.map((event) => event.id),
    });
    expect(nodes).toEqual([null, null]);
    // The event of the subscriber itself is the first that it receives.
    const { reportOutcome } = await other.graphql(
      'mutation ($input: ReportOutcomeInput!) { reportOutcome(input: $input) { outcome { outcomeId } } }',
      { input: { accountId: id, outcome: 'LEGITIMATE', at: AT } },
    );
    expect(await collected.until(1)).toMatchObject([{ outcomeId: reportOutcome.outcome.outcomeId }]);
  });

  it('are hidden from a browser token with any scopes', async () => {
    const id = await newAccount();
    const session = await played({ account_id: id });
    await review('approveVerification', session, 'fine');
    await report(id, 'FRAUD');
    const own = await listed({ accountId: id });
    const limits = [{ accountId: id }, { sessionId: session }, { project: true }];
    for (const limit of limits) {
      const authorization = `Bearer ${await browserToken(project, limit)}`;
      const read = (query: string, variables: Body = {}) =>
        project.rawGraphql(query, variables, { 'x-api-key': '', authorization });
      const { body } = await read('{ events(first: 100) { edges { node { type } } } }');
      const types = body.data.events.edges.map(({ node }: Body) => node.type);
      expect(types.length).toBeGreaterThan(0);
      expect(types).not.toContain('VERIFICATION_REVIEWED');
      expect(types).not.toContain('ACCOUNT_OUTCOME_REPORTED');
      for (const type of ['VERIFICATION_REVIEWED', 'ACCOUNT_OUTCOME_REPORTED', 'ACCOUNT_OUTCOME_RETRACTED']) {
        const refused = await read(`{ events(types: [${type}]) { edges { node { id } } } }`);
        expect(refused.body.errors[0].extensions.code).toBe('auth.forbidden');
        expect(refused.body.errors[0].message).toContain(type);
      }
      const ids = own.map((event) => event.id);
      const { nodes } = (await read('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })).body.data;
      expect(nodes).toEqual([null, null]);
    }
  });
});
