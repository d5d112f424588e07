import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, send, startGateway, type TestProject, unique } from '../../support/gateway.ts';

const SHOP = 'https://shop.example';
const TOKEN = `mutation ($input: CreateBrowserTokenInput!) { createBrowserToken(input: $input) { token } }`;

let gateway: Gateway;
let sandbox: TestProject;
let production: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ settings: { COLLECTOR_LIMIT_PER_MINUTE: '0' } });
  sandbox = await gateway.project();
  production = await gateway.project({ environment: 'production' });
});
afterAll(() => gateway.close());

/** A production project whose pages may call from these origins. */
async function productionFor(...allowedOrigins: string[]): Promise<TestProject> {
  const project = await gateway.project({ environment: 'production' });
  await gateway.app.database.system.query(
    { name: 'test.origins', text: 'update projects set settings = $2 where project_id = $1' },
    [project.projectId, JSON.stringify({ allowedOrigins })],
  );
  return project;
}

const tokenOf = async (project: TestProject): Promise<string> =>
  (await project.graphql(TOKEN, { input: { scopes: ['ACCOUNT'], accountId: 'nobody' } })).createBrowserToken
    .token;

const asPage = (path: string, token: string, origin: string, body?: unknown) =>
  send(gateway.baseUrl + path, body ? 'POST' : 'GET', body, { authorization: `Bearer ${token}`, origin });

describe('a page of another origin', () => {
  it('may read every response of a sandbox, including errors', async () => {
    const origin = { origin: SHOP };
    for (const answer of [
      await sandbox.rest('GET', '/account/nobody', undefined, origin),
      await sandbox.rest('PUT', '/account/nobody', '{', origin),
      await sandbox.rest('PUT', '/account/nobody', 'x'.repeat(300_000), origin),
      await sandbox.rawGraphql('{ project { name } }', {}, origin),
      await sandbox.rest('POST', '/graphql', '{', origin),
      await send(`${gateway.baseUrl}/session`, 'POST', { project_id: sandbox.projectId }, origin),
    ]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(SHOP);
      expect(answer.headers.get('vary')).toMatch(/origin/i);
      const exposed = answer.headers.get('access-control-expose-headers');
      for (const name of ['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy'])
        expect(exposed).toContain(name);
    }
  });

  it('may read the error for a missing project', async () => {
    for (const project_id of ['wrong', '00000000-0000-7000-8000-000000000000', undefined]) {
      const answer = await send(`${gateway.baseUrl}/session`, 'POST', { project_id }, { origin: SHOP });
      expect(answer.status).toBe(400);
      expect(answer.headers.get('access-control-allow-origin')).toBe(SHOP);
    }
  });

  it('may read the rate-limit error of a sandbox', async () => {
    const limited = await startGateway({ settings: { RATE_LIMIT_PER_MINUTE: '1' } });
    const project = await limited.project();
    await project.rest('GET', '/account/nobody');
    for (const answer of [
      await project.rest('GET', '/account/nobody', undefined, { origin: SHOP }),
      await project.rawGraphql('{ project { name } }', {}, { origin: SHOP }),
    ]) {
      expect(answer.status).toBe(429);
      expect(answer.headers.get('access-control-allow-origin')).toBe(SHOP);
    }
    await limited.close();
  });

  it('may read no response of a production project unless the project lists its origin', async () => {
    const listing = await productionFor(SHOP, 'https://second.example');
    const reads = async (project: TestProject, origin: string) => {
      const token = await tokenOf(project);
      const answers = [
        await asPage('/account/nobody', token, origin),
        await asPage('/graphql', token, origin, { query: '{ project { name } }' }),
        await asPage('/graphql', token, origin, { query: 1 }),
        await asPage('/graphql', token, origin),
        await send(`${gateway.baseUrl}/session`, 'POST', { project_id: project.projectId }, { origin }),
      ];
      return answers.map(({ headers }) => headers.get('access-control-allow-origin'));
    };
    expect(await reads(production, SHOP)).toEqual(Array(5).fill(null));
    expect(await reads(listing, SHOP)).toEqual(Array(5).fill(SHOP));
    for (const origin of [
      'https://shop.example.evil',
      'http://shop.example',
      'https://shop.example:444',
      'null',
    ])
      expect(await reads(listing, origin)).toEqual(Array(5).fill(null));
  });

  it('may not use the key of a production project, even when its origin is listed', async () => {
    const listing = await productionFor(SHOP);
    const message = 'API keys of production projects must not be used from web pages';
    for (const [project, origin] of [
      [production, SHOP],
      [production, 'null'],
      [listing, SHOP],
    ] as const) {
      const rest = await project.rest('GET', '/account/nobody', undefined, { origin });
      expect(rest.status).toBe(403);
      expect(rest.body).toEqual({ statusCode: 403, code: expect.any(String), message });
      const graphql = await project.rawGraphql(TOKEN, { input: {} }, { origin });
      expect(graphql.status).toBe(403);
      expect(graphql.body).toMatchObject({ errors: [{ message, extensions: { code: 'auth.forbidden' } }] });
      for (const { headers } of [rest, graphql])
        expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('a request without an origin, or from the origin of the gateway', () => {
  it('may use the key of a production project', async () => {
    const noPage: Record<string, string> = {};
    for (const headers of [noPage, { origin: gateway.baseUrl }]) {
      expect((await production.rest('GET', '/account/nobody', undefined, headers)).status).toBe(400);
      expect((await production.rawGraphql('{ project { name } }', {}, headers)).status).toBe(200);
    }
  });

  it('gets no CORS header', async () => {
    const { headers } = await sandbox.rest('GET', `/account/${unique('nobody')}`);
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a preflight', () => {
  it.each(['/session', '/account/x', '/graphql', '/session/authenticate'])(
    'is answered without a key: %s',
    async (path) => {
      const { status, text, headers } = await send(gateway.baseUrl + path, 'OPTIONS', undefined, {
        origin: SHOP,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'x-api-key, content-type',
      });
      expect([status, text]).toEqual([204, '']);
      expect(headers.get('access-control-allow-origin')).toBe(SHOP);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
        expect(headers.get('access-control-allow-methods')).toContain(method);
      for (const name of ['content-type', 'authorization', 'x-api-key', 'idempotency-key'])
        expect(headers.get('access-control-allow-headers')).toContain(name);
    },
  );
});
