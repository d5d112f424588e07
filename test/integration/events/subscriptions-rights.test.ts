import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Body,
  type Gateway,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { createEventWriter } from '../../support/outbox.ts';
import {
  browserToken,
  collect,
  EVENTS,
  headOf,
  overSocket,
  overStream,
  socketUrl,
} from '../../support/subscriptions.ts';
import { openSocket } from '../../support/websocket.ts';

const masterKey = generateMasterKey();
const clock = new TestClock();
let gateway: Gateway;
let project: TestProject;
const open: { dispose(): void | Promise<void> }[] = [];
const sockets: { close(): void }[] = [];

beforeAll(async () => {
  gateway = await startGateway({ masterKey, clock });
  project = await gateway.project();
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.dispose();
  for (const one of sockets.splice(0)) one.close();
});
afterAll(() => gateway.close());

type Who = Record<string, string>;
const FACES = [
  { face: 'a WebSocket', connect: (who: Who) => overSocket(gateway.baseUrl, who) },
  { face: 'an event stream', connect: (who: Who) => overStream(gateway.baseUrl, who) },
];
const keyOf = (client: TestProject): Who => ({ 'x-api-key': client.key });
const bearer = (token: string): Who => ({ authorization: `Bearer ${token}` });

function subscribe(connect: (who: Who) => ReturnType<typeof overStream> | ReturnType<typeof overSocket>) {
  return (who: Who, variables: Record<string, unknown>, query = EVENTS) => {
    const client = connect(who);
    open.push(client);
    return collect(client, query, variables);
  };
}

/** Two linked accounts of one project, with a list and a rule's event, and the session of the first. */
async function emitEvents() {
  await gateway.app.settleEvents();
  const after = await headOf(project);
  const [mine, yours] = [unique('mine'), unique('yours')];
  const email = `${unique('shared')}@example.com`;
  const theirs = await project.authenticate({ id: yours, email, lists: [unique('list')] });
  const { session_id } = await project.authenticate({
    id: mine,
    email,
    // Of another name than the other tests' accounts: with one name, similar random addresses would link them.
    first_name: unique('Secret'),
    lists: [unique('list')],
  });
  const write = await createEventWriter(gateway, masterKey, project.projectId);
  await write([
    { type: 'rule.triggered', sessionId: session_id, data: { account_id: mine } },
    { type: 'webhook.endpoint_disabled', data: { account_id: mine } },
    {
      type: 'verification.failed',
      sessionId: session_id,
      data: { account_id: mine, error_message: 'liveness_check_failed' },
    },
  ]);
  return { after, mine, yours, session_id, other_session: theirs.session_id as string };
}

/** The same subscription without the ids of accounts, which some scopes do not include. */
const NAMELESS = EVENTS.replace('accountId sessionId data', 'sessionId data');

const typesOf = (events: readonly Body[]) => events.map(({ type }) => type);
const LAST = 'VERIFICATION_FAILED';

/** All events up to the last one. */
async function untilLast(collected: ReturnType<typeof collect>): Promise<Body[]> {
  for (let count = 1; ; count += 1) {
    const events = await collected.until(count);
    if (events.some(({ type }) => type === LAST)) return events;
  }
}

describe.each(FACES)('a subscription over $face', ({ connect }) => {
  const listen = subscribe(connect as never);

  it.each(['read', 'server', 'operator'] as const)(
    'sends a %s key all events of its project',
    async (role) => {
      const { after, mine, yours } = await emitEvents();
      const { key } = await gateway.app.projects.createKey(project.projectId, role);
      const events = await untilLast(listen({ 'x-api-key': key }, { after }));
      expect(typesOf(events)).toEqual(
        expect.arrayContaining([
          'ACCOUNT_LINKED',
          'LIST_ACCOUNT_ADDED',
          'RULE_TRIGGERED',
          'WEBHOOK_ENDPOINT_DISABLED',
          LAST,
        ]),
      );
      expect(new Set(events.map(({ accountId }) => accountId))).toEqual(new Set([null, mine, yours]));
    },
  );

  it('sends a browser token of the project the types that its scopes include', async () => {
    const { after } = await emitEvents();
    const { key } = await gateway.app.projects.createKey(project.projectId, 'operator');
    const token = (scopes: string[]) =>
      browserToken(project.withKey(key), {
        project: true,
        scopes: ['EVENTS', 'VERIFICATION_STATE', ...scopes],
      });
    const [links, accounts] = [
      await untilLast(listen(bearer(await token(['LINKS'])), { after }, NAMELESS)),
      await untilLast(listen(bearer(await token(['ACCOUNT'])), { after })),
    ];
    expect(typesOf(links)).toEqual(['ACCOUNT_LINKED', LAST]);
    // A session that a server creates is complete at once.
    expect(new Set(typesOf(accounts))).toEqual(new Set(['SESSION_COMPLETED', 'ACCOUNT_AUTHENTICATED', LAST]));
  });

  it('does not select links by an account for a browser token of the project without ACCOUNT', async () => {
    const { after, mine, yours } = await emitEvents();
    const { key } = await gateway.app.projects.createKey(project.projectId, 'operator');
    const limits = { project: true, scopes: ['EVENTS', 'LINKS', 'VERIFICATION_STATE'] };
    const token = await browserToken(project.withKey(key), limits);
    const write = await createEventWriter(gateway, masterKey, project.projectId);
    await write([
      { type: 'verification.failed', data: { account_id: yours, error_message: 'liveness_check_failed' } },
    ]);
    const all = await untilLast(listen(bearer(token), { after }, NAMELESS));
    expect(typesOf(all).slice(0, 2)).toEqual(['ACCOUNT_LINKED', LAST]);
    for (const accountId of [mine, yours]) {
      const selected = await untilLast(listen(bearer(token), { after, accountId }));
      expect(typesOf(selected)).toEqual([LAST]);
    }
  });

  it('sends a token with only EVENTS no events, and another token of its account the allowed ones', async () => {
    const { after, mine } = await emitEvents();
    const token = (...scopes: string[]) =>
      browserToken(project, { accountId: mine, scopes: ['EVENTS', ...scopes] });
    const nothing = listen(bearer(await token()), { after });
    const withResult = listen(bearer(await token('VERIFICATION_RESULT')), { after }, NAMELESS);
    expect(typesOf(await untilLast(withResult))).toEqual([LAST]);
    const withState = await untilLast(
      listen(bearer(await token('VERIFICATION_STATE', 'LINKS')), { after }, NAMELESS),
    );
    expect(typesOf(withState)).toEqual(['ACCOUNT_LINKED', LAST]);
    expect(withState.at(-1)!.data).toMatchObject({ error_message: 'liveness_check_failed' });
    expect([nothing.events, nothing.errors]).toEqual([[], []]);
  });

  it('sends a token limited to an account its events, without the linked accounts', async () => {
    const { after, mine, yours } = await emitEvents();
    const token = await browserToken(project, { accountId: mine });
    const all = await untilLast(listen(bearer(token), { after }));
    expect(typesOf(all)).toEqual(['ACCOUNT_AUTHENTICATED', 'ACCOUNT_LINKED', LAST]);
    expect(all.every(({ accountId }) => accountId === mine)).toBe(true);
    expect(JSON.stringify(all)).not.toContain(yours);
    const asked = listen(bearer(token), { after, accountId: yours });
    const named = listen(bearer(token), { after, accountId: mine, types: [LAST] });
    expect(typesOf(await untilLast(named))).toEqual([LAST]);
    expect(asked.events).toEqual([]);
  });

  it('sends a token limited to the other account of a link the events from its own side', async () => {
    const { after, mine, yours, session_id } = await emitEvents();
    const token = await browserToken(project, { accountId: yours });
    const FULL = EVENTS.replace('data\n', 'data account { accountId } session { sessionId }\n');
    const collected = listen(bearer(token), { after }, FULL);
    const events = await collected.until(2);
    expect(typesOf(events)).toEqual(['ACCOUNT_AUTHENTICATED', 'ACCOUNT_LINKED']);
    const link = events[1]!;
    expect(link).toMatchObject({ accountId: yours, sessionId: null, session: null });
    expect(link.account).toEqual({ accountId: yours });
    expect(link.data).toEqual({ account_id: yours, score: 1, match_types: ['email'] });
    for (const hidden of [mine, session_id]) expect(JSON.stringify(events)).not.toContain(hidden);
  });

  it('sends a token without ACCOUNT its events with an error for each id of an account', async () => {
    const { after, mine, yours } = await emitEvents();
    const { key } = await gateway.app.projects.createKey(project.projectId, 'operator');
    const operator = project.withKey(key);
    const FULL = `subscription ($after: String) { events(after: $after) {
      type cursor accountId data account { accountId } session { sessionId accountIds }
      ... on AccountLinkChangedEvent { otherAccountId otherAccount { accountId } accountKey key }
      ... on AccountLinkedEvent { linkedAccountEdge { key node { accountId } } graphEdge { from to } }
      ... on VerificationFailedEvent { verification { accountId account { accountId } } }
    } }`;
    for (const limit of [{ project: true }, { accountId: mine }, { accountId: yours }]) {
      const token = await browserToken(operator, { ...limit, scopes: ['EVENTS', 'LINKS'] });
      const { events, errors } = listen(bearer(token), { after }, FULL);
      await vi.waitFor(() => expect(events).toHaveLength(1), 50_000);
      const [link] = events;
      expect(link).toMatchObject({ type: 'ACCOUNT_LINKED', accountId: null, account: null, session: null });
      expect(link).toMatchObject({ otherAccountId: null, otherAccount: null });
      expect(link!.data).toEqual({ score: 1, match_types: ['email'] });
      expect(link!.linkedAccountEdge).toEqual({ key: link!.key, node: null });
      expect(link!.graphEdge).toEqual({ from: link!.accountKey, to: link!.key });
      for (const id of [mine, yours]) expect(JSON.stringify([events, errors])).not.toContain(id);
      const refused = errors.map(({ path, extensions }) => [path.at(-1), extensions.code]);
      expect(refused.sort()).toEqual(
        ['account', 'accountId', 'otherAccount', 'otherAccountId', 'session'].map((field) => [
          field,
          'auth.forbidden',
        ]),
      );
    }
  });

  it('sends a token with VERIFICATION_RESULT no id of the account, and one with VERIFICATION_STATE the id', async () => {
    const { after, mine } = await emitEvents();
    const token = (scope: string) => browserToken(project, { accountId: mine, scopes: ['EVENTS', scope] });
    const result = listen(bearer(await token('VERIFICATION_RESULT')), { after });
    await vi.waitFor(() => expect(result.events).toHaveLength(1), 50_000);
    expect(result.events[0]).toMatchObject({ type: LAST, accountId: null });
    expect(JSON.stringify(result.events)).not.toContain(mine);
    expect(result.errors).toMatchObject([
      { path: ['events', 'accountId'], extensions: { code: 'auth.forbidden' } },
    ]);
    const [state] = await untilLast(listen(bearer(await token('VERIFICATION_STATE')), { after }));
    expect(state).toMatchObject({ type: LAST, accountId: mine, data: { account_id: mine } });
  });

  it('sends a token limited to a session its events, without the account', async () => {
    const { after, mine, session_id, other_session } = await emitEvents();
    const token = await browserToken(project, { sessionId: session_id });
    const FULL = EVENTS.replace('data\n', 'data account { accountId } session { sessionId }\n');
    const foreign = listen(bearer(token), { after, sessionId: other_session });
    const guessed = listen(bearer(token), { after, accountId: mine });
    const all = await untilLast(listen(bearer(token), { after }, FULL));
    expect(all.every((event) => event.sessionId === session_id && event.account === null)).toBe(true);
    expect(all.find(({ type }) => type === LAST)).toMatchObject({
      data: { error_message: 'liveness_check_failed' },
      session: { sessionId: session_id },
    });
    expect(typesOf(all)).not.toContain('RULE_TRIGGERED');
    expect(JSON.stringify(all)).not.toContain(mine);
    expect(JSON.stringify(all)).not.toContain('Secret');
    expect([foreign.events, guessed.events]).toEqual([[], []]);
  });

  it.each([
    { query: 'events(types: [ACCOUNT_LINKED])', missing: 'the scope LINKS' },
    { query: 'events(types: [VERIFICATION_FAILED, SESSION_COMPLETED])', missing: 'the scope ACCOUNT' },
    { query: 'events(types: [RULE_TRIGGERED])', missing: null },
    { query: 'accountUpdated', missing: 'the scope ACCOUNT' },
    { query: 'accountLinked', missing: 'the scope LINKS' },
  ])('rejects $query for a token with EVENTS and VERIFICATION_STATE', async ({ query, missing }) => {
    const token = await browserToken(project, {
      accountId: 'somebody',
      scopes: ['EVENTS', 'VERIFICATION_STATE'],
    });
    const collected = listen(bearer(token), {}, `subscription { ${query} { type } }`);
    await collected.ended;
    const type = /(\w+)\]/.exec(query)?.[1];
    const what = type ? `The event type ${type}` : 'This operation';
    expect(collected.errors[0]).toMatchObject({
      message: missing
        ? `${what} requires a browser token with ${missing}`
        : `${what} requires an API key: no scope of browser tokens includes it`,
      extensions: { code: 'auth.forbidden' },
    });
  });

  it('rejects events of verification ends for a token without a verification scope', async () => {
    const token = await browserToken(project, { accountId: 'somebody', scopes: ['EVENTS', 'ACCOUNT'] });
    for (const field of ['verificationEnded', 'verificationCompleted']) {
      const collected = listen(bearer(token), {}, `subscription { ${field} { type } }`);
      await collected.ended;
      expect(collected.errors[0]).toMatchObject({
        message:
          'This operation requires a browser token with one of the scopes VERIFICATION_STATE, VERIFICATION_RESULT, DOCUMENT',
        extensions: { code: 'auth.forbidden' },
      });
    }
  });

  it('rejects queries of lists by limited tokens', async () => {
    const token = await browserToken(project, { accountId: 'somebody' });
    const collected = listen(bearer(token), {}, 'subscription { listChanged { type } }');
    await collected.ended;
    expect(collected.errors[0].extensions.code).toBe('auth.forbidden');
  });

  it('sends no events of another project, and treats its ids as unknown', async () => {
    const stranger = await gateway.project();
    await gateway.app.settleEvents();
    const start = await headOf(stranger);
    const { mine, session_id } = await emitEvents();
    const all = listen(keyOf(stranger), { after: start });
    const account = listen(keyOf(stranger), { after: start, accountId: mine });
    const nobody = listen(keyOf(stranger), { after: start, accountId: unique('nobody') });
    const session = listen(keyOf(stranger), { after: start, sessionId: session_id });
    await stranger.authenticate({ id: 'own' });
    // The event of a simulated session precedes that of its account.
    expect((await all.until(2)).map(({ accountId }) => accountId)).toEqual([null, 'own']);
    for (const quiet of [account, nobody, session]) {
      expect(quiet.events).toEqual([]);
      expect(quiet.errors).toEqual([]);
    }
  });

  it('sends events by the permissions of each client, also for the same document', async () => {
    const { after, mine } = await emitEvents();
    const limited = listen(bearer(await browserToken(project, { accountId: mine })), { after });
    const whole = listen(keyOf(project), { after });
    const [few, all] = [await untilLast(limited), await untilLast(whole)];
    expect(typesOf(few)).not.toContain('RULE_TRIGGERED');
    expect(typesOf(all)).toContain('RULE_TRIGGERED');
  });
});

describe('a socket with a subscription', () => {
  async function subscribed(params: Who) {
    const raw = await openSocket(sockets, socketUrl(gateway.baseUrl));
    raw.send({ type: 'connection_init', payload: params });
    expect(await raw.receive()).toEqual({ type: 'connection_ack' });
    raw.send({
      id: '1',
      type: 'subscribe',
      payload: { query: EVENTS, variables: { after: await headOf(project) } },
    });
    return raw;
  }

  it('closes with 4403 soon after its key is revoked, without sending anything', async () => {
    const { key, keyId } = await gateway.app.projects.createKey(project.projectId, 'read');
    const raw = await subscribed({ 'x-api-key': key });
    await project.authenticate({ id: unique('event') });
    expect((await raw.receive()).type).toBe('next');
    const revokedAt = performance.now();
    await gateway.app.projects.revokeKey(project.projectId, keyId);
    expect(await raw.closed).toEqual({
      code: 4403,
      reason: 'Unauthorized: unknown, expired or revoked key or token',
    });
    expect(performance.now() - revokedAt).toBeLessThan(30_000);
    await expect.poll(() => gateway.app.realtimeCounts()).toMatchObject({ subscribers: 0, sockets: 0 });
  });

  it('closes when its browser token expires', async () => {
    const raw = await subscribed(bearer(await browserToken(project, { ttlSeconds: 60 })));
    clock.advance(61_000);
    expect((await raw.closed).code).toBe(4403);
  });

  it('stays open when another key is revoked', async () => {
    const [kept, lost] = [
      await gateway.app.projects.createKey(project.projectId, 'read'),
      await gateway.app.projects.createKey(project.projectId, 'read'),
    ];
    const [staying, going] = [
      await subscribed({ 'x-api-key': kept.key }),
      await subscribed({ 'x-api-key': lost.key }),
    ];
    await gateway.app.projects.revokeKey(project.projectId, lost.keyId);
    await going.closed;
    await project.authenticate({ id: unique('event') });
    expect((await staying.receive()).type).toBe('next');
  });
});

it('an event stream ends with an error when its key is revoked', async () => {
  const { key, keyId } = await gateway.app.projects.createKey(project.projectId, 'read');
  const client = overStream(gateway.baseUrl, { 'x-api-key': key });
  open.push(client);
  const collected = collect(client, EVENTS, { after: await headOf(project) });
  await project.authenticate({ id: unique('event') });
  await collected.until(1);
  await gateway.app.projects.revokeKey(project.projectId, keyId);
  await collected.ended;
  expect(collected.errors.map(({ extensions }) => extensions.code)).toEqual(['auth.unauthenticated']);
});

it('changed settings apply to the next event', async () => {
  const client = overSocket(gateway.baseUrl, keyOf(project));
  open.push(client);
  const id = unique('settings');
  const collected = collect(
    client,
    'subscription ($after: String, $id: ID) { accountUpdated(after: $after, accountId: $id) { cursor account { decision } } }',
    { after: await headOf(project), id },
  );
  await project.authenticate({ id });
  expect((await collected.until(1))[0].account.decision).toBe('REAL');
  await project.graphql(
    'mutation { updateProjectSettings(input: { suspiciousFrom: 0, fakeFrom: 0, confirm: true }) { settings { fakeFrom } } }',
  );
  await project.authenticate({ id });
  expect((await collected.until(2))[1].account.decision).toBe('FAKE');
});
