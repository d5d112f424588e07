import { readQuery } from '@vouchgraph/rest/internals/query';
import { print } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../../src/http/rest/route.ts';
import { presentData } from '../../../src/http/rest/router.ts';
import { ROUTES } from '../../../src/http/rest/routes/routes.ts';
import { DOCUMENTED_ANSWERS } from '../../support/documented-bodies.ts';
import {
  type Answer,
  type Body,
  type Gateway,
  send,
  startGateway,
  TestClock,
  type TestProject,
} from '../../support/gateway.ts';
import { ROUTE_CASES, routeCasesOf } from '../../support/operations/index.ts';
import type { Call } from '../../support/operations/operation.ts';
import { inGraphqlWords, inRestWords } from '../../support/rest-words.ts';
import { underAliases, withoutAliases } from '../../support/unaliased.ts';

/*
 * REST is a table of GraphQL documents. For every row: the body of REST is the documented one, and equals the
 * GraphQL response to the row's document with the row's variables. Rows that read are executed twice; rows that
 * write are executed in two projects with equal input.
 */
// Time stands still, so that twins differ in their ids only.
const clock = new TestClock();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ clock });
});
afterAll(() => gateway.close());

function pathOf(route: Route, { params = {}, query = {} }: Call): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
  return `${path}?${new URLSearchParams(query)}`;
}

const callRest = (project: TestProject, route: Route, call: Call) =>
  project.rest(route.method, pathOf(route, call), call.body);

/** The row's body, built from the GraphQL response to its document. */
async function callGraphql(project: TestProject, route: Route, call: Call, requestId: string): Promise<Body> {
  const variables = route.variables({
    params: call.params ?? {},
    ...readQuery(route, new URLSearchParams(call.query)),
    body: route.body?.parse(call.body),
  });
  // Pages of clients are smaller than those of our own documents.
  const query = print(withoutAliases(route.document)).replaceAll(/\bfirst: \d{4,}/g, 'first: 100');
  const data = await project.graphql(query, inGraphqlWords(route.document, variables));
  const meta = { requestId, projectId: project.projectId, at: clock.now(), twoValuedDecision: true };
  const own = inRestWords(route.document, underAliases(route.document, data));
  return JSON.parse(JSON.stringify(presentData(route, own, meta)));
}

/** Without values that are random or derived from the project's own secret, such as the order of equal scores. */
function withoutIds(body: Body): Body {
  const text = JSON.stringify(body, (key, value) => {
    if (key === 'token' || key === 'device_id' || key === 'session_url') return typeof value;
    if (key !== 'linked_accounts') return value;
    return value.toSorted((a: Body, b: Body) => a.account_id.localeCompare(b.account_id));
  });
  return JSON.parse(text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid'));
}

const expectEnvelope = (answer: { status: number; headers: Headers; body: Body }, statusCode: number) => {
  expect(answer.status).toBe(statusCode);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.body).toEqual({ statusCode, code: expect.any(String), message: expect.any(String) });
};

/** Verifications have their own error words. */
const expectRefusal = ({ path }: Route, answer: Answer, message: string) => {
  if (path.startsWith('/email'))
    return expect(answer.body).toEqual({
      statusCode: 400,
      code: expect.any(String),
      error: 'Bad Request',
      message,
    });
  if (!path.startsWith('/liveness/')) {
    expectEnvelope(answer, 400);
    return expect(answer.body.message).toBe(message);
  }
  expect(answer.status).toBe(400);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  const request_id = answer.headers.get('x-request-id');
  return expect(answer.body).toEqual({
    request_id,
    success: false,
    error: message,
    message: expect.any(String),
    code: expect.any(String),
  });
};

describe.each(ROUTES.map((route) => ({ row: `${route.method} ${route.path}`, route })))(
  '$row',
  ({ route }) => {
    const { parity } = ROUTE_CASES[`${route.method} ${route.path}`] ?? {};
    const row = parity!;

    it('has a case in this suite and a documented body', () => {
      expect(routeCasesOf(`${route.method} ${route.path}`)).toHaveProperty('parity');
      expect(Object.keys(DOCUMENTED_ANSWERS)).toContain(route.operation);
    });

    it('returns the documented body, which equals the GraphQL response', async () => {
      const project = await gateway.project();
      const call = await row.prepare(project, gateway);
      const twin = row.writes ? await gateway.project() : project;
      const twinCall = row.writes ? await row.prepare(twin, gateway) : call;

      const rest = await callRest(project, route, call);
      expect(rest.status, rest.text).toBe(200);
      DOCUMENTED_ANSWERS[route.operation]!.parse(rest.body);
      const requestId = rest.headers.get('x-request-id')!;
      // Results of emails name the request that created the check.
      if ('request_id' in rest.body && route.operation !== 'email.get')
        expect(rest.body.request_id).toBe(requestId);

      const graphql = await callGraphql(twin, route, twinCall, requestId);
      if (row.writes) expect(withoutIds(graphql)).toEqual(withoutIds(rest.body));
      else expect(graphql).toEqual(rest.body);
    });

    it.runIf(row?.refused)(
      'returns the documented envelope for an error, and GraphQL rejects the input as well',
      async () => {
        const project = await gateway.project();
        const { message, ...call } = row.refused!;
        const answer = await callRest(project, route, call);
        expectRefusal(route, answer, message);
        expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
        await expect(callGraphql(project, route, call, '')).rejects.toThrow();
      },
    );

    it('returns 401 to a wrong key before any other error', async () => {
      const { message: _, ...call } = row.refused ?? { message: '' };
      const headers = { 'x-api-key': 'vg_sandbox_wrong' };
      const answer = await send(`${gateway.baseUrl}${pathOf(route, call)}`, route.method, call.body, headers);
      expectEnvelope(answer, 401);
      expect(answer.body.message).toBe('Unauthorized');
    });

    it('returns 405 to an unsupported method, with the supported ones', async () => {
      const project = await gateway.project();
      const { message: _, ...call } = row.refused ?? { message: '' };
      const answer = await project.rest('COPY', pathOf(route, call));
      expectEnvelope(answer, 405);
      expect(answer.headers.get('allow')).toContain(route.method);
    });
  },
);
