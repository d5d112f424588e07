import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type DnsAnswer, type DnsServer, startDnsServer } from '../../../test/support/email/dns-server.ts';
import { createMailExchangers, type MailExchangers } from './mail-exchangers-adapter.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Only after silence; every other response arrives at once. */
const TIMEOUT_MS = 100;

let server: DnsServer;
let exchangers: MailExchangers;
let nowMs: number;

beforeEach(async () => {
  nowMs = Date.parse('2026-06-01T00:00:00Z');
  server = await startDnsServer();
  exchangers = createMailExchangers({
    servers: [server.address],
    clock: { now: () => new Date(nowMs) },
    timeoutMs: TIMEOUT_MS,
  });
});

afterEach(async () => {
  vi.useRealTimers();
  exchangers.close();
  await server.close();
});

const timesAsked = (domain: string) => server.asked.filter((name) => name === domain).length;
const say = (domain: string, answer: DnsAnswer) => server.answers.set(domain, answer);
const EXCHANGE: DnsAnswer = { exchanges: [{ priority: 10, name: 'mx.example.net' }] };
const NULL_EXCHANGE: DnsAnswer = { exchanges: [{ priority: 0, name: '' }] };

describe('mail servers of a domain', () => {
  test.each<[string, DnsAnswer, string]>([
    ['are reported as accepting for an exchange', EXCHANGE, 'accepts'],
    ['are reported as accepting for an address without an exchange', { address: [192, 0, 2, 1] }, 'accepts'],
    ['are reported as none for a domain that does not exist', 'no-such-domain', 'none'],
    ['are reported as none for a null exchange', NULL_EXCHANGE, 'none'],
    [
      'are reported as accepting for a null exchange beside another one',
      {
        exchanges: [
          { priority: 0, name: '' },
          { priority: 10, name: 'mx.example.net' },
        ],
      },
      'accepts',
    ],
    ['are unknown with neither exchange nor address', 'empty', 'unknown'],
    ['are unknown for a failing name server', 'failure', 'unknown'],
    ['are unknown for a silent name server', 'silence', 'unknown'],
  ])('%s', async (_case, answer, expected) => {
    say('acme-widgets.com', answer);
    expect(await exchangers.settled('acme-widgets.com')).toBe(expected);
  });
});

describe('status', () => {
  test('is unknown at first and known after the background lookup', async () => {
    say('acme-widgets.com', EXCHANGE);
    expect(exchangers.status('acme-widgets.com')).toBe('unknown');
    await exchangers.settled('acme-widgets.com');
    expect(exchangers.status('acme-widgets.com')).toBe('accepts');
  });

  test('queries once for concurrent requests', async () => {
    for (let count = 0; count < 20; count += 1) exchangers.status('gone.example');
    expect(await exchangers.settled('gone.example')).toBe('none');
    expect(exchangers.status('gone.example')).toBe('none');
    expect(timesAsked('gone.example')).toBe(1);
  });

  test('with mail servers is cached for a day and refreshed in its second half', async () => {
    say('acme-widgets.com', EXCHANGE);
    await exchangers.settled('acme-widgets.com');
    nowMs += 11 * HOUR_MS;
    await exchangers.settled('acme-widgets.com');
    expect(timesAsked('acme-widgets.com')).toBe(1);
    nowMs += 2 * HOUR_MS;
    expect(exchangers.status('acme-widgets.com')).toBe('accepts');
    await exchangers.settled('acme-widgets.com');
    expect(timesAsked('acme-widgets.com')).toBe(2);
    nowMs += 25 * HOUR_MS;
    expect(exchangers.status('acme-widgets.com')).toBe('unknown');
  });

  test('without mail servers is cached for an hour', async () => {
    expect(await exchangers.settled('gone.example')).toBe('none');
    nowMs += 59 * MINUTE_MS;
    expect(exchangers.status('gone.example')).toBe('none');
    await exchangers.settled('gone.example');
    nowMs += 61 * MINUTE_MS;
    say('gone.example', EXCHANGE);
    expect(exchangers.status('gone.example')).toBe('unknown');
    expect(await exchangers.settled('gone.example')).toBe('accepts');
  });

  test('is unknown for an invalid domain and for one that cannot be queried', async () => {
    expect(exchangers.status('')).toBe('unknown');
    for (const domain of ['a..b', `${'x'.repeat(300)}.com`]) {
      exchangers.status(domain);
      expect(await exchangers.settled(domain)).toBe('unknown');
    }
    expect(server.asked).not.toContain('');
  });

  test('is unknown over the limit of new domains and queried later', async () => {
    let release = () => {};
    server.hold = new Promise((resolve) => {
      release = resolve;
    });
    const domains = Array.from({ length: 1500 }, (_, index) => `d${index}.example`);
    for (const domain of domains) expect(exchangers.status(domain)).toBe('unknown');
    server.hold = null;
    release();
    await Promise.all(domains.slice(0, 1000).map((domain) => exchangers.settled(domain)));
    expect(timesAsked('d999.example')).toBe(1);
    expect(timesAsked('d1400.example')).toBe(0);
    expect(await exchangers.settled('d1400.example')).toBe('none');
  });
});

test('a slow answer after quick ones is waited for, up to the time limit', async () => {
  const patient = createMailExchangers({
    servers: [server.address],
    clock: { now: () => new Date(nowMs) },
    timeoutMs: 30_000,
  });
  for (const domain of ['one.example', 'two.example', 'three.example'])
    expect(await patient.settled(domain)).toBe('none');
  const { promise, resolve } = Promise.withResolvers<void>();
  server.hold = promise;
  say('slow.example', EXCHANGE);
  const status = patient.settled('slow.example');
  // The resolver itself gives up here.
  await Promise.race([status, vi.waitFor(() => expect(timesAsked('slow.example')).toBe(2), 25_000)]);
  server.hold = null;
  resolve();
  expect(await status).toBe('accepts');
  patient.close();
}, 60_000);

describe('evidence', () => {
  const exchanges = (...records: [priority: number, name: string][]): DnsAnswer => ({
    exchanges: records.map(([priority, name]) => ({ priority, name })),
  });

  test.each<[string, DnsAnswer, Awaited<ReturnType<MailExchangers['settledEvidence']>>]>([
    [
      'contains the hosts in lower case, each once, the preferred ones first',
      exchanges([20, 'MX2.Example.net'], [10, 'mx1.example.net'], [30, 'mx1.example.net']),
      { exchange: 'accepts', hosts: ['mx1.example.net', 'mx2.example.net'], refusal: null },
    ],
    [
      'omits a null exchange beside another one',
      exchanges([0, ''], [10, 'mx.example.net']),
      { exchange: 'accepts', hosts: ['mx.example.net'], refusal: null },
    ],
    [
      'contains the domain itself when it has only an address',
      { address: [192, 0, 2, 1] },
      { exchange: 'accepts', hosts: ['acme-widgets.com'], refusal: null },
    ],
    ['contains a null MX record', NULL_EXCHANGE, { exchange: 'none', hosts: [], refusal: 'null_mx' }],
    [
      'is empty for a domain that does not exist',
      'no-such-domain',
      { exchange: 'none', hosts: [], refusal: 'no_such_domain' },
    ],
    ['is unknown without a response', 'failure', { exchange: 'unknown', hosts: [], refusal: null }],
    ['is unknown for an empty response', 'empty', { exchange: 'unknown', hosts: [], refusal: null }],
  ])('%s', async (_case, answer, expected) => {
    say('acme-widgets.com', answer);
    expect(await exchangers.settledEvidence('acme-widgets.com')).toEqual(expected);
    expect(exchangers.evidence('acme-widgets.com')).toEqual(expected);
    expect(exchangers.status('acme-widgets.com')).toBe(expected.exchange);
  });

  test('is unknown at first and queried once in the background with the status', async () => {
    say('acme-widgets.com', EXCHANGE);
    expect(exchangers.evidence('acme-widgets.com')).toEqual({
      exchange: 'unknown',
      hosts: [],
      refusal: null,
    });
    expect(exchangers.status('acme-widgets.com')).toBe('unknown');
    expect(await exchangers.settledEvidence('acme-widgets.com')).toMatchObject({ hosts: ['mx.example.net'] });
    expect(timesAsked('acme-widgets.com')).toBe(1);
  });

  test('contains at most ten hosts of a domain', async () => {
    say(
      'acme-widgets.com',
      exchanges(
        ...Array.from({ length: 15 }, (_, index) => [index, `mx${index}.example.net`] as [number, string]),
      ),
    );
    const { hosts } = await exchangers.settledEvidence('acme-widgets.com');
    expect(hosts).toEqual(Array.from({ length: 10 }, (_, index) => `mx${index}.example.net`));
  });

  test('expires, and is not used while the resolver is untrusted', async () => {
    say('acme-widgets.com', EXCHANGE);
    await exchangers.settledEvidence('acme-widgets.com');
    nowMs += 25 * HOUR_MS;
    expect(exchangers.evidence('acme-widgets.com')).toMatchObject({ exchange: 'unknown', hosts: [] });
    await exchangers.settledEvidence('acme-widgets.com');
    server.answers.clear();
    nowMs += 6 * MINUTE_MS;
    expect(await exchangers.settledEvidence('gone.example')).toMatchObject({
      exchange: 'unknown',
      refusal: null,
    });
    expect(exchangers.evidence('acme-widgets.com')).toMatchObject({ exchange: 'unknown', hosts: [] });
  });
});

describe('resolver', () => {
  test('is untrusted when it denies every domain', async () => {
    server.answers.clear();
    expect(exchangers.resolver).toBe('unknown');
    expect(await exchangers.settled('acme-widgets.com')).toBe('unknown');
    expect(exchangers.resolver).toBe('failing');
    expect(timesAsked('acme-widgets.com')).toBe(0);
  });

  test('is untrusted when it answers for only one of two canaries', async () => {
    say('outlook.com', 'failure');
    expect(await exchangers.settled('gone.example')).toBe('unknown');
  });

  test('that is unreachable leaves every status unknown', async () => {
    await server.close();
    expect(await exchangers.settled('gone.example')).toBe('unknown');
    server = await startDnsServer();
  });

  test('is not trusted with a denial when it lost its upstream since the last check', async () => {
    say('acme-widgets.com', EXCHANGE);
    expect(await exchangers.settled('acme-widgets.com')).toBe('accepts');
    server.answers.clear();
    nowMs += 2 * MINUTE_MS;
    expect(await exchangers.settled('honest.example')).toBe('unknown');
    expect(exchangers.resolver).toBe('failing');
    expect(exchangers.status('acme-widgets.com')).toBe('unknown');
  });

  test('is checked again after five minutes and trusted after an answer', async () => {
    say('gmail.com', 'failure');
    expect(await exchangers.settled('gone.example')).toBe('unknown');
    say('gmail.com', EXCHANGE);
    nowMs += 4 * MINUTE_MS;
    expect(await exchangers.settled('gone.example')).toBe('unknown');
    nowMs += 2 * MINUTE_MS;
    expect(await exchangers.settled('gone.example')).toBe('none');
  });

  test('is checked every five minutes even without lookups', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await exchangers.settled('gone.example');
    expect(exchangers.resolver).toBe('healthy');
    server.answers.clear();
    vi.advanceTimersByTime(5 * MINUTE_MS);
    await vi.waitFor(() => expect(exchangers.resolver).toBe('failing'), 50_000);
  });

  test('is queried twice for a canary, so that one lost packet has no effect', async () => {
    say('gmail.com', 'silence');
    const status = exchangers.settled('gone.example');
    await vi.waitFor(() => expect(timesAsked('gmail.com')).toBe(1), 50_000);
    say('gmail.com', EXCHANGE);
    expect(await status).toBe('none');
    expect(timesAsked('gmail.com')).toBeGreaterThan(1);
  });
});

describe('after close', () => {
  test('no more queries are sent', async () => {
    exchangers.close();
    expect(exchangers.status('acme-widgets.com')).toBe('unknown');
    expect(await exchangers.settled('acme-widgets.com')).toBe('unknown');
    expect(server.asked).toEqual([]);
  });

  test('running queries are canceled', async () => {
    server.fallback = 'silence';
    const status = exchangers.settled('acme-widgets.com');
    await vi.waitFor(() => expect(timesAsked('acme-widgets.com')).toBe(1), 50_000);
    exchangers.close();
    expect(await status).toBe('unknown');
  });
});

test('a name server that is not an address is rejected', () => {
  expect(() => createMailExchangers({ servers: ['not an address'] })).toThrow();
});
