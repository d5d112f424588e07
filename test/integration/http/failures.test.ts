import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutDatabase } from '../../support/database.ts';
import {
  type Answer,
  type Gateway,
  send,
  startOwnGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { openSocket } from '../../support/websocket.ts';

/* The response to a client when the database fails: an error without details. */
const INTERNAL =
  /select |insert |permission|denied|relation|database|postgres|prisma|\.ts\b|node_modules|\/|\\n/i;

let gateway: Gateway;
let project: TestProject;
const sockets: { close(): void }[] = [];
const UNAVAILABLE = { code: 'service.unavailable', status: 503, retryAfterSeconds: 1 };
const id = unique('account');

beforeAll(async () => {
  gateway = await startOwnGateway();
  project = await gateway.project();
  await project.authenticate({ id, email: 'ada@example.com' });
});
afterAll(async () => {
  for (const socket of sockets) socket.close();
  await gateway.close();
});

const ACCOUNT = 'query ($id: ID!) { account(accountId: $id) { accountId } }';
const NODES = '{ lists { edges { node { name } } } }';
const UPDATE = 'mutation ($id: ID!) { updateAccount(input: { accountId: $id, email: "x" }) { requestId } }';

async function ask(): Promise<{ rest: Answer[]; graphql: Answer[] }> {
  const session_id = '01975a8e-3b18-7c11-9d0e-5f2a8c4b7e61';
  return {
    rest: [
      await project.rest('GET', `/account/${id}`),
      await project.rest('PUT', `/account/${id}`, { email: 'x@example.com' }),
      await project.rest('POST', '/session/authenticate', { session_id, account: { id } }),
      await project.rest('DELETE', `/account/${id}`),
    ],
    graphql: [
      await project.rawGraphql(ACCOUNT, { id }),
      await project.rawGraphql(UPDATE, { id }),
      await project.rawGraphql(ACCOUNT, { id }, { accept: 'application/graphql-response+json' }),
      await project.rest('GET', `/graphql?query=${encodeURIComponent(NODES)}`),
      await project.rawGraphql(NODES),
    ],
  };
}

function expectMasked({ rest, graphql }: { rest: Answer[]; graphql: Answer[] }): void {
  for (const { status, body } of rest) {
    expect([500, 503]).toContain(status);
    expect(body).toEqual({ statusCode: status, code: expect.any(String), message: expect.any(String) });
    expect(body.message).not.toMatch(INTERNAL);
  }
  for (const { status, body } of graphql) {
    // No root field has a value, so that the status is that of the error.
    expect(Object.values(body.data ?? {}).every((value) => value === null)).toBe(true);
    const { message, extensions } = body.errors[0];
    expect(status).toBe(extensions.status);
    expect(extensions.code).toBe(extensions.status === 500 ? 'service.internal' : 'service.unavailable');
    expect(message).not.toMatch(INTERNAL);
    expect(Object.keys(body.errors[0])).not.toContain('stack');
    expect(Object.keys(extensions)).not.toContain('originalError');
  }
  for (const { headers } of [...rest, ...graphql])
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
}

describe('a statement that fails', () => {
  it('is an internal error, without SQL, path or stack, and changes nothing', async () => {
    const owner = await connectAs(gateway.database, 'owner');
    const before = await project.rest('GET', `/account/${id}`);
    await owner.query('revoke select on accounts, lists from vouchgraph_app');
    try {
      const answers = await ask();
      expectMasked(answers);
      for (const { body } of answers.rest)
        expect(body).toEqual({ statusCode: 500, code: expect.any(String), message: 'Internal server error' });
      for (const { body } of answers.graphql)
        expect(body.errors[0]).toMatchObject({ message: 'Unexpected error', extensions: { status: 500 } });
    } finally {
      await owner.query('grant select on accounts, lists to vouchgraph_app');
      await owner.end();
    }
    const { request_id: _, ...after } = (await project.rest('GET', `/account/${id}`)).body;
    expect(before.body).toMatchObject(after);
  });
});

describe('a field that fails beside a successful one', () => {
  it.each(['POST', 'GET'])('keeps the rest of the response by %s, with status 200', async (method) => {
    const owner = await connectAs(gateway.database, 'owner');
    await owner.query('revoke select on lists from vouchgraph_app');
    const query = '{ sessions(first: 1) { edges { node { source } } } lists { edges { node { name } } } }';
    try {
      const { status, body } =
        method === 'POST'
          ? await project.rawGraphql(query)
          : await project.rest('GET', `/graphql?query=${encodeURIComponent(query)}`);
      expect({ status, data: body.data }).toEqual({
        status: 200,
        data: { sessions: { edges: [{ node: { source: 'WEB' } }] }, lists: null },
      });
      expect(body.errors).toMatchObject([{ path: ['lists'], extensions: { code: 'service.internal' } }]);
    } finally {
      await owner.query('grant select on lists to vouchgraph_app');
      await owner.end();
    }
  });
});

describe('a lost database', () => {
  const ready = () => send(`${gateway.baseUrl}/readyz`, 'GET');

  it('appears in readiness and in masked errors, not in liveness, until it returns', async () => {
    expect((await ready()).body.status).toBe('ready');
    const fresh = await gateway.app.projects.createKey(project.projectId, 'read');
    await withoutDatabase(gateway.database, async () => {
      const answers = await ask();
      expectMasked(answers);
      for (const { status, headers, body } of [...answers.rest, ...answers.graphql]) {
        expect({ status, retry: headers.get('retry-after') }).toEqual({ status: 503, retry: '1' });
        if (body.errors) expect(body.errors[0].extensions).toMatchObject(UNAVAILABLE);
      }
      expect(await ready()).toMatchObject({
        status: 503,
        body: { status: 'unavailable', reason: 'database' },
      });
      expect((await ready()).headers.get('retry-after')).toBe('1');
      expect(await send(`${gateway.baseUrl}/livez`, 'GET')).toMatchObject({
        status: 200,
        body: { status: 'ok' },
      });
      // A key that is not cached cannot be looked up: the response is not 401, which would make a client give
      // up.
      const unknown = await project.withKey(fresh.key).rest('GET', `/account/${id}`);
      expect({ status: unknown.status, retry: unknown.headers.get('retry-after') }).toEqual({
        status: 503,
        retry: '1',
      });
      expect(unknown.body.message).not.toMatch(INTERNAL);
      const asGraphQL = await project.withKey(fresh.key).rawGraphql(NODES);
      expect({ status: asGraphQL.status, retry: asGraphQL.headers.get('retry-after') }).toEqual({
        status: 503,
        retry: '1',
      });
      // Clients reconnect after this code, and give up after that of an internal error.
      const { send: sendMessage, closed } = await openSocket(
        sockets,
        `${gateway.baseUrl.replace('http', 'ws')}/graphql`,
      );
      sendMessage({ type: 'connection_init', payload: { 'x-api-key': fresh.key } });
      expect(await closed).toEqual({ code: 1013, reason: 'Service unavailable' });
    });
    await expect.poll(async () => (await ready()).status).toBe(200);
    expect((await project.withKey(fresh.key).rest('GET', `/account/${id}`)).status).toBe(200);
    expect((await project.rawGraphql(ACCOUNT, { id })).body.data.account).toEqual({ accountId: id });
  });
});
