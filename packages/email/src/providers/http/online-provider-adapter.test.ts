import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  GRAVATAR_KEY,
  HIBP_KEY,
  hibpBreach,
  type ProviderServer,
  startProviderServer,
} from '../../../../../test/support/email/provider-server.ts';
import { parseEmail } from '../../email-address.ts';
import type { EmailProvider, UnknownReason } from '../provider.ts';
import { createConfiguredProviders } from './configured-providers.ts';
import type { OnlineLimits } from './online-limits.ts';

let server: ProviderServer;
let nowMs = 0;
const problems: string[] = [];
const opened: EmailProvider[] = [];

beforeEach(async () => {
  server = await startProviderServer();
  nowMs = Date.parse('2026-11-22T12:00:00Z');
  problems.splice(0);
  // The circuit breaker reads Date; timers and the network stay real.
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs });
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((provider) => provider.close()));
  await server.close();
  vi.useRealTimers();
});

function advance(ms: number): void {
  nowMs += ms;
  vi.setSystemTime(nowMs);
}

function open(limits: Partial<OnlineLimits> = {}, key = HIBP_KEY) {
  const providers = createConfiguredProviders(
    {
      hibp: { key, url: `${server.url}/`, requests: 1000 },
      gravatar: { key: GRAVATAR_KEY, url: server.url, requests: 1000 },
    },
    { limits, onProblem: (provider, reason) => problems.push(`${provider} ${reason}`) },
  );
  opened.push(...providers);
  const [hibp, gravatar] = providers as [EmailProvider, EmailProvider];
  const ask =
    (provider: EmailProvider) =>
    (address: string, signal = new AbortController().signal) =>
      provider.lookUp(parseEmail(address), { signal });
  return { hibp, gravatar, askHibp: ask(hibp), askGravatar: ask(gravatar) };
}

const NOTHING = { isKnown: true, breaches: [], profiles: [] };
const unknown = (reason: UnknownReason) => ({ isKnown: false, reason });

test('breaches contain their flags', async () => {
  server.breaches.set('alice+x@example.com', [
    hibpBreach(),
    hibpBreach({ Name: 'Unsure', IsVerified: false, BreachDate: '2019-99-01' }),
    hibpBreach({ Name: 'Made up', IsFabricated: true, IsVerified: false }),
    hibpBreach({ Name: 'Spam', IsSpamList: true }),
    hibpBreach({ Name: 'Secret', IsSensitive: true }),
    { Name: 'Short' },
  ]);
  const { askHibp } = open();
  const answer = await askHibp(' Alice+X@Example.com ');
  const base = { country: null, industry: null };
  expect(answer).toEqual({
    isKnown: true,
    profiles: [],
    breaches: [
      { ...base, source: 'Adobe', date: '2013-10-04', trustWeight: 1 },
      { ...base, source: 'Unsure', date: null, trustWeight: 0.4 },
      { ...base, source: 'Made up', date: '2013-10-04', trustWeight: 0 },
      { ...base, source: 'Spam', date: '2013-10-04', trustWeight: 0.3 },
      { ...base, source: 'sensitive breach', date: '2013-10-04', trustWeight: 1 },
      { ...base, source: 'Short', date: null, trustWeight: 0.4 },
    ],
  });
  expect(server.paths).toEqual(['/api/v3/breachedaccount/alice%2Bx%40example.com?truncateResponse=false']);
});

test('a profile contains its accounts, and the address is not sent', async () => {
  server.profiles.set('alice@example.com', {
    display_name: 'Alice Example',
    profile_url: 'https://gravatar.com/alice',
    location: 'Berlin, Germany',
    registration_date: '2012-03-04T05:06:07Z',
    verified_accounts: [
      { service_type: 'github', service_label: 'GitHub', url: 'https://github.com/alice', is_hidden: false },
      { service_type: 'tumblr', service_label: 'Tumblr', url: 'javascript:alert(1)', is_hidden: false },
      { service_type: 'mastodon', service_label: 'Mastodon', url: 'https://m.example/@a', is_hidden: true },
    ],
    contact_info: { cell_phone: '+49 30 1234567', work_phone: 'ask me' },
  });
  const { askGravatar } = open();
  const account = { name: '', phones: [], country: '', since: null };
  expect(await askGravatar('Alice@Example.com')).toEqual({
    isKnown: true,
    breaches: [],
    profiles: [
      {
        service: 'gravatar',
        url: 'https://gravatar.com/alice',
        name: 'Alice Example',
        phones: ['+49 30 1234567'],
        country: 'DE',
        since: '2012-03-04',
      },
      { ...account, service: 'github', url: 'https://github.com/alice' },
      { ...account, service: 'tumblr', url: null },
    ],
  });
  expect(server.paths.join()).not.toContain('alice');
});

test('404 means no result; it is cached and requested again after expiry', async () => {
  const { askHibp, askGravatar } = open({ notFoundMs: 1000 });
  expect(await askHibp('nobody@example.com')).toEqual(NOTHING);
  expect(await askGravatar('nobody@example.com')).toEqual(NOTHING);
  expect(await askHibp('Nobody@example.com')).toEqual(NOTHING);
  expect(server.paths).toHaveLength(2);
  advance(1000);
  server.breaches.set('nobody@example.com', [hibpBreach()]);
  expect(await askHibp('nobody@example.com')).toMatchObject({ breaches: [{ source: 'Adobe' }] });
  expect(server.paths).toHaveLength(3);
});

const never = () => {};
const half = (_: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
  response.write('[{"Name":');
};
const trickle = (_: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 10);
  response.on('close', () => clearInterval(timer));
};
const huge = (_: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const send = () => {
    while (!response.destroyed && response.write(' '.repeat(64 * 1024)));
  };
  response.on('drain', send);
  send();
};
const reset = (request: IncomingMessage) => request.socket.resetAndDestroy();
const cutOff = (_: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { 'content-length': 1000 });
  response.write('[', () => response.destroy());
};
const status =
  (code: number, body = '', headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(code, headers).end(body);

const FAULTS: [string, ProviderServer['fault'], UnknownReason][] = [
  ['never responds', never, 'timeout'],
  ['responds with half a body', half, 'timeout'],
  ['responds one byte at a time', trickle, 'timeout'],
  ['responds endlessly', huge, 'too_large'],
  ['resets the connection', reset, 'unreachable'],
  ['truncates the body', cutOff, 'unreachable'],
  ['answers 500', status(500, 'oops'), 'server_error'],
  ['responds 503 with a long page', status(503, 'x'.repeat(200_000)), 'server_error'],
  ['responds with invalid JSON', status(200, '[{"Name":"Ado'), 'malformed'],
  ['responds with JSON of another shape', status(200, '{"breaches":[]}'), 'malformed'],
  ['responds with an empty body', status(200), 'malformed'],
  ['redirects', status(301, '', { location: 'http://169.254.169.254/' }), 'redirected'],
];

test.each(FAULTS)(
  'a provider that %s is unknown and not requested again after five failures',
  async (_what, fault, reason) => {
    const { hibp, askHibp } = open({
      timeoutMs: reason === 'timeout' ? 250 : 30_000,
      maxBytes: 100_000,
    });
    server.fault = fault;
    for (let index = 0; index < 5; index++)
      expect(await askHibp(`a${index}@example.com`)).toEqual(unknown(reason));
    expect(await askHibp('another@example.com')).toEqual(unknown('circuit_open'));
    expect(server.paths).toHaveLength(5);
    expect(problems).toEqual([`hibp ${reason}`]);
    expect(hibp.status()).toMatchObject({ isAvailable: false, breaker: 'open', problem: reason });
  },
);

test('a circuit breaker tries once after a pause, stays open longer after each failure, and closes after a success', async () => {
  const { hibp, askHibp } = open({ openMs: [1000, 5000], failures: 2, timeoutMs: 120_000 });
  server.fault = status(500);
  await askHibp('a@example.com');
  await askHibp('b@example.com');
  advance(999);
  expect(await askHibp('c@example.com')).toEqual(unknown('circuit_open'));
  expect(server.paths).toHaveLength(2);
  advance(1);
  // Half open: of two concurrent calls one sends a request, and the other does not wait for it.
  const held = Promise.withResolvers<ServerResponse>();
  server.fault = (_, response) => held.resolve(response);
  const tried = askHibp('c@example.com');
  expect(await askHibp('d@example.com')).toEqual(unknown('circuit_open'));
  (await held.promise).writeHead(500).end();
  expect(await tried).toEqual(unknown('server_error'));
  expect(server.paths).toHaveLength(3);
  advance(4999);
  expect(await askHibp('c@example.com')).toEqual(unknown('circuit_open'));
  advance(1);
  server.fault = null;
  expect(await askHibp('c@example.com')).toEqual(NOTHING);
  expect(hibp.status()).toMatchObject({ isAvailable: true, breaker: 'closed', problem: null });
  expect(await askHibp('d@example.com')).toEqual(NOTHING);
  // It failed twice in a row before it opened: one failure between successes does not open it.
  server.fault = status(500);
  await askHibp('e@example.com');
  server.fault = null;
  expect(await askHibp('f@example.com')).toEqual(NOTHING);
  server.fault = status(500);
  await askHibp('e@example.com');
  expect(hibp.status().breaker).toBe('closed');
});

test.each([
  ['seconds', { 'retry-after': '7' }, 7000],
  ['a date', { 'retry-after': new Date('2026-11-22T12:00:09Z').toUTCString() }, 9000],
  [
    'the end of the window',
    { 'x-ratelimit-reset': String(Date.parse('2026-11-22T12:00:11Z') / 1000) },
    11_000,
  ],
  ['nothing', {}, 60_000],
  ['a year', { 'retry-after': '31536000' }, 3_600_000],
])('after 429 with %s a provider receives no requests for that time', async (_what, headers, ms) => {
  const { hibp, askHibp } = open();
  server.fault = status(429, '{"statusCode":429}', headers);
  expect(await askHibp('a@example.com')).toEqual(unknown('rate_limited'));
  server.fault = null;
  advance(ms - 1);
  expect(await askHibp('a@example.com')).toEqual(unknown('rate_limited'));
  expect(hibp.status()).toMatchObject({ isAvailable: false, breaker: 'closed', problem: 'rate_limited' });
  expect(server.paths).toHaveLength(1);
  advance(1);
  expect(await askHibp('a@example.com')).toEqual(NOTHING);
  expect(problems).toEqual(['hibp rate_limited']);
});

test('a rejected key is reported once and retried after a pause', async () => {
  const { hibp, askHibp } = open({ refusedMs: 1000 }, 'wrong');
  expect(await askHibp('a@example.com')).toEqual(unknown('refused'));
  expect(await askHibp('b@example.com')).toEqual(unknown('refused'));
  expect(server.paths).toHaveLength(1);
  advance(1000);
  expect(await askHibp('b@example.com')).toEqual(unknown('refused'));
  expect(server.paths).toHaveLength(2);
  expect(problems).toEqual(['hibp refused']);
  expect(hibp.status()).toMatchObject({ isAvailable: false, problem: 'refused' });
  expect(JSON.stringify(hibp.status())).not.toContain('wrong');
});

test('an address that the provider rejects is unknown and not sent again', async () => {
  const { hibp, askHibp } = open();
  server.fault = status(400);
  for (let index = 0; index < 10; index++)
    expect(await askHibp('a@example.com')).toEqual(unknown('rejected'));
  expect(server.paths).toHaveLength(1);
  expect(hibp.status().breaker).toBe('closed');
});

test('an invalid address is not sent', async () => {
  const { askHibp } = open();
  expect(await askHibp('not an address')).toEqual(unknown('invalid_address'));
  expect(server.paths).toEqual([]);
});

test('concurrent callers of one address share a request', async () => {
  server.breaches.set('alice@example.com', [hibpBreach()]);
  const { askHibp } = open();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => askHibp(index % 2 ? 'Alice@example.com' : 'alice@example.com')),
  );
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toMatchObject({ breaches: [{ source: 'Adobe' }] });
  expect(server.paths).toHaveLength(1);
});

test('a caller that cancels returns immediately; the others receive their result', async () => {
  const { askHibp } = open();
  const held = Promise.withResolvers<ServerResponse>();
  server.fault = (_, response) => held.resolve(response);
  const leaving = new AbortController();
  const [left, stayed] = [askHibp('a@example.com', leaving.signal), askHibp('a@example.com')];
  const response = await held.promise;
  leaving.abort();
  expect(await left).toEqual(unknown('aborted'));
  response.writeHead(404).end();
  expect(await stayed).toEqual(NOTHING);
  expect(await askHibp('a@example.com', AbortSignal.abort())).toEqual(NOTHING);
  expect(await askHibp('b@example.com', AbortSignal.abort())).toEqual(unknown('aborted'));
});

test('the number of requests in any time window stays within the limit', async () => {
  const { askHibp, hibp } = open({ requests: 2, windowMs: 1000 });
  expect(await askHibp('a@example.com')).toEqual(NOTHING);
  advance(500);
  expect(await askHibp('b@example.com')).toEqual(NOTHING);
  expect(await askHibp('c@example.com')).toEqual(unknown('rate_limited'));
  expect(hibp.status().breaker).toBe('closed');
  advance(500);
  expect(await askHibp('c@example.com')).toEqual(NOTHING);
  expect(await askHibp('d@example.com')).toEqual(unknown('rate_limited'));
  // A cached result needs no request.
  expect(await askHibp('a@example.com')).toEqual(NOTHING);
});

test('lookups beyond the limit wait for a connection; a timeout is unknown and is not counted as a failure of the provider', async () => {
  const { hibp, askHibp } = open({ atOnce: 2, waitMs: 30, failures: 1 });
  const responses: ServerResponse[] = [];
  const two = Promise.withResolvers<void>();
  server.fault = (_, response) => {
    responses.push(response);
    if (responses.length === 2) two.resolve();
  };
  const asked = ['a', 'b', 'c', 'd'].map((name) => askHibp(`${name}@example.com`));
  await two.promise;
  expect(await asked[2]).toEqual(unknown('rate_limited'));
  expect(await asked[3]).toEqual(unknown('rate_limited'));
  const next = askHibp('e@example.com');
  server.fault = null;
  for (const response of responses) response.writeHead(404).end();
  expect(await Promise.all([asked[0], asked[1], next])).toEqual([NOTHING, NOTHING, NOTHING]);
  expect(server.paths).toHaveLength(3);
  expect(hibp.status().breaker).toBe('closed');
});

test('a limited number of the latest responses is cached', async () => {
  const { askHibp } = open({ cachedAnswers: 2 });
  for (const name of ['a', 'b', 'c', 'c', 'b', 'a']) await askHibp(`${name}@example.com`);
  expect(server.paths).toHaveLength(4);
});

test('closing aborts running requests and starts no others', async () => {
  const { hibp, askHibp } = open({ atOnce: 1 });
  const arrived = Promise.withResolvers<IncomingMessage>();
  server.fault = (request) => arrived.resolve(request);
  const answer = askHibp('a@example.com');
  const request = await arrived.promise;
  const waiting = askHibp('waiting@example.com');
  const gone = once(request.socket, 'close');
  await hibp.close();
  expect(await Promise.all([answer, waiting])).toEqual([unknown('closed'), unknown('closed')]);
  await gone;
  expect(await askHibp('b@example.com')).toEqual(unknown('closed'));
  expect(server.paths).toHaveLength(1);
});
