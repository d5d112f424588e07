import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../../src/http/rest/routes/routes.ts';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { listsOf } from '../../support/lists.ts';

/*
 * A slash at the end of a path is part of the path. URL libraries resolve dot segments before they send a request, so that a
 * request for the account `..` on a list arrives as one for the list with a slash.
 */
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

/** A request whose path is sent unchanged. */
async function raw(method: string, path: string, body = '', more: Record<string, string> = {}) {
  const { hostname, port } = new URL(gateway.baseUrl);
  const headers = { 'x-api-key': project.key, 'content-length': Buffer.byteLength(body), ...more };
  const request = httpRequest({ hostname, port, method, path, headers });
  request.end(body);
  const [response] = await once(request, 'response');
  const text = await textOf(response);
  return { status: response.statusCode as number, headers: response.headers, text };
}

/** Paths of every route, and of those that are in no table. */
const PATHS: readonly (readonly [method: string, path: string])[] = [
  ...ROUTES.map(({ method, path }) => [method, path] as const),
  ['GET', '/email/imports'],
  ['POST', '/email/imports'],
  ['GET', '/email/imports/{import_id}'],
  ['POST', '/email/imports/{import_id}'],
  ['DELETE', '/email/imports/{import_id}'],
  ['GET', '/email/imports/{import_id}/problems'],
  ['GET', '/email/imports/{import_id}/result.csv'],
  ['GET', '/public/liveness-redirect'],
  ['GET', '/verify/{session_id}'],
  ['POST', '/verify/{session_id}/open'],
  ['PUT', '/verify/{session_id}/media/id_front/1'],
  ['POST', '/graphql'],
  ['GET', '/docs'],
  ['GET', '/openapi.json'],
  ['GET', '/sdk.js'],
  ['GET', '/livez'],
  ['GET', '/readyz'],
];

describe('a slash at the end of a path', () => {
  it.each(PATHS)('does not mean the shorter path: %s %s', async (method, path) => {
    const named = path.replace(/\{(\w+)\}/g, 'nobody');
    for (const end of ['/', '//', '///', '/?x=1'])
      expect((await raw(method, `${named}${end}`, '"x"')).status, end).toBe(404);
    for (const end of ['/.', '/%2F', '/%2e%2e', '/..'])
      expect((await raw(method, `${named}${end}`, '"x"')).status, end).toBeGreaterThanOrEqual(400);
  });

  it('does not delete the list of an account whose id URL libraries resolve', async () => {
    const [list, account] = [unique('resolved'), unique('account')];
    await project.rest('POST', `/list/${list}`);
    await project.authenticate({ id: account, lists: [list] });
    const base = `${gateway.baseUrl}/list/${list}/account/`;
    for (const segment of ['..', '.', '%2e%2e', '%2E.', '.%2e', '%2e', '']) {
      const response = await fetch(base + segment, {
        method: 'DELETE',
        headers: { 'x-api-key': project.key },
      });
      expect(response.status, segment).toBe(404);
    }
    expect(await listsOf(project, account)).toEqual([list]);
  });

  it('is part of an id when it is encoded', async () => {
    const id = unique('slashed');
    await project.authenticate({ id });
    await project.authenticate({ id: `${id}/` });
    expect(JSON.parse((await raw('GET', `/account/${id}%2F`)).text).account.id).toBe(`${id}/`);
    expect((await raw('GET', `/account/${id}%2F/`)).status).toBe(404);
    expect((await raw('GET', '/account/%2F')).text).toContain('Account not found');
  });
});
