import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../../src/http/rest/routes/routes.ts';
import { type Body, type Gateway, startGateway } from '../../support/gateway.ts';
import { ROUTE_CASES } from '../../support/operations/index.ts';
import type { ForeignRouteRequest } from '../../support/operations/operation.ts';
import { expectAlike, type Ids, stateOf, type TwoProjects, twoProjects } from '../../support/two-projects.ts';

/*
 * A request with an id of another project is answered exactly as with an unknown id, on every route: the cases
 * are those of test/support/operations.
 */
let gateway: Gateway;
let both: TwoProjects;
let before: Body;

beforeAll(async () => {
  gateway = await startGateway();
  both = await twoProjects(gateway);
  before = await stateOf(both.theirs);
});
afterAll(() => gateway.close());

/** Requests with ids of another project, by operation. */
const CASES = new Map<string, ForeignRouteRequest>(
  ROUTES.flatMap(({ method, path, operation }) => {
    const foreign = ROUTE_CASES[`${method} ${path}`]?.foreign;
    return foreign === undefined || typeof foreign === 'string' ? [] : [[operation, foreign] as const];
  }),
);

describe('an id of another project is unknown', () => {
  it.each([...CASES.keys()])('by REST: %s', async (operation) => {
    const { ours, foreign } = both;
    const route = ROUTES.find((each) => each.operation === operation)!;
    const { path = () => route.path, body = () => undefined, query = '' } = CASES.get(operation)!;
    const ask = (ids: Ids) => ours.rest(route.method, path(ids) + query, body(ids));
    await expectAlike(both, ask);
    expect((await ask(foreign)).status).toBe(400);
    expect(await stateOf(both.theirs)).toEqual(before);
  });

  it('on every route', () => {
    const withoutCase = ROUTES.filter(({ method, path }) => !ROUTE_CASES[`${method} ${path}`]?.foreign);
    expect(withoutCase.map(({ operation }) => operation)).toEqual([]);
  });
});

describe('a session', () => {
  it('is opened in the project of the key, for any project in the body', async () => {
    const { ours, theirs } = both;
    const { body } = await ours.rest('POST', '/session', { project_id: theirs.projectId });
    expect((await ours.rest('GET', `/session/${body.session_id}`)).body.project_id).toBe(ours.projectId);
    expect((await theirs.rest('GET', `/session/${body.session_id}`)).status).toBe(400);
  });

  it('rejects facts with the token of a session of another project', async () => {
    const { ours, foreign } = both;
    const { token } = (await ours.rest('POST', '/session', { open: true })).body;
    const headers = { 'x-api-key': '', authorization: `Bearer ${token}` };
    const answer = await ours.rest('PATCH', `/session/${foreign.openSession}`, {}, headers);
    expect(answer.body).toEqual({ statusCode: 401, code: expect.any(String), message: 'Unauthorized' });
  });
});
