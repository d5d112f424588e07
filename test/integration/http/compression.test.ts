import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

/*
 * JSON answers, with exactly the headers that a test names: nothing is added or decoded. Public files are tested in
 * methods.test.ts.
 */

let gateway: Gateway;
let project: TestProject;
let account: string;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  account = unique('account');
  await project.authenticate({ id: account, metadata: { note: 'many words '.repeat(200) } });
});
afterAll(() => gateway.close());

type Answer = { status: number; headers: IncomingHttpHeaders; bytes: Buffer; text: string };
type Parts = { method?: string; headers?: Record<string, string>; body?: unknown };

async function open(path: string, { method, headers = {}, body }: Parts = {}): Promise<IncomingMessage> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = request(gateway.baseUrl + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { 'x-api-key': project.key, ...json, ...headers },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(sent, 'response');
  return response;
}

async function raw(path: string, parts?: Parts): Promise<Answer> {
  const response = await open(path, parts);
  const bytes = Buffer.concat(await response.toArray());
  const { statusCode: status = 0, headers } = response;
  return { status, headers, bytes, text: decode(bytes, headers['content-encoding']).toString() };
}

function decode(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === undefined || bytes.length === 0) return bytes;
  return encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes);
}

const accept = (encodings: string) => ({ 'accept-encoding': encodings });
/** A field under long names, for a long answer within the limit of aliases. */
const aliases = (field: string) =>
  Array.from({ length: 10 }, (_, n) => `${'alias'.repeat(30)}${n}: ${field}`).join(' ');

describe('a JSON response above 1 KB', () => {
  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['gzip, identity;q=0', 'gzip'],
    ['identity', undefined],
    ['gzip;q=0.5, identity', undefined],
    ['deflate', undefined],
    ['*;q=0', undefined],
    // A client that accepts nothing that exists gets the plain body (RFC 9110 section 12.5.3).
    ['identity;q=0', undefined],
  ])('has the encoding that the client prefers: %s', async (encodings, expected) => {
    const plain = await raw(`/account/${account}`);
    const { status, headers, bytes, text } = await raw(`/account/${account}`, { headers: accept(encodings) });
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, expected, 'accept-encoding']);
    expect(Number(headers['content-length'])).toBe(bytes.length);
    expect(headers['content-type']).toBe(plain.headers['content-type']);
    expect(withoutId(text)).toBe(withoutId(plain.text));
    if (expected) expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
  });

  it('is plain without Accept-Encoding, with the headers of a short response plus Vary', async () => {
    const long = await raw(`/account/${account}`);
    const short = await raw('/list');
    expect(long.bytes.length).toBeGreaterThan(1024);
    expect(short.bytes.length).toBeLessThan(1024);
    expect(Object.keys(short.headers)).not.toContain('vary');
    expect(Object.keys(long.headers).filter((name) => name !== 'vary')).toEqual(Object.keys(short.headers));
  });

  it.each([
    [1024, undefined],
    [1025, 'br'],
  ])('is compressed only above 1,024 bytes: %d bytes', async (length, expected) => {
    const frame = JSON.stringify({ data: { project: { x: 'SANDBOX' } } }).length;
    const name = `x${'y'.repeat(length - frame)}`;
    const { headers, text } = await raw('/graphql', {
      headers: accept('br'),
      body: { query: `{ project { ${name}: environment } }` },
    });
    expect([text.length, headers['content-encoding']]).toEqual([length, expected]);
  });

  it('has the headers of GET for HEAD, and no body', async () => {
    const headers = accept('gzip');
    const [get, head] = [
      await raw(`/account/${account}`, { headers }),
      await raw(`/account/${account}`, { method: 'HEAD', headers }),
    ];
    expect([head.status, head.bytes.length, head.headers['content-encoding']]).toEqual([200, 0, 'gzip']);
    expect([head.headers.vary, get.headers['content-encoding']]).toEqual(['accept-encoding', 'gzip']);
  });

  it('varies by origin too for a page', async () => {
    const { headers } = await raw(`/account/${account}`, {
      headers: { ...accept('br'), origin: 'https://shop.example' },
    });
    expect(headers.vary!.split(/, */)).toEqual(['origin', 'accept-encoding']);
    expect(headers['access-control-allow-origin']).toBe('https://shop.example');
  });

  it.each(['POST', 'GET'])('is compressed for GraphQL by %s', async (method) => {
    const query = `{ project { ${aliases('environment')} } }`;
    const path = method === 'GET' ? `/graphql?${new URLSearchParams({ query })}` : '/graphql';
    const parts = method === 'GET' ? {} : { body: { query } };
    const plain = await raw(path, { ...parts, headers: { accept: 'application/json' } });
    const { headers, text } = await raw(path, {
      ...parts,
      headers: { accept: 'application/json', ...accept('br') },
    });
    expect([headers['content-encoding'], headers.vary]).toEqual(['br', 'accept-encoding']);
    expect(text).toBe(plain.text);
    expect(JSON.parse(text).data.project[`${'alias'.repeat(30)}9`]).toBe('SANDBOX');
  });

  it('is compressed when it is an error, with its status', async () => {
    const fields = Array.from({ length: 30 }, (_, n) => `unknownField${n}`);
    const { status, headers, text } = await raw('/graphql', {
      headers: { accept: 'application/graphql-response+json', ...accept('gzip') },
      body: { query: `{ ${fields.join(' ')} }` },
    });
    expect([status, headers['content-encoding']]).toEqual([400, 'gzip']);
    expect(JSON.parse(text).errors.length).toBeGreaterThan(1);
    const short = await raw('/unknown', { headers: accept('gzip') });
    expect([short.status, short.headers['content-encoding']]).toEqual([404, undefined]);
  });
});

describe('a stored response', () => {
  const body = {
    query: `mutation { createSession(input: { simulated: {} }) { session { ${aliases('sessionId')} } } }`,
  };

  it('is repeated byte for byte, in the encoding of the second request', async () => {
    const key = { 'idempotency-key': unique('key') };
    const answers: Answer[] = [];
    for (const encodings of ['br', 'gzip', 'identity', 'br'])
      answers.push(await raw('/graphql', { headers: { ...key, ...accept(encodings) }, body }));
    expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual([
      'br',
      'gzip',
      undefined,
      'br',
    ]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(JSON.parse(answers[0]!.text).data.createSession.session[`${'alias'.repeat(30)}0`]).toMatch(
      /^[\da-f-]{36}$/,
    );
  });
});

describe('a response with a secret and text from the client', () => {
  const plainly = async (path: string, parts: Parts) => {
    const { status, headers, text } = await raw(path, {
      ...parts,
      headers: { ...accept('br, gzip'), ...parts.headers },
    });
    expect(text.length).toBeGreaterThan(1024);
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, undefined, 'accept-encoding']);
    return text;
  };

  it('is not compressed: the secret of a webhook', async () => {
    const query = `mutation ($url: String!) {
      createWebhookEndpoint(input: { url: $url }) { secret endpoint { url } }
    }`;
    const url = `https://hooks.example.com/${'x'.repeat(1500)}`;
    expect(await plainly('/graphql', { body: { query, variables: { url } } })).toContain('"whsec_');
  });

  it('is not compressed: the token of a browser', async () => {
    const query = `mutation { createBrowserToken(input: { accountId: "${account}", scopes: [ACCOUNT] }) { token ${aliases('__typename')} } }`;
    expect(await plainly('/graphql', { body: { query } })).toContain('"vgb_');
  });
});

it('events of a subscription are sent immediately, without buffering for compression', async () => {
  const own = await gateway.project();
  const response = await open('/graphql', {
    headers: { 'x-api-key': own.key, accept: 'text/event-stream', ...accept('br, gzip') },
    body: { query: 'subscription { events { type accountId } }' },
  });
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toContain('text/event-stream');
  expect(response.headers['content-encoding']).toBeUndefined();
  const id = unique('watched');
  await own.authenticate({ id });
  // The stream is still open when its text arrives.
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.includes(id)) break;
  }
  expect(text).toContain(`"accountId":"${id}"`);
});

/** Each answer of REST has an id of its own. */
function withoutId(text: string): string {
  return text.replace(/"request_id":"[0-9a-f-]{36}"/, '');
}
