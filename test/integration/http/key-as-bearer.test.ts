import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, send, startGateway, type TestProject } from '../../support/gateway.ts';
import { openSocket } from '../../support/websocket.ts';

let gateway: Gateway;
let project: TestProject;
const open: { close(): void }[] = [];

beforeAll(async () => {
  gateway = await startGateway({ recalculatesLinks: false });
  project = await gateway.project();
});
afterAll(async () => {
  for (const socket of open) socket.close();
  await gateway.close();
});

const HINT = 'Unauthorized: API keys are sent in x-api-key, not as Authorization: Bearer';
const SUBSCRIPTION = 'subscription { accountChanged(accountId: "a") { id } }';

describe('an API key sent as a Bearer token', () => {
  const asBearer = (path: string, method: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(gateway.baseUrl + path, method, body, { authorization: `Bearer ${project.key}`, ...headers });

  it.each([
    { face: 'GraphQL', path: '/graphql', method: 'POST', body: { query: '{ project { name } }' } },
    { face: 'GraphQL by GET', path: '/graphql?query=%7Bproject%7Bname%7D%7D', method: 'GET' },
    { face: 'REST', path: '/account/a', method: 'GET' },
    {
      face: 'facts of a page',
      path: '/session/00000000-0000-7000-8000-000000000000',
      method: 'PATCH',
      body: {},
    },
    { face: 'imports', path: '/email/imports', method: 'POST', body: {} },
  ])('is rejected with the name of the correct header: $face', async ({ path, method, body }) => {
    const answer = await asBearer(path, method, body);
    expect(answer.status).toBe(401);
    expect(answer.body.message ?? answer.body.errors[0].message).toBe(HINT);
    expect(answer.text).not.toContain(project.key.slice(0, 12));
  });

  it('is rejected in the same way by an event stream', async () => {
    const answer = await asBearer(
      '/graphql',
      'POST',
      { query: SUBSCRIPTION },
      { accept: 'text/event-stream' },
    );
    expect(answer.status).toBe(401);
    expect(answer.body.errors[0]).toMatchObject({
      message: HINT,
      extensions: { code: 'auth.key_as_token' },
    });
  });

  it('closes a WebSocket with the name of the correct parameter', async () => {
    const socket = await openSocket(open, `${gateway.baseUrl.replace('http', 'ws')}/graphql`);
    socket.send({ type: 'connection_init', payload: { Authorization: `Bearer ${project.key}` } });
    expect(await socket.closed).toEqual({ code: 4403, reason: HINT });
  });

  it('is rejected without the hint when it is not a key', async () => {
    const answer = await send(`${gateway.baseUrl}/account/a`, 'GET', undefined, {
      authorization: 'Bearer x',
    });
    expect(answer).toMatchObject({ status: 401, body: { message: 'Unauthorized' } });
  });
});
