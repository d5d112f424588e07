import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Gateway,
  send,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let gateway: Gateway;
let project: TestProject;
const known = unique('known');

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  await project.authenticate({ id: known, username: 'ada' });
});
afterAll(() => gateway.close());

/** A request whose path is sent unchanged, with any body. */
async function raw(method: string, path: string, body = '') {
  const { hostname, port } = new URL(gateway.baseUrl);
  const headers = { 'x-api-key': project.key, 'content-length': Buffer.byteLength(body) };
  const request = httpRequest({ hostname, port, method, path, headers });
  request.end(body);
  const [response] = await once(request, 'response');
  return { status: response.statusCode, headers: response.headers, text: await textOf(response) };
}

function expectRefusal(answer: Answer, status: number, message: string): void {
  expect(answer.body).toEqual({ statusCode: status, code: expect.any(String), message });
  expect(answer.status).toBe(status);
}

describe('a path', () => {
  it.each([
    '/nowhere',
    '/account',
    '/account/a/b',
    '/account/%zz',
    '/account/%ff',
    '/Account/x',
    '//account/x',
  ])('that is unknown returns 404: %s', async (path) => {
    expectRefusal(await project.rest('GET', path), 404, 'Not Found');
  });

  it.each([
    ['PATCH', '/account/x', 'DELETE, GET, HEAD, OPTIONS, PUT'],
    ['POST', '/account/x/sessions', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/session', 'OPTIONS, POST'],
    ['GET', '/session', 'OPTIONS, POST'],
    ['DELETE', '/session/unauthenticated', 'GET, HEAD, OPTIONS, PATCH, POST'],
    ['POST', '/livez', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/readyz', 'GET, HEAD, OPTIONS'],
    ['PUT', '/openapi.json', 'GET, HEAD, OPTIONS'],
  ])('with another method returns 405 and lists the allowed ones: %s %s', async (method, path, allow) => {
    const answer = await project.rest(method, path);
    expectRefusal(answer, 405, `Method Not Allowed: must be one of ${allow}`);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('of GraphQL with another method returns 405 too', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const answer = await project.rest(method, '/graphql', { query: '{ project { name } }' });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toContain('POST');
    }
  });
});

describe('a body', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
  ])('of the type %s returns 415', async (type) => {
    const headers = { 'content-type': type };
    for (const [method, path] of [
      ['PUT', `/account/${known}`],
      ['POST', '/session'],
    ] as const) {
      const answer = await project.rest(method, path, '{"username":"eve"}', headers);
      expectRefusal(answer, 415, 'Unsupported Media Type: send application/json');
    }
    expect((await project.rest('POST', '/graphql', '{"query":"{__typename}"}', headers)).status).toBe(415);
    expect((await project.rest('GET', `/account/${known}`)).body.account.username).toBe('ada');
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/merge-patch+json',
  ])('of the type %s is read', async (type) => {
    const answer = await project.rest('PUT', `/account/${known}`, '{}', { 'content-type': type });
    expect(answer.status).toBe(200);
  });

  it('without a type is read', async () => {
    expect((await raw('PUT', `/account/${known}`, '{"username":"ada"}')).status).toBe(200);
  });

  it('is ignored by routes without a body', async () => {
    const id = unique('ignored');
    await project.authenticate({ id });
    const session = await project.session({ open: true });
    for (const [method, path] of [
      ['GET', `/account/${id}`],
      ['GET', `/session/${session}`],
      ['POST', `/session/${session}/complete`],
      ['DELETE', `/account/${id}`],
    ] as const) {
      expect((await raw(method, path, '{"not json')).status).toBe(200);
    }
    expect((await project.rest('GET', `/account/${id}`)).status).toBe(400);
  });

  it('that is truncated changes nothing', async () => {
    const { hostname, port } = new URL(gateway.baseUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const head = `PUT /account/${known} HTTP/1.1\r\nHost: x\r\nx-api-key: ${project.key}\r\nContent-Length: 18\r\n\r\n`;
    socket.end(`${head}{"username":"eve`);
    expect(await textOf(socket)).not.toContain('200 OK');
    expect((await project.rest('GET', `/account/${known}`)).body.account.username).toBe('ada');
  });
});

describe('x-request-id', () => {
  it('is on every response, new each time, for any client header', async () => {
    const headers = { 'x-request-id': '00000000-0000-4000-8000-000000000000' };
    const answers = [
      await project.rest('GET', `/account/${known}`, undefined, headers),
      await project.rest('GET', '/account/nobody', undefined, headers),
      await project.rest('GET', '/nowhere', undefined, headers),
      await project.rest('PATCH', '/account/x', {}, headers),
      await project.rest('PUT', '/account/x', '{', headers),
      await project.rest('PUT', '/account/x', 'x'.repeat(300_000), headers),
      await project.rest('OPTIONS', '/account/x', undefined, headers),
      await project.rawGraphql('{ project { name } }', {}, headers),
      await project.rawGraphql('{', {}, headers),
      await project.rest('GET', '/graphql?query=%7B__typename%7D', undefined, headers),
      ...(await Promise.all(
        ['/livez', '/readyz', '/', '/docs', '/openapi.json', '/account/x', '/graphql'].map((path) =>
          send(gateway.baseUrl + path, 'GET', undefined, headers),
        ),
      )),
    ];
    const ids = answers.map((answer) => answer.headers.get('x-request-id'));
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set([...ids, headers['x-request-id']]).size).toBe(answers.length + 1);
  });

  it('equals the request_id of every body that has one', async () => {
    const id = unique('request');
    const session_id = await project.session({ open: true });
    const requests: [string, string, unknown?][] = [
      ['POST', '/session/authenticate', { session_id, account: { id } }],
      ['POST', '/session/unauthenticated', { session_id }],
      ['GET', `/session/${session_id}`],
      ['POST', `/session/${session_id}/complete`],
      ['GET', `/account/${id}`],
      ['PUT', `/account/${id}`, {}],
      ['GET', `/account/${id}/accounts-linked`],
      ['GET', `/account/${id}/sessions`],
      ['DELETE', `/account/${id}`],
    ];
    for (const [method, path, body] of requests) {
      const answer = await project.rest(method, path, body);
      expect(answer.status).toBe(200);
      expect(answer.body.request_id).toMatch(UUID);
      expect(answer.headers.get('x-request-id')).toBe(answer.body.request_id);
    }
    const query = 'mutation { createSession(input: {}) { requestId session { requestId } } }';
    const { body, headers } = await project.rawGraphql(query);
    const requestId = headers.get('x-request-id');
    expect(body.data.createSession).toEqual({ requestId, session: { requestId } });
  });
});

describe('an account id in a path', () => {
  it.each([
    'a/b',
    '100%',
    '%2F',
    'a b+c',
    'ünï-名-🦉',
    '?a=b&c#d',
    '...',
    '.a',
    '<script>',
    '"\'`;',
    'a\\b',
    '__proto__',
  ])('is any text, percent-encoded: %s', async (text) => {
    const id = text.length > 2 ? unique(text) : text;
    await project.authenticate({ id });
    const path = `/account/${encodeURIComponent(id).replaceAll('.', '%2E')}`;
    const record = JSON.parse((await raw('GET', path)).text);
    expect(record.account.id).toBe(id);
    expect((await raw('PUT', path, '{"username":"ada"}')).status).toBe(200);
    expect((await raw('GET', `${path}/sessions`)).text).toContain(record.last_session);
    expect(JSON.parse((await raw('DELETE', path)).text).account_id).toBe(id);
    expect((await raw('GET', path)).status).toBe(400);
  });
});

describe('HEAD', () => {
  it('is handled as GET, without a body', async () => {
    for (const path of [
      `/account/${known}`,
      '/account/nobody',
      '/nowhere',
      '/livez',
      '/docs',
      '/openapi.json',
    ]) {
      const [get, head] = [await raw('GET', path), await raw('HEAD', path)];
      expect(head).toMatchObject({ status: get.status, text: '' });
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
    }
  });

  it('requires a key where GET does, and creates nothing', async () => {
    const answer = await send(`${gateway.baseUrl}/account/${known}`, 'HEAD');
    expect(answer.status).toBe(401);
    expect((await raw('HEAD', '/session')).status).toBe(405);
  });
});
