import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Gateway,
  send,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { browserToken, collect, EVENTS, headOf, overStream, socketUrl } from '../../support/subscriptions.ts';
import { openSocket } from '../../support/websocket.ts';

/* A browser token belongs to the key that created it. */
const masterKey = generateMasterKey();
let clock: TestClock;
let first: Gateway;
let second: Gateway;
let project: TestProject;
const opened: { close(): void }[] = [];

beforeAll(async () => {
  clock = new TestClock();
  first = await startGateway({ masterKey, clock });
  second = await startGateway({ masterKey, clock, database: first.database });
  project = await first.project();
});
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});
afterAll(async () => {
  await second.close();
  await first.close();
});

const REST_OK = 400;
const restOf = ({ baseUrl }: Gateway, token: string) =>
  send(`${baseUrl}/account/nobody`, 'GET', undefined, { authorization: `Bearer ${token}` });
const graphqlOf = ({ baseUrl }: Gateway, token: string) =>
  send(`${baseUrl}/graphql`, 'POST', { query: '{ project { name } }' }, { authorization: `Bearer ${token}` });

async function keyWithToken(expiresAt?: Date, accountId = 'nobody') {
  const { key, keyId } = await first.app.projects.createKey(project.projectId, 'server', { expiresAt });
  return { keyId, token: await browserToken(project.withKey(key), { accountId }) };
}

async function until(deadline: number, ask: () => Promise<{ status: number }>): Promise<number> {
  for (;;) {
    const isLast = performance.now() >= deadline;
    const { status } = await ask();
    if (status === 401 || isLast) return status;
  }
}

describe('a browser token', () => {
  it('is rejected by every gateway within a second after its key is revoked, while tokens of other keys remain valid', async () => {
    const [lost, kept] = [await keyWithToken(), await keyWithToken()];
    for (const gateway of [first, second]) {
      expect((await restOf(gateway, lost.token)).status).toBe(REST_OK);
      expect((await graphqlOf(gateway, lost.token)).status).toBe(200);
    }
    await first.app.projects.revokeKey(project.projectId, lost.keyId);
    const deadline = performance.now() + 1000;
    const asked = [first, second].flatMap((gateway) => [
      until(deadline, () => restOf(gateway, lost.token)),
      until(deadline, () => graphqlOf(gateway, lost.token)),
    ]);
    expect(await Promise.all(asked)).toEqual([401, 401, 401, 401]);
    for (const gateway of [first, second]) expect((await restOf(gateway, kept.token)).status).toBe(REST_OK);
  });

  it('is rejected after its key expires', async () => {
    const { token } = await keyWithToken(new Date(clock.now().getTime() + 60_000));
    clock.advance(59_999);
    expect((await restOf(first, token)).status).toBe(REST_OK);
    clock.advance(1);
    expect((await restOf(first, token)).status).toBe(401);
    expect((await graphqlOf(first, token)).status).toBe(401);
  });

  it('closes its sockets and event streams soon after its key is revoked', async () => {
    const id = unique('receives');
    const { keyId, token } = await keyWithToken(undefined, id);
    const authorization = `Bearer ${token}`;
    const raw = await openSocket(opened, socketUrl(first.baseUrl));
    raw.send({ type: 'connection_init', payload: { authorization } });
    expect(await raw.receive()).toEqual({ type: 'connection_ack' });
    const after = await headOf(project);
    raw.send({ id: '1', type: 'subscribe', payload: { query: EVENTS, variables: { after } } });
    const client = overStream(first.baseUrl, { authorization });
    opened.push({ close: () => client.dispose() });
    const stream = collect(client, EVENTS, { after });
    await project.authenticate({ id });
    expect((await raw.receive()).type).toBe('next');
    await stream.until(1);
    const revokedAt = performance.now();
    await first.app.projects.revokeKey(project.projectId, keyId);
    expect(await raw.closed).toEqual({
      code: 4403,
      reason: 'Unauthorized: unknown, expired or revoked key or token',
    });
    await stream.ended;
    expect(performance.now() - revokedAt).toBeLessThan(30_000);
    expect(stream.errors).toMatchObject([{ extensions: { code: 'auth.unauthenticated' } }]);
  });

  it('needs one lookup of its key for concurrent requests', async () => {
    const { token } = await keyWithToken();
    first.takeStatements();
    await Promise.all(Array.from({ length: 20 }, () => graphqlOf(first, token)));
    const finds = first.takeStatements().filter((name) => name === 'key.find_by_id');
    expect(finds.length).toBeGreaterThanOrEqual(1);
    expect(finds.length).toBeLessThan(20);
  });
});
