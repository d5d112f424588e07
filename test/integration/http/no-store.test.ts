import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { EVENTS } from '../../support/subscriptions.ts';

/* Responses to one key are not cacheable. */
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ settings: { RATE_LIMIT_PER_MINUTE: '100' } });
  project = await gateway.project();
});
afterAll(() => gateway.close());

async function cacheControl(path: string, init: RequestInit = {}, withKey = true) {
  const headers = {
    ...(withKey ? { 'x-api-key': project.key } : {}),
    ...(init.headers as Record<string, string>),
  };
  const response = await fetch(gateway.baseUrl + path, { ...init, headers });
  await response.body?.cancel();
  return [response.status, response.headers.get('cache-control')];
}

const post = (body: unknown, more: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...more },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const QUERY = { query: '{ project { name } }' };

describe('responses of REST and GraphQL', () => {
  it.each<[string, string, RequestInit, number, boolean?]>([
    ['a list of lists', '/list', {}, 200],
    ['a HEAD', '/list', { method: 'HEAD' }, 200],
    ['an account that does not exist', '/account/nobody', {}, 400],
    ['a session', '/session', post({}), 200],
    ['a stored response', '/session', post({}, { 'idempotency-key': 'no-store' }), 200],
    ['malformed JSON', '/session', post('{'), 400],
    ['a body that is not JSON', '/session', post('a', { 'content-type': 'text/plain' }), 415],
    ['no key', '/list', {}, 401, false],
    ['a page without a project', '/session', post({}), 400, false],
    ['an unknown path', '/nowhere', {}, 404],
    ['a wrong method', '/list', { method: 'DELETE' }, 405],
    ['a body too large', '/session', post({ a: 'x'.repeat(300_000) }), 413],
    ['a query', '/graphql', post(QUERY), 200],
    ['a query by GET', `/graphql?query=${encodeURIComponent(QUERY.query)}`, {}, 200],
    ['a query with an error', '/graphql', post({ query: '{ nothing }' }), 200],
    ['a query without a key', '/graphql', post(QUERY), 401, false],
    ['a form', '/graphql', post('a=b', { 'content-type': 'application/x-www-form-urlencoded' }), 415],
    ['readiness', '/readyz', {}, 200],
    ['a missing image', `/media/${'0'.repeat(8)}/x`, {}, 404],
  ])('are not cacheable: %s', async (_what, path, init, status, withKey = true) => {
    const [actual, rule] = await cacheControl(path, init, withKey);
    expect([actual, String(rule).split(', ').includes('no-store')]).toEqual([status, true]);
  });

  it('are not cacheable as an event stream', async () => {
    const stream = post({ query: EVENTS }, { accept: 'text/event-stream' });
    expect(await cacheControl('/graphql', stream)).toEqual([200, 'no-store, no-transform']);
    const single = post(QUERY, { accept: 'text/event-stream' });
    expect(await cacheControl('/graphql', single)).toEqual([200, 'no-store']);
  });

  it('are not cacheable over the rate limit', async () => {
    const limited = await gateway.project();
    const headers = { 'x-api-key': limited.key };
    await Promise.all(Array.from({ length: 100 }, () => limited.rest('GET', '/account/x')));
    expect(await cacheControl('/list', { headers })).toEqual([429, 'no-store']);
    expect(await cacheControl('/graphql', post(QUERY, headers))).toEqual([429, 'no-store']);
  });
});

describe('pages', () => {
  it('have their own cache rules', async () => {
    expect(await cacheControl('/docs/swagger-ui.css', {}, false)).toEqual([200, 'public, max-age=86400']);
    expect(await cacheControl('/', {}, false)).toEqual([200, null]);
    expect(await cacheControl('/openapi.json', {}, false)).toEqual([200, null]);
    // The page changes with the gateway's version, and so do its files.
    expect(await cacheControl('/graphql', { headers: { accept: 'text/html' } }, false)).toEqual([
      200,
      'no-cache',
    ]);
  });
});
