import { EVENT_INTERFACES } from '@vouchgraph/events/internals/catalogue/event-catalog';
import type { EventFactTable } from '@vouchgraph/events/internals/catalogue/event-fact';
import {
  definitionOf,
  EVENT_TYPES,
  type EventType,
  factsOfType,
} from '@vouchgraph/events/internals/catalogue/event-type';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { isEnumType, isObjectType } from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { enumNameOf, objectNameOf } from '../../../src/graphql/events/event-type.ts';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { factsOf as eventFactsOf } from '../../support/event-facts.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { createEventWriter, sampleData } from '../../support/outbox.ts';
import { browserToken, collect, headOf, overSocket, overStream } from '../../support/subscriptions.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
const open: { dispose(): void | Promise<void> }[] = [];
beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.dispose();
});
afterAll(() => gateway.close());

/** Names of the fields that are made of facts. */
const fieldsOf = (facts: EventFactTable) =>
  Object.entries(facts).flatMap(([name, { field = name }]) => (field === null ? [] : [field]));
/** The fields of all facts of the catalog. */
const FACTS = [
  ...Object.entries(EVENT_INTERFACES).map(([name, { facts }]) => [name, fieldsOf(facts)] as const),
  ...EVENT_TYPES.map((type) => [objectNameOf(type), fieldsOf(definitionOf(type).facts)] as const),
].flatMap(([name, fields]) => (fields.length > 0 ? [`... on ${name} { ${fields.join(' ')} }`] : []));

const TYPED = `__typename id eventId type format cursor accountId ${FACTS.join(' ')}
  account { firstName } session { sessionId }
  ... on SessionCompletedEvent { sessionSnapshot { source network { ipAddress serviceProvider connectionType }
    location { continent } device { category } networkReasons { code } riskSignalScores { datacenter } } }
  ... on AccountChangedEvent { decision accountSnapshot { firstName phone dateOfBirth numSessions
    uniqueDevices { oneDay } emailFacts { domainType trustSignals riskSignals } } }
  ... on AccountLinkChangedEvent { otherAccountId otherAccount { firstName } }
  ... on ListChangedEvent { list { name } }
  ... on RuleEvent { rule { name } }
  ... on RuleTriggeredEvent { actionOutcomes { outcome action { raiseFlag } } }
  ... on VerificationEndedEvent { kind verification { state } }
  ... on VerificationCompletedEvent { result { decision riskScore riskFlags session { network { ipAddress } } matchCount } }
  ... on VerificationReviewedEvent { kind review { id } verification { state } }
  ... on AccountOutcomeChangedEvent { reportedOutcome { id } }
  ... on EmailCheckCompletedEvent { email emailResultSnapshot { decision riskScore breachCount trustSignals riskSignals signals { code side evidence }
    domain { apex type } } emailCheck { checkStatus } }
  ... on EmailBatchCompletedEvent { emailBatch { batchStatus } }
  ... on IdentityGroupMergedEvent { identityGroup { size } }
  ... on IdentityGroupSplitEvent { newIdentityGroup { size } }
  ... on WebhookEndpointDisabledEvent { webhookEndpoint { url } }`;
/** Only API keys read it. */
const OTHER_ACCOUNT = '... on AccountLinkChangedEvent { otherAccountId otherAccount { firstName } }';
const SUBSCRIBE = `subscription ($after: String) { events(after: $after) { ${TYPED} } }`;

/** Expected objects of recorded events, and values of some fields. */
const SHOWN: Partial<Record<EventType, Body>> = {
  'session.completed': {
    sessionSnapshot: {
      source: 'WEB',
      network: { ipAddress: '8.8.8.8', connectionType: 'HOSTING' },
      location: { continent: 'NA' },
      device: { category: 'DESKTOP' },
      networkReasons: [{ code: 'IP_IN_DATACENTER_RANGE' }, { code: 'IP_TIMEZONE_MISMATCH' }],
      riskSignalScores: { datacenter: 0.9 },
    },
  },
  'account.authenticated': { accountSnapshot: { firstName: 'Pia', phone: null, numSessions: 1 } },
  'account.updated': { decision: 'REAL', accountSnapshot: { firstName: 'Quin', phone: null } },
  'account.deleted': { account: null },
  'account.linked': { otherAccount: null, otherAccountId: expect.any(String) },
  'account.unlinked': { otherAccount: null, otherAccountId: expect.any(String) },
  'account.outcome_reported': { outcome: 'CHARGEBACK', reportedOutcome: null },
  'account.outcome_retracted': { reportedOutcome: null },
  'list.account_added': { changeSource: 'API', listName: expect.stringMatching(/^list-/), list: null },
  'list.account_removed': { list: null },
  'rule.triggered': {
    rule: null,
    actionOutcomes: [{ outcome: 'DONE', action: { raiseFlag: 'ruled' } }],
  },
  'rule.custom': { rule: null, eventName: 'shop_suspect' },
  'verification.id_check.completed': {
    kind: 'ID_CHECK',
    verification: null,
    result: { decision: 'REAL', riskScore: 0.1 },
  },
  'verification.face_check.completed': {
    kind: 'FACE_CHECK',
    result: { decision: 'FAKE', riskFlags: ['REPEAT_FACE'], matchCount: 0 },
  },
  'verification.failed': { kind: 'FACE_CHECK', failure: 'LIVENESS_CHECK_FAILED' },
  'verification.reviewed': { kind: 'FACE_CHECK', position: 1, review: null, verification: null },
  'email.intelligence.completed': {
    emailResultSnapshot: { decision: 'MODERATE', domain: { apex: 'example.org' } },
    emailCheck: null,
  },
  'email.batch.completed': { emailBatch: null },
  'identity_group.merged': { size: 5, identityGroup: null },
  'identity_group.split': { newIdentityGroup: null },
  'webhook.endpoint_disabled': { disabledReason: 'GONE', webhookEndpoint: null },
};

/** Expected values of the fields that are made of facts: those of the recorded event. */
function factsShown(type: EventType): Body {
  const recorded = eventFactsOf(type, sampleData(type)) as Body;
  return Object.fromEntries(
    Object.entries(factsOfType(type)).flatMap(([name, fact]) => {
      if (fact.field === null) return [];
      const value = recorded[name] === '' ? null : (recorded[name] ?? null);
      return [[fact.field ?? name, 'words' in fact ? nameOf(fact.words, value) : value]];
    }),
  );
}

/** Names of documented words in the schema. */
function nameOf(enumName: string, word: unknown): unknown {
  if (Array.isArray(word)) return word.map((each) => nameOf(enumName, each));
  const type = schema.getType(enumName);
  if (!isEnumType(type)) throw new Error(`${enumName} is no enum`);
  return word === null ? null : type.getValues().find(({ value }) => value === word)!.name;
}

const subscribe = (client: { dispose(): void | Promise<void> }, query: string, variables: Body) => {
  open.push(client);
  return collect(client as ReturnType<typeof overSocket>, query, variables);
};

describe.each([
  { transport: 'a WebSocket', connect: overSocket },
  { transport: 'an event stream', connect: overStream },
])('events over $transport', ({ connect }) => {
  it('arrive with their own type and the stored facts, and are refetched by id', async () => {
    const after = await headOf(project);
    const write = await createEventWriter(gateway, masterKey, project.projectId);
    const collected = subscribe(connect(gateway.baseUrl, { 'x-api-key': project.key }), SUBSCRIBE, { after });
    await write(EVENT_TYPES.map((type) => ({ type, data: sampleData(type) })));
    const events = await collected.until(EVENT_TYPES.length);
    expect(events.map(({ __typename }) => __typename)).toEqual(EVENT_TYPES.map(objectNameOf));
    for (const [index, type] of EVENT_TYPES.entries()) {
      expect(events[index], type).toMatchObject({
        ...factsShown(type),
        ...SHOWN[type],
        type: enumNameOf(type),
        format: 1,
      });
      expect(events[index].id).toBe(globalIdOf(objectNameOf(type), events[index].eventId));
    }
    const ids = events.map(({ id }) => id);
    const { nodes } = await project.graphql(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Event { ${TYPED} } } }`,
      { ids },
    );
    expect(nodes).toEqual(events);
  });
});

describe('an event', () => {
  it('contains earlier values beside current ones, and its account under one id', async () => {
    const id = unique('changing');
    await project.authenticate({ id, first_name: 'Before' });
    await gateway.app.settleEvents();
    await project.rest('PUT', `/account/${id}`, { first_name: 'After' });
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      `query ($id: ID) { events(accountId: $id, types: [ACCOUNT_AUTHENTICATED]) { edges { node {
         account { id firstName } ... on AccountAuthenticatedEvent {
           accountSnapshot { firstName } sessionSnapshot { source } session { sessionId } sessionId } } } } }`,
      { id },
    );
    const [{ node }] = events.edges;
    expect(node).toMatchObject({ account: { firstName: 'After' }, accountSnapshot: { firstName: 'Before' } });
    expect(node.session.sessionId).toBe(node.sessionId);
  });

  it('shows words of facts as values of enums, and empty ones as null', async () => {
    const write = await createEventWriter(gateway, masterKey, project.projectId);
    const after = await headOf(project);
    const of = (type: EventType): Body => sampleData(type);
    const completed = of('verification.face_check.completed');
    const [session, account, check] = [
      of('session.completed'),
      of('account.updated'),
      of('email.intelligence.completed'),
    ];
    completed.risk_flags = ['repeat_face', 'proxy_detected'];
    session.network.connection_type = '';
    session.location.continent = '';
    session.device.category = '';
    account.account.date_of_birth = '1987-06-05';
    account.email.domain_type = 'education';
    account.email.trust_signals = [];
    account.email.risk_signals = ['disposable_email'];
    check.data.result.signal_details = [
      { code: 'disposable_email', side: 'risk', weight: 0.5, source: 'domains', evidence: '' },
    ];
    check.data.result.domain.type = '';
    check.data.result.breach_intelligence.breach_count = 2;
    await write([
      { type: 'verification.face_check.completed', data: completed },
      { type: 'session.completed', data: session },
      { type: 'account.updated', data: account },
      { type: 'email.intelligence.completed', data: check },
    ]);
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      `query ($after: String) { events(after: $after) { edges { node { ${TYPED} } } } }`,
      { after },
    );
    expect(events.edges.map(({ node }: Body) => node)).toMatchObject([
      { result: { decision: 'FAKE', riskFlags: ['REPEAT_FACE', 'PROXY_DETECTED'] } },
      {
        sessionSnapshot: {
          network: { ipAddress: '8.8.8.8', connectionType: null },
          location: { continent: null },
          device: { category: 'OTHER' },
        },
      },
      {
        accountSnapshot: {
          dateOfBirth: '1987-06-05',
          emailFacts: { domainType: 'EDUCATION', trustSignals: [], riskSignals: ['DISPOSABLE_EMAIL'] },
        },
      },
      {
        emailResultSnapshot: {
          breachCount: 2,
          signals: [{ code: 'DISPOSABLE_EMAIL', side: 'RISK', evidence: null }],
          domain: { apex: 'example.org', type: null },
        },
      },
    ]);
  });

  it('has snapshots that caches separate from current objects, of nothing else', () => {
    const snapshots = Object.values(schema.getTypeMap()).filter(({ name }) => name.endsWith('Snapshot'));
    expect(snapshots.map(({ name }) => name).toSorted()).toEqual([
      'AccountSnapshot',
      'EmailResultSnapshot',
      'MatchSnapshot',
      'SessionSnapshot',
      'VerificationResultSnapshot',
    ]);
    for (const type of snapshots) {
      if (!isObjectType(type)) throw new Error(`${type.name} is no object type`);
      expect(type.getInterfaces(), type.name).toEqual([]);
      expect(Object.keys(type.getFields()), type.name).not.toContain('id');
    }
  });

  it('of an erased account is deleted, by its id too, except the erasure itself', async () => {
    const id = unique('erased');
    await project.authenticate({ id, first_name: 'Gone' });
    await gateway.app.settleEvents();
    const find =
      'query ($id: ID) { events(accountId: $id) { edges { node { __typename id account { id } } } } }';
    const before = (await project.graphql(find, { id })).events.edges.map(({ node }: Body) => node);
    expect(before.length).toBeGreaterThan(0);
    await project.rest('DELETE', `/account/${id}`);
    await gateway.app.settleEvents();
    const after = (await project.graphql(find, { id })).events.edges.map(({ node }: Body) => node);
    expect(after).toEqual([{ __typename: 'AccountDeletedEvent', id: expect.any(String), account: null }]);
    const { nodes } = await project.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: before.map((node: Body) => node.id),
    });
    expect(new Set(nodes)).toEqual(new Set([null]));
  });

  it('is read in pages in both directions, and counted', async () => {
    const id = unique('paged');
    await project.authenticate({ id });
    for (const first_name of ['a', 'b', 'c']) await project.rest('PUT', `/account/${id}`, { first_name });
    await gateway.app.settleEvents();
    const page = async (args: string) => {
      const { events } = await project.graphql(
        `query ($id: ID) { events(accountId: $id, ${args}) {
           edges { cursor node { eventId } } totalCount { value isExact } pageInfo { hasNextPage hasPreviousPage } } }`,
        { id },
      );
      return events;
    };
    const all = await page('first: 100');
    const ids = all.edges.map(({ node }: Body) => node.eventId);
    expect(all.totalCount).toEqual({ value: ids.length, isExact: true });
    const last = await page('last: 2');
    expect(last.edges.map(({ node }: Body) => node.eventId)).toEqual(ids.slice(-2));
    expect(last.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true });
    const before = await page(`last: 2, before: "${last.edges[0].cursor}"`);
    expect(before.edges.map(({ node }: Body) => node.eventId)).toEqual(ids.slice(-4, -2));
    expect((await page('last: 1')).edges[0].cursor).toBe(all.edges.at(-1).cursor);
  });
});

describe('a limited token', () => {
  it('receives typed facts of only its own account or session, also by node', async () => {
    const [mine, theirs] = [unique('mine'), unique('theirs')];
    const username = unique('shared');
    const after = await headOf(project);
    await project.authenticate({ id: theirs, username });
    const { session_id } = await project.authenticate({ id: mine, username, first_name: 'Mia' });
    await gateway.app.settleEvents();
    const listen = async (limits: Body, count: number) => {
      const authorization = `Bearer ${await browserToken(project, limits)}`;
      const own = SUBSCRIBE.replace(OTHER_ACCOUNT, '');
      return subscribe(overSocket(gateway.baseUrl, { authorization }), own, { after }).until(count);
    };
    const ofAccount = await listen({ accountId: mine }, 2);
    const link = ofAccount.find(({ __typename }) => __typename === 'AccountLinkedEvent');
    expect(link).toMatchObject({ accountId: mine, account: { firstName: 'Mia' }, score: 1 });
    expect(JSON.stringify(ofAccount)).not.toContain(theirs);
    expect(ofAccount.find(({ __typename }) => __typename === 'AccountAuthenticatedEvent')).toMatchObject({
      account: { firstName: 'Mia' },
      accountSnapshot: { firstName: 'Mia' },
    });
    const ofSession = await listen({ sessionId: session_id }, 2);
    for (const event of ofSession) expect(event).toMatchObject({ accountId: null, account: null });
    expect(ofSession.find(({ __typename }) => __typename === 'AccountAuthenticatedEvent')).toMatchObject({
      accountSnapshot: null,
      decision: null,
      session: { sessionId: session_id },
    });
    const { events } = await project.graphql(
      'query ($id: ID) { events(accountId: $id) { edges { node { id } } } }',
      {
        id: theirs,
      },
    );
    const headers = {
      'x-api-key': '',
      authorization: `Bearer ${await browserToken(project, { sessionId: session_id })}`,
    };
    const foreign = events.edges[0].node.id;
    const { body } = await project.rawGraphql(`{ node(id: "${foreign}") { id } }`, undefined, headers);
    expect(body.data.node).toBeNull();
  });

  it('gets an error for the other account of a link, and the rest of the event', async () => {
    const [mine, theirs] = [unique('near'), unique('far')];
    const username = unique('shared');
    await project.authenticate({ id: theirs, username });
    await project.authenticate({ id: mine, username });
    await gateway.app.settleEvents();
    const { body } = await project.rawGraphql(
      `{ events(types: [ACCOUNT_LINKED]) { edges { node { accountId ... on AccountLinkedEvent { score } ${OTHER_ACCOUNT} } } } }`,
      undefined,
      { 'x-api-key': '', authorization: `Bearer ${await browserToken(project, { accountId: mine })}` },
    );
    expect(body.data.events.edges).toEqual([
      { node: { accountId: mine, score: 1, otherAccountId: null, otherAccount: null } },
    ]);
    expect(body.errors.map(({ path, extensions }: Body) => [path.at(-1), extensions.code])).toEqual([
      ['otherAccountId', 'auth.forbidden'],
      ['otherAccount', 'auth.forbidden'],
    ]);
  });
});
