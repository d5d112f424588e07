import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type OperationDefinitionNode, parse, print } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLE_TABS } from '../../../clients/graphiql/examples.ts';
import { generateMasterKey } from '../../../src/platform/crypto.ts';
import {
  type Gateway,
  type GatewayOptions,
  send,
  startGateway,
  type TestProject,
} from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;
let offered: string | null = null;
const masterKey = generateMasterKey();
const readSandboxKey = async () => offered;

beforeAll(async () => {
  gateway = await startGateway({ masterKey, readSandboxKey });
  project = await gateway.project();
  offered = project.key;
});
afterAll(() => gateway.close());

describe('the page of GraphiQL', () => {
  it.each(['/graphql', '/graphql?query=%7Bproject%7Bname%7D%7D'])(
    'loads only files of the gateway, and is the same for all clients: %s',
    async (path) => {
      const { status, headers, text } = await send(gateway.baseUrl + path, 'GET', undefined, {
        accept: 'text/html',
      });
      expect(status).toBe(200);
      const policy = headers.get('content-security-policy');
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
      expect(text).not.toContain('vg_test_0');
      const files = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, file]) => file!);
      expect(files).toHaveLength(4);
      for (const file of files) expect((await send(gateway.baseUrl + file, 'GET')).status, file).toBe(200);
    },
  );

  it.each(['editor', 'json', 'graphql'])('has the worker of its editors: %s', async (name) => {
    const { status, headers } = await send(`${gateway.baseUrl}/graphiql/${name}-worker.js`, 'GET');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  });
});

describe('the examples of GraphiQL', () => {
  const operations = EXAMPLE_TABS.flatMap(
    ({ query }) => parse(query).definitions as OperationDefinitionNode[],
  ).filter(({ operation }) => operation !== 'subscription');

  it('are queries, mutations and subscriptions with different names', () => {
    const all = EXAMPLE_TABS.flatMap(({ query }) => parse(query).definitions as OperationDefinitionNode[]);
    expect(new Set(all.map(({ operation }) => operation)).size).toBe(3);
    expect(new Set(all.map(({ name }) => name!.value)).size).toBe(all.length);
  });

  it('do not change accounts of the documents', () => {
    const texts = EXAMPLE_TABS.map(({ query }) => query).join('\n');
    expect(texts).not.toMatch(/"(alice|al|bob|mallory|carol)"|14155552671/);
  });

  it.each(operations.map((operation) => [operation.name!.value, operation] as const))(
    '%s runs without errors in a project without accounts',
    async (_name, operation) => {
      const empty = await gateway.project();
      const sessionId = await empty.session({ ip_address: '8.8.8.8' });
      const { status, body } = await empty.rawGraphql(print(operation), { sessionId });
      expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
    },
  );
});

describe('the key of the first start', () => {
  const keyOf = (of: Gateway, headers: Record<string, string> = {}) => {
    const host = `127.0.0.1:${portOf(of)}`;
    return post(of, { host, origin: `http://${host}`, ...headers });
  };
  const withGateway = async (options: GatewayOptions, work: (other: Gateway) => Promise<void>) => {
    const other = await startGateway({ masterKey, database: gateway.database, readSandboxKey, ...options });
    await work(other).finally(() => other.close());
  };

  it('is available to the page on the machine of the gateway, and not readable by other pages', async () => {
    const { status, headers, body } = await keyOf(gateway);
    expect([status, body]).toEqual([200, { key: project.key }]);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect((await send(`${gateway.baseUrl}/graphiql/key`, 'GET')).status).toBe(405);
  });

  it.each<[string, Record<string, string>]>([
    ['a foreign name that resolves to this machine', { host: 'evil.example', origin: 'http://evil.example' }],
    ['a page of another origin', { origin: 'http://localhost:3000' }],
    ['a proxy on this machine', { 'x-forwarded-for': '203.0.113.9' }],
  ])('is not available to %s', async (_what, headers) => {
    const { status, body } = await keyOf(gateway, headers);
    expect([status, body]).toEqual([200, { key: null }]);
  });

  it.each<[string, Record<string, string>]>([
    ['listens on all addresses', { HOST: '0.0.0.0' }],
    ['trusts a proxy', { TRUSTED_PROXIES: '127.0.0.1' }],
    ['has a public address', { PUBLIC_URL: 'https://id.example.com' }],
  ])('is not available from a gateway that %s', async (_what, settings) => {
    await withGateway({ settings }, async (other) => {
      expect((await keyOf(other)).body).toEqual({ key: null });
    });
  });

  it('is not available once it is revoked, for a production project, or without its file', async () => {
    const production = await gateway.project({ environment: 'production' });
    const revoked = await gateway.project();
    await gateway.app.projects.revokeKey(revoked.projectId, revoked.keyId);
    for (const key of [production.key, revoked.key, 'no key', null]) {
      offered = key;
      expect((await keyOf(gateway)).body).toEqual({ key: null });
    }
    offered = project.key;
  });
});

/** Its address can be another one, configured by the settings. */
function portOf({ app }: Gateway): number {
  return (app.parts.start.bound.server.address() as AddressInfo).port;
}

type Posted = { status: number; headers: Record<string, string | string[] | undefined>; body: unknown };

/** A POST with any Host header, which fetch sets itself. */
async function post(of: Gateway, headers: Record<string, string>): Promise<Posted> {
  const port = portOf(of);
  const { promise, resolve, reject } = Promise.withResolvers<Posted>();
  const sent = request(
    { host: '127.0.0.1', port, method: 'POST', path: '/graphiql/key', headers },
    (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: JSON.parse(text) }),
      );
    },
  );
  sent.on('error', reject).end();
  return promise;
}
