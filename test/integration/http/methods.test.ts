import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;
let known: string;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  known = unique('known');
  await project.authenticate({ id: known });
});
afterAll(() => gateway.close());

type Answer = { status: number; headers: IncomingHttpHeaders; bytes: Buffer };

/** One request with exactly these headers: nothing is added, decoded or followed. */
async function raw(method: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const sent = request(gateway.baseUrl + path, { method, headers }).end();
  const [response] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) };
}

const key = () => ({ 'x-api-key': project.key });

describe('an unknown value of Upgrade', () => {
  it.each(['h2c', 'TLS/1.0', 'websocket', 'foo'])(
    'is ignored on a path without sockets: %s',
    async (value) => {
      const { hostname, port } = new URL(gateway.baseUrl);
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.write(
        `GET /account/${known} HTTP/1.1\r\nHost: x\r\nx-api-key: ${project.key}\r\nConnection: Upgrade, close\r\nUpgrade: ${value}\r\n\r\n`,
      );
      await once(socket, 'close');
      expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(text).toContain(known);
    },
  );

  it('is ignored on the path of sockets, also with a body', async () => {
    const { hostname, port } = new URL(gateway.baseUrl);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    const body = JSON.stringify({ query: '{ project { projectId } }' });
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nx-api-key: ${project.key}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n${body}`,
    );
    await once(socket, 'close');
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).toContain(project.projectId);
  });
});

describe('TRACE', () => {
  it.each(['/', '/nowhere', '/graphql', '/session', '/media/x/y', '/verify/x', '/livez'])(
    'returns 405 with the allowed methods: %s',
    async (path) => {
      const { status, headers } = await raw('TRACE', path, key());
      expect(status).toBe(405);
      expect(headers.allow).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
    },
  );
});

describe('HEAD', () => {
  it('returns 405 where GET creates a session, and creates none', async () => {
    const created = async () => (await project.rest('GET', '/liveness/session')).status;
    const answer = await raw('HEAD', '/liveness/session', key());
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, OPTIONS' } });
    expect(await created()).toBe(200);
    gateway.takeStatements();
    await raw('HEAD', '/liveness/session', key());
    const redirect = await raw('HEAD', `/public/liveness-redirect?project_id=${project.projectId}`);
    expect(redirect).toMatchObject({ status: 405, headers: { allow: 'GET, OPTIONS' } });
    expect(gateway.takeStatements().filter((name) => name.startsWith('verification.'))).toEqual([]);
  });

  it('is handled as GET without a body where GET reads', async () => {
    const link = (await project.rest('GET', '/liveness/session')).body;
    const page = new URL(link.session_url);
    for (const [path, headers] of [
      [`/account/${known}`, key()],
      [`/account/${known}/sessions`, key()],
      ['/list', key()],
      ['/graphql', { accept: 'text/html' }],
      [`/verify/${link.session_id}/status${page.search}`, {}],
      ['/verify/capture.js', {}],
      ['/sdk.js', {}],
      ['/readyz', {}],
    ] as const) {
      const [get, head] = [await raw('GET', path, headers), await raw('HEAD', path, headers)];
      expect(get.status, path).toBe(200);
      expect(head.status, path).toBe(200);
      expect(head.bytes.length, path).toBe(0);
      expect(head.headers['content-type'], path).toBe(get.headers['content-type']);
    }
  });
});

describe('a public file', () => {
  it.each([
    ['/graphql', { accept: 'text/html' }],
    ['/docs/swagger-ui-bundle.js', {}],
    ['/sdk.js', {}],
    ['/verify/capture.js', {}],
    ['/openapi.json', {}],
  ])(
    'is sent compressed to clients that accept it, and with 304 to clients that cached it: %s',
    async (path, headers) => {
      const plain = await raw('GET', path, headers);
      expect(plain).toMatchObject({ status: 200, headers: { vary: 'accept-encoding' } });
      expect(plain.headers['content-encoding']).toBeUndefined();
      const packed = await raw('GET', path, { ...headers, 'accept-encoding': 'br;q=0.5, gzip' });
      expect(packed).toMatchObject({
        status: 200,
        headers: {
          'content-encoding': 'gzip',
          vary: 'accept-encoding',
          'content-type': plain.headers['content-type'],
        },
      });
      expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
      expect(packed.headers.etag).not.toBe(plain.headers.etag);

      const again = { ...headers, 'accept-encoding': 'gzip', 'if-none-match': packed.headers.etag! };
      const known = await raw('GET', path, again);
      expect(known).toMatchObject({ status: 304, headers: { etag: packed.headers.etag } });
      expect(known.bytes.length).toBe(0);
      const other = await raw('GET', path, { ...again, 'accept-encoding': 'gzip;q=0' });
      expect(other).toMatchObject({ status: 200, headers: { etag: plain.headers.etag } });
    },
  );
});
