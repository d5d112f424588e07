import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { createEventWriter } from '../../support/outbox.ts';
import { collect, EVENTS, headOf, overSocket, overStream } from '../../support/subscriptions.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let other: Gateway;
let project: TestProject;
const open: { dispose(): void | Promise<void> }[] = [];

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  other = await startGateway({ masterKey, database: gateway.database });
  project = await gateway.project();
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.dispose();
  await vi.waitFor(() => expect(gateway.app.realtimeCounts()).toEqual(NOBODY), {
    timeout: 50_000,
    interval: 5,
  });
});
afterAll(async () => {
  await other.close();
  await gateway.close();
});

const NOBODY = { projects: 0, groups: 0, subscribers: 0, sockets: 0, streams: 0 };

function socket(key = project.key, at: Gateway = gateway) {
  const client = overSocket(at.baseUrl, { 'x-api-key': key });
  open.push(client);
  return client;
}
function stream(key = project.key, at: Gateway = gateway) {
  const client = overStream(at.baseUrl, { 'x-api-key': key });
  open.push(client);
  return client;
}

const FACES = [
  { face: 'a WebSocket', connect: socket },
  { face: 'an event stream', connect: stream },
];

const typesOf = (events: readonly Body[]) => events.map(({ type }) => type);

describe.each(FACES)('a subscription over $face', ({ connect }) => {
  it('receives events from now on, from any gateway', async () => {
    const id = unique('seen');
    const collected = collect(connect(undefined, other), EVENTS, {
      after: await headOf(project),
      accountId: id,
    });
    const { session_id } = await project.authenticate({ id, email: `${id}@example.com` });
    const [mine] = await collected.until(1);
    expect(mine).toMatchObject({ accountId: id, sessionId: session_id, data: { account_id: id } });
    collected.stop();
  });

  it('without a cursor starts now', async () => {
    await project.authenticate({ id: unique('before') });
    await gateway.app.settleEvents();
    const collected = collect(connect(), EVENTS, { types: ['ACCOUNT_AUTHENTICATED'] });
    const ids: string[] = [];
    await vi.waitFor(
      async () => {
        const id = unique('now');
        ids.push(id);
        await project.authenticate({ id });
        expect(collected.events.length).toBeGreaterThan(0);
      },
      { timeout: 50_000 },
    );
    expect(ids).toContain(collected.events[0].accountId);
    collected.stop();
  });

  it('resolves the current account and session by loaders', async () => {
    const id = unique('now');
    const collected = collect(
      connect(),
      `subscription ($after: String, $id: ID!) { accountUpdated(after: $after, accountId: $id) { type cursor createdAt requestId
        account { accountId username lists { name } } session { sessionId source } } }`,
      { after: await headOf(project), id },
    );
    const { session_id } = await project.authenticate({ id, username: 'first' });
    const [event] = await collected.until(1);
    expect(event.account).toMatchObject({ accountId: id });
    expect(event.session).toMatchObject({ sessionId: session_id });
    collected.stop();
  });

  it('stops when the client stops', async () => {
    const collected = collect(connect(), EVENTS, { after: await headOf(project) });
    await project.authenticate({ id: unique('stop') });
    await collected.until(1);
    collected.stop();
    await vi.waitFor(() => expect(gateway.app.realtimeCounts().subscribers).toBe(0), {
      timeout: 50_000,
      interval: 5,
    });
    expect(gateway.app.realtimeCounts()).toMatchObject({ projects: 0, groups: 0 });
  });

  it.each([
    {
      mistake: 'an unknown type',
      variables: { types: ['ACCOUNT_EXPLODED'] },
      code: 'graphql.invalid',
      says: 'ACCOUNT_EXPLODED',
    },
    { mistake: 'an empty list of types', variables: { types: [] }, code: 'input.invalid', says: 'types' },
    {
      mistake: 'a modified cursor',
      variables: { after: 'WzFd.abcdefghijkl' },
      code: 'input.invalid',
      says: 'cursor',
    },
    { mistake: 'an invalid cursor', variables: { after: '' }, code: 'input.invalid', says: 'cursor' },
  ])('is rejected for $mistake', async ({ variables, code, says }) => {
    const collected = collect(connect(), EVENTS, variables);
    await collected.ended;
    expect(collected.errors).toHaveLength(1);
    expect(collected.errors[0].extensions.code).toBe(code);
    expect(collected.errors[0].message).toContain(says);
  });
});

describe('the specific subscriptions', () => {
  const FIELDS = '{ type cursor accountId data }';

  it('verificationCompleted filters by kind', async () => {
    const write = await createEventWriter(gateway, masterKey, project.projectId);
    const id = unique('verified');
    // A completed check is bound to an existing account.
    await project.authenticate({ id });
    await gateway.app.settleEvents();
    const after = await headOf(project);
    const query = (args: string) =>
      `subscription ($after: String, $id: ID) { verificationCompleted(after: $after, accountId: $id${args}) ${FIELDS} }`;
    const both = collect(socket(), query(''), { after, id });
    const faces = collect(socket(), query(', kind: FACE_CHECK'), { after, id });
    await write([
      { type: 'verification.failed', data: { account_id: id } },
      { type: 'verification.id_check.completed', data: { account_id: id, n: 1 } },
      { type: 'verification.face_check.completed', data: { account_id: id, n: 2 } },
      { type: 'verification.face_check.completed', data: { account_id: unique('other') } },
    ]);
    expect(typesOf(await both.until(2))).toEqual([
      'VERIFICATION_ID_CHECK_COMPLETED',
      'VERIFICATION_FACE_CHECK_COMPLETED',
    ]);
    expect(typesOf(await faces.until(1))).toEqual(['VERIFICATION_FACE_CHECK_COMPLETED']);
  });

  it('verificationCompleted filters by session, and events include failed checks', async () => {
    const write = await createEventWriter(gateway, masterKey, project.projectId);
    const [mine, other] = [await project.session(), await project.session()];
    await gateway.app.settleEvents();
    const after = await headOf(project);
    const completed = collect(
      socket(),
      `subscription ($after: String, $id: ID) { verificationCompleted(after: $after, sessionId: $id) ${FIELDS} }`,
      { after, id: mine },
    );
    const failed = collect(socket(), EVENTS, { after, sessionId: mine, types: ['VERIFICATION_FAILED'] });
    const numbered = (type: Parameters<typeof write>[0][number]['type'], sessionId: string, n: number) => ({
      type,
      sessionId,
      data: { n },
    });
    await write([
      numbered('verification.id_check.completed', other, 1),
      numbered('verification.id_check.completed', mine, 2),
      numbered('verification.failed', other, 3),
      numbered('verification.failed', mine, 4),
      numbered('verification.face_check.completed', mine, 5),
    ]);
    expect((await completed.until(2)).map(({ data }) => data.n)).toEqual([2, 5]);
    expect((await failed.until(1)).map(({ data }) => data.n)).toEqual([4]);
  });

  it('accountLinked and events select a link by either account, and send it once without a filter', async () => {
    await gateway.app.settleEvents();
    const after = await headOf(project);
    const [first, second, third] = [unique('link'), unique('link'), unique('link')];
    const LINKED = `subscription ($after: String, $id: ID) { accountLinked(after: $after, accountId: $id) { id: eventId accountId cursor } }`;
    const by = (id: string | null) => collect(socket(), LINKED, { after, id });
    const [all, byFirst, bySecond, byThird] = [by(null), by(first), by(second), by(third)];
    const unlinked = collect(socket(), EVENTS, { after, accountId: first, types: ['ACCOUNT_UNLINKED'] });
    const email = `${unique('same')}@example.com`;
    await project.authenticate({ id: first, email });
    await project.authenticate({ id: second, email });
    await project.authenticate({ id: third, phone: '+4915112345678' });
    await project.authenticate({ id: second, email: `${unique('moved')}@example.com` });
    await project.authenticate({ id: third, email });
    await all.until(2);
    const [one, two] = all.events.map(({ id }) => id);
    expect(all.events.map(({ accountId }) => accountId)).toEqual([second, third]);
    expect((await byFirst.until(2)).map(({ id }) => id)).toEqual([one, two]);
    expect((await byThird.until(1)).map(({ id }) => id)).toEqual([two]);
    expect((await bySecond.until(1)).map(({ id }) => id)).toEqual([one]);
    expect((await unlinked.until(1))[0]).toMatchObject({
      accountId: second,
      data: { linked_account_id: first },
    });
    // Queried instead of received, by the accounts' ids in the database.
    const read = await project.graphql(
      `query ($after: String, $id: ID) { events(after: $after, accountId: $id, first: 50) { edges { node { id: eventId type } } } }`,
      { after, id: first },
    );
    const links = read.events.edges
      .map(({ node }: Body) => node)
      .filter((node: Body) => /LINK/.test(node.type));
    expect(typesOf(links)).toEqual(['ACCOUNT_LINKED', 'ACCOUNT_UNLINKED', 'ACCOUNT_LINKED']);
    expect(links.map(({ id }: Body) => id)).toEqual([one, unlinked.events[0].id, two]);
  });

  it('accountLinked sends the linked account, and listChanged filters by list', async () => {
    const after = await headOf(project);
    const [one, two, list] = [unique('link'), unique('link'), unique('list')];
    const linked = collect(
      socket(),
      `subscription ($after: String, $id: ID) { accountLinked(after: $after, accountId: $id) ${FIELDS} }`,
      { after, id: two },
    );
    const changed = collect(
      socket(),
      `subscription ($after: String, $name: String) { listChanged(after: $after, name: $name) ${FIELDS} }`,
      { after, name: list },
    );
    const email = `${unique('same')}@example.com`;
    await project.authenticate({ id: one, email, lists: [list, unique('another')] });
    await project.authenticate({ id: two, email });
    await project.rest('DELETE', `/list/${list}/account/${one}`);
    expect((await linked.until(1))[0]).toMatchObject({
      type: 'ACCOUNT_LINKED',
      accountId: two,
      data: { linked_account_id: one },
    });
    const changes = await changed.until(2);
    expect(typesOf(changes)).toEqual(['LIST_ACCOUNT_ADDED', 'LIST_ACCOUNT_REMOVED']);
    expect(changes.map(({ data }) => data.list)).toEqual([list, list]);
  });
});

describe('a subscription over plain HTTP', () => {
  const query = `subscription { events { type } }`;

  it.each(['application/json', 'application/graphql-response+json', 'multipart/mixed', '*/*', 'text/html'])(
    'that accepts %s is rejected, and leaves no open subscription',
    async (accept) => {
      const { status, body } = await project.rawGraphql(query, undefined, { accept });
      expect(status).toBe(406);
      expect(body.errors[0].extensions.code).toBe('http.not_acceptable');
    },
  );

  it('is rejected with an Idempotency-Key, since it has no single answer', async () => {
    const headers = { accept: 'text/event-stream', 'idempotency-key': unique('key') };
    expect((await project.rawGraphql(query, undefined, headers)).status).toBe(400);
  });

  it('by GET is a stream where GET is allowed', async () => {
    const id = unique('get');
    const variables = JSON.stringify({ after: await headOf(project), id });
    const text = 'subscription ($after: String, $id: ID) { events(after: $after, accountId: $id) { type } }';
    const address = `${gateway.baseUrl}/graphql?${new URLSearchParams({ query: text, variables })}`;
    const stop = new AbortController();
    const response = await fetch(address, {
      headers: { accept: 'text/event-stream', 'x-api-key': project.key },
      signal: stop.signal,
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await project.authenticate({ id });
    let received = '';
    for await (const chunk of response.body!) {
      received += Buffer.from(chunk).toString();
      if (received.includes('next')) break;
    }
    stop.abort();
    expect(received).toBe(':\n\nevent: next\ndata: {"data":{"events":{"type":"ACCOUNT_AUTHENTICATED"}}}\n\n');
    const production = await gateway.project({ environment: 'production', role: 'server' });
    const refused = await fetch(address, {
      headers: { accept: 'text/event-stream', 'x-api-key': production.key },
    });
    expect(refused.status).toBe(405);
  });
});
