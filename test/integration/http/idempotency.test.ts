import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Body,
  type Gateway,
  projectClient,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

const HOUR = 3_600_000;

const masterKey = generateMasterKey();
let clock: TestClock;
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  clock = new TestClock();
  gateway = await startGateway({ clock, masterKey });
});
afterAll(() => gateway.close());

/** A separate project for each test, so that effects can be counted. */
async function newProject(): Promise<TestProject> {
  project = await gateway.project();
  return project;
}

const post = (key: string, body: unknown, path = '/session', client = project) =>
  client.rest('POST', path, body, { 'idempotency-key': key });

const countSessions = async (client = project) =>
  (await client.graphql('{ sessions(first: 100) { edges { node { sessionId } } } }')).sessions.edges.length;

const same = ({ status, text, headers }: Answer) => ({ status, text, type: headers.get('content-type') });

/** Sets the state of a key as if its request still ran, or had crashed, in another gateway. */
const leaveRunning = (lockedUntil: Date) =>
  gateway.app.database.system.query(
    {
      name: 'test.running',
      text: `update idempotency_keys set state = 'running', status = null, body = null, locked_until = $2
             where project_id = $1`,
    },
    [project.projectId, lockedUntil],
  );

describe('requests with the same key and body', () => {
  it('return the same status and body, byte for byte, for one effect', async () => {
    await newProject();
    const [key, sent] = [unique('key'), { ip_address: '8.8.8.8' }];
    const first = await post(key, sent);
    expect(first.status).toBe(200);
    const second = await post(key, sent);
    expect(same(second)).toEqual(same(first));
    expect(second.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await countSessions()).toBe(1);
    // Without the key it is a new request.
    expect((await project.rest('POST', '/session', sent)).text).not.toBe(first.text);
    expect(await countSessions()).toBe(2);
  });

  it('return the account of the first response after any later changes', async () => {
    await newProject();
    const [key, id] = [unique('key'), unique('account')];
    const body = { session_id: await project.session(), account: { id, email: 'ada@example.com' } };
    const first = await post(key, body, '/session/authenticate');
    await project.rest('PUT', `/account/${id}`, { email: 'later@example.com' });
    expect(same(await post(key, body, '/session/authenticate'))).toEqual(same(first));
    expect((await project.rest('GET', `/account/${id}`)).body.account.email).toBe('later@example.com');
  });

  it('wait for the first while it runs, then return 409', async () => {
    await newProject();
    const key = unique('key');
    const first = await post(key, {});
    await leaveRunning(new Date(clock.now().getTime() + 30_000));
    const second = await post(key, {});
    expect(second.status).toBe(409);
    expect(second.body).toEqual({
      statusCode: 409,
      code: expect.any(String),
      message: 'The first request with this Idempotency-Key is still running',
    });
    expect(await countSessions()).toBe(1);
    expect(first.status).toBe(200);
  });

  it('run again when the gateway of the first request crashed', async () => {
    await newProject();
    const key = unique('key');
    const first = await post(key, {});
    await leaveRunning(clock.now());
    const second = await post(key, {});
    expect(second.status).toBe(200);
    expect(second.body.session_id).not.toBe(first.body.session_id);
    expect(same(await post(key, {}))).toEqual(same(second));
    expect(await countSessions()).toBe(2);
  });

  it('run again after 24 hours, and not before', async () => {
    await newProject();
    const key = unique('key');
    const first = await post(key, {});
    clock.advance(24 * HOUR - 1);
    expect(same(await post(key, {}))).toEqual(same(first));
    clock.advance(1);
    const second = await post(key, {});
    expect(second.body.session_id).not.toBe(first.body.session_id);
    expect(same(await post(key, {}))).toEqual(same(second));
  });
});

describe('a hundred concurrent requests', () => {
  /** Sends a hundred equal requests, all of which get the same response. */
  async function sendHundred(
    path: string,
    body: unknown,
    clients: readonly TestProject[] = [project],
  ): Promise<Body> {
    const headers = { 'idempotency-key': unique('key') };
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        clients[index % clients.length]!.rest('POST', path, body, headers),
      ),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const [{ status, body: answer }] = answers as [Answer];
    expect(status).toBe(200);
    expect(answer.errors).toBeUndefined();
    return answer;
  }

  const mutation = (query: string, input: unknown) => ({ query: `mutation ${query}`, variables: { input } });
  const eventsOf = async (type: string) => {
    const rows = await gateway.app.database.system.query(
      { name: 'test.events', text: 'select 1 from outbox_events where project_id = $1 and type = $2' },
      [project.projectId, type],
    );
    return rows.length;
  };

  it('open one session by POST /session', async () => {
    await newProject();
    await sendHundred('/session', { ip_address: '8.8.8.8' });
    expect(await countSessions()).toBe(1);
  });

  it('open one session through two gateways too', async () => {
    await newProject();
    const other = await startGateway({ masterKey, database: gateway.database, clock });
    await sendHundred('/session', {}, [
      project,
      projectClient(other.baseUrl, project.projectId, project.key),
    ]);
    expect(await countSessions()).toBe(1);
    await other.close();
  });

  it('bind one session by POST /session/authenticate', async () => {
    await newProject();
    const id = unique('account');
    const session_id = await project.session();
    const body = { session_id, account: { id, lists: [unique('regulars')] } };
    const answer = await sendHundred('/session/authenticate?accounts_linked=true', body);
    expect(answer.account_id).toBe(id);
    expect((await project.rest('GET', `/account/${id}`)).body.num_sessions).toBe(1);
    expect(await eventsOf('account.authenticated')).toBe(1);
    expect(await eventsOf('list.account_added')).toBe(1);
  });

  it('score a session once by POST /session/unauthenticated, and complete a session once', async () => {
    await newProject();
    const session_id = await project.session();
    const answer = await sendHundred('/session/unauthenticated', { session_id });
    expect(answer.request_id).toMatch(/^[0-9a-f-]{36}$/);
    const open = await project.session({ open: true });
    await sendHundred(`/session/${open}/complete`, {});
    expect((await project.rest('GET', `/session/${open}`)).status).toBe(200);
  });

  it('create a list, add an account and move it once', async () => {
    await newProject();
    const [source, target, id] = [unique('source'), unique('target'), unique('account')];
    await project.authenticate({ id });
    // A repeated execution would be an error, a further event, or a conflict.
    await sendHundred(`/list/${source}`, { list_description: 'made once' });
    await project.rest('POST', `/list/${target}`, { list_description: '' });
    await sendHundred(`/list/${source}/account/${id}`, {});
    expect(await eventsOf('list.account_added')).toBe(1);
    const move = { account_ids: [id], target_list: target };
    expect(await sendHundred(`/list/${source}/account/move`, move)).toMatchObject({
      results: [{ account_id: id, outcome: 'moved' }],
    });
    expect((await project.rest('GET', `/list/${target}`)).body.accounts).toEqual([id]);
    const { auditLog } = await project.graphql(
      '{ auditLog(first: 100, filter: { actions: [LIST_ADD_ACCOUNTS, LIST_CREATE, LIST_MOVE_ACCOUNTS, LIST_REMOVE_ACCOUNTS] }) { edges { node { action } } } }',
    );
    const actions = auditLog.edges.map((edge: Body) => edge.node.action).sort();
    expect(actions).toEqual(['LIST_ADD_ACCOUNTS', 'LIST_CREATE', 'LIST_CREATE', 'LIST_MOVE_ACCOUNTS']);
  });

  it('have one effect by each mutation of GraphQL', async () => {
    await newProject();
    const [id, sessionId] = [unique('account'), await project.session()];
    await sendHundred(
      '/graphql',
      mutation(
        '($input: CreateSessionInput!) { createSession(input: $input) { session { sessionId } } }',
        {},
      ),
    );
    expect(await countSessions()).toBe(2);
    await sendHundred(
      '/graphql',
      mutation('($input: AuthenticateSessionInput!) { authenticateSession(input: $input) { requestId } }', {
        sessionId,
        account: { accountId: id },
      }),
    );
    expect(await eventsOf('account.authenticated')).toBe(1);
    await sendHundred(
      '/graphql',
      mutation(
        '($input: UpdateProjectSettingsInput!) { updateProjectSettings(input: $input) { requestId } }',
        {
          fakeFrom: 0.9,
        },
      ),
    );
    // A repeated execution would return account not found.
    const gone = await sendHundred(
      '/graphql',
      mutation('($input: DeleteAccountInput!) { deleteAccount(input: $input) { requestId } }', {
        accountId: id,
      }),
    );
    expect(gone.data.deleteAccount.requestId).toMatch(/^[0-9a-f-]{36}$/);
    const { auditLog } = await project.graphql('{ auditLog(first: 100) { edges { node { action } } } }');
    const actions = auditLog.edges.map((edge: Body) => edge.node.action).sort();
    expect(actions).toEqual(['ACCOUNT_DELETE', 'KEY_CREATE', 'SETTINGS_UPDATE']);
  });
});

describe('an idempotency key', () => {
  it('is rejected with another body, even an equivalent one', async () => {
    await newProject();
    const key = unique('key');
    await post(key, '{"source":"web"}');
    for (const body of ['{"source":"ios"}', '{}', '{"source": "web"}']) {
      const answer = await post(key, body);
      expect(answer.status).toBe(422);
      expect(answer.body).toEqual({
        statusCode: 422,
        code: expect.any(String),
        message: 'This Idempotency-Key was used with another body',
      });
    }
    expect(await countSessions()).toBe(1);
  });

  it('is independent of the same key in another project, on another path, and with another query', async () => {
    const one = await newProject();
    const two = await newProject();
    const key = unique('key');
    const first = await post(key, {}, '/session', one);
    const second = await post(key, {}, '/session', two);
    expect(second.status).toBe(200);
    expect(second.body.session_id).not.toBe(first.body.session_id);
    const body = { session_id: first.body.session_id };
    const plain = await post(key, body, '/session/unauthenticated', one);
    const linked = await post(key, body, '/session/unauthenticated?accounts_linked=true', one);
    expect(plain.status).toBe(200);
    expect(plain.body).not.toHaveProperty('linked_accounts');
    expect(linked.body).toHaveProperty('linked_accounts');
  });

  it('applies to POST only', async () => {
    await newProject();
    const [key, id] = [unique('key'), unique('account')];
    await project.authenticate({ id });
    const put = (username: string) =>
      project.rest('PUT', `/account/${id}`, { username }, { 'idempotency-key': key });
    expect((await put('one')).body.account.username).toBe('one');
    expect((await put('two')).body.account.username).toBe('two');
  });

  it('is at most 255 characters long', async () => {
    await newProject();
    expect((await post('k'.repeat(255), {})).status).toBe(200);
    const answer = await post('k'.repeat(256), {});
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/^Idempotency-Key: .* 255/);
    expect(await countSessions()).toBe(1);
  });
});

describe('a response', () => {
  const UPDATE = 'mutation ($id: ID!) { updateAccount(input: { accountId: $id }) { account { accountId } } }';

  it('is stored when it is a client error', async () => {
    await newProject();
    const [key, id] = [unique('key'), unique('account')];
    const unknown = { session_id: 'not-there' };
    const refused = await post(key, unknown, '/session/unauthenticated');
    expect(refused.status).toBe(400);
    expect(same(await post(key, unknown, '/session/unauthenticated'))).toEqual(same(refused));

    const update = (used: string) => project.rawGraphql(UPDATE, { id }, { 'idempotency-key': used });
    const missing = await update(key);
    expect(missing.body.errors[0].extensions.code).toBe('account.not_found');
    await project.authenticate({ id });
    expect(same(await update(key))).toEqual(same(missing));
    expect((await update(unique('key'))).body.data.updateAccount.account).toEqual({ accountId: id });
  });

  it('is not stored when the service failed: a retry runs again', async () => {
    await newProject();
    const key = unique('key');
    const owner = await connectAs(gateway.database, 'owner');
    await owner.query('revoke insert on sessions from vouchgraph_app');
    const create = 'mutation { createSession(input: {}) { session { sessionId } } }';
    const byGraphql = () => project.rawGraphql(create, {}, { 'idempotency-key': key });
    const failed = [await post(key, {}), await byGraphql()];
    await owner.query('grant insert on sessions to vouchgraph_app');
    await owner.end();
    expect(failed.map(({ status }) => status)).toEqual([500, 500]);
    expect((await post(key, {})).status).toBe(200);
    expect((await byGraphql()).body.data.createSession.session.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(await countSessions()).toBe(2);
  });

  it('of GraphQL is repeated too, and rejected for another body', async () => {
    await newProject();
    const key = unique('key');
    const ask = (source: string, headers = {}) =>
      project.rawGraphql(
        `mutation { createSession(input: { facts: { source: ${source} } }) { session { sessionId } } }`,
        {},
        { 'idempotency-key': key, ...headers },
      );
    const first = await ask('WEB');
    expect(first.body.data.createSession.session.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(same(await ask('WEB'))).toEqual(same(first));
    const olderType = { 'content-type': 'application/graphql+json', accept: 'application/json;q=0.9' };
    expect(same(await ask('WEB', olderType))).toEqual(same(first));
    const other = await ask('IOS');
    expect(other.status).toBe(422);
    expect(other.body.errors[0].extensions.code).toBe('idempotency.other_body');
    expect(await countSessions()).toBe(1);
  });

  it('that is a stream cannot be stored, so the request is rejected without effect', async () => {
    await newProject();
    const create = 'mutation { createSession(input: {}) { requestId } }';
    for (const accept of ['text/event-stream', 'multipart/mixed', 'text/html']) {
      const headers = { 'idempotency-key': unique('key'), accept };
      const answer = await project.rawGraphql(create, {}, headers);
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].message).toMatch(/Idempotency-Key/);
    }
    expect(await countSessions()).toBe(0);
  });
});
