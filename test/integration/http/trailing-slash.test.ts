import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../../src/http/rest/routes.ts';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

/* A trailing slash of a path reaches the route and is evaluated before decoding. */
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

const withoutId = (text: string) => text.replace(/"request_id":"[^"]*"/, '');

describe('a trailing slash', () => {
  it.each(ROUTES.map(({ method, path }) => [method, path] as const))(
    'has no effect on the response of %s %s',
    async (method, path) => {
      const named = path.replace(/\{(\w+)\}/g, 'nobody');
      const plain = await raw(method, named, '"x"');
      const slashed = await raw(method, `${named}/`, '"x"');
      expect(plain.status).not.toBe(404);
      expect(slashed.status).toBe(plain.status);
      const isNew = path === '/liveness/session' && method === 'GET';
      if (!isNew) expect(withoutId(slashed.text)).toBe(withoutId(plain.text));
      for (const end of ['//', '/%2F', '/.', '///'])
        expect((await raw(method, `${named}${end}`, '"x"')).status, end).not.toBe(200);
    },
  );

  it('is not part of an id unless it is encoded', async () => {
    const id = unique('slashed');
    await project.authenticate({ id });
    await project.authenticate({ id: `${id}/` });
    expect(JSON.parse((await raw('GET', `/account/${id}/`)).text).account.id).toBe(id);
    expect(JSON.parse((await raw('GET', `/account/${id}%2F`)).text).account.id).toBe(`${id}/`);
    expect(JSON.parse((await raw('GET', `/account/${id}%2F/`)).text).account.id).toBe(`${id}/`);
    expect(JSON.parse((await raw('GET', `/account/${id}/sessions/`)).text).sessions).toHaveLength(1);
    expect((await raw('GET', '/account/%2F')).text).toContain('Account not found');
    expect((await raw('GET', `/account/${id}/?x=1`)).status).toBe(200);
  });

  it.each(['/account/', '/account//', '/list//', '/account/x//', '//', '/list/x/account//', '/account/x/y/'])(
    'does not make an unknown path valid: %s',
    async (path) => {
      expect((await raw('GET', path)).status).toBe(404);
    },
  );

  it('does not allow a forbidden method', async () => {
    const { status, headers } = await raw('PATCH', '/account/x/');
    expect([status, headers.allow]).toEqual([405, 'DELETE, GET, HEAD, OPTIONS, PUT']);
  });

  it('is the same request for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': unique('key') };
    const body = JSON.stringify({ session_id: await project.session() });
    const first = await raw('POST', '/session/unauthenticated', body, headers);
    const second = await raw('POST', '/session/unauthenticated/', body, headers);
    expect(first.status).toBe(200);
    expect(second.text).toBe(first.text);
  });

  it('is accepted by the public link too, and not by pages', async () => {
    const { projectId } = project;
    const redirected = await raw('GET', `/public/liveness-redirect/?project_id=${projectId}`);
    expect(redirected.status).toBe(302);
    for (const path of ['/public/liveness-redirect//', '/public/liveness-redirect%2F', '/docs/', '/livez/'])
      expect((await raw('GET', `${path}?project_id=${projectId}`)).status, path).toBe(404);
  });
});
