import { type OperationDefinitionNode, parse, print } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleQueries } from '../../../src/http/graphql/example-queries.ts';
import { type Gateway, send, startGateway, type TestProject } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const operations = parse(exampleQueries).definitions as OperationDefinitionNode[];

describe('the examples of GraphiQL', () => {
  it('are in the page', async () => {
    const { status, text } = await send(`${gateway.baseUrl}/graphql`, 'GET', undefined, {
      accept: 'text/html',
    });
    expect(status).toBe(200);
    expect(text).toContain(JSON.stringify(exampleQueries).slice(1, -1));
  });

  it.each(operations.map((operation) => [operation.name!.value, operation] as const))(
    '%s runs without errors in a project without accounts',
    async (_name, operation) => {
      const { status, body } = await project.rawGraphql(print(operation));
      expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
    },
  );
});
