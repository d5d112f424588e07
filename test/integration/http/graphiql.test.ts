import { type OperationDefinitionNode, parse, print } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLE_TABS } from '../../../clients/graphiql/examples.ts';
import { type Gateway, send, startGateway } from '../../support/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
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
