import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { openApiDocument } from '../../src/http/rest/openapi/openapi.ts';
import { ROUTES } from '../../src/http/rest/routes/routes.ts';
import { OPERATIONS, ROUTE_CASES, routeCasesOf } from '../support/operations/index.ts';

/** test/support/operations has an entry for every operation, from which other tests take their cases. */

const ROOTS = {
  query: schema.getQueryType()!,
  mutation: schema.getMutationType()!,
  subscription: schema.getSubscriptionType()!,
};
const fields = Object.entries(ROOTS).flatMap(([kind, type]) =>
  Object.keys(type.getFields()).map((field) => `${kind} ${field}`),
);
const documented = Object.entries(openApiDocument('https://gateway.example').paths as object).flatMap(
  ([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

describe('the table of operations', () => {
  it.each(fields)('has an entry for %s', (field) => {
    expect(Object.keys(OPERATIONS)).toContain(field);
  });

  it.each(documented)('has an entry for %s', (route) => {
    expect(Object.keys(ROUTE_CASES)).toContain(route);
  });

  it.each(ROUTES.map(({ method, path }) => [method, `${method} ${path}`] as const))(
    'has every case that a route with a document needs: %s of %s',
    (method, route) => {
      const needed = ['parity', 'foreign', ...(method === 'POST' ? ['stored'] : [])];
      expect(Object.keys(routeCasesOf(route))).toEqual(expect.arrayContaining(needed));
    },
  );

  it('has no stale entry', () => {
    expect(Object.keys(OPERATIONS).filter((field) => !fields.includes(field))).toEqual([]);
    expect(Object.keys(ROUTE_CASES).filter((route) => !documented.includes(route))).toEqual([]);
  });
});
