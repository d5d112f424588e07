import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type DnsAnswer, type DnsServer, startDnsServer } from './dns-server-for-tests.ts';
import { createMailExchangers, type MailExchangers } from './mail-exchangers.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Of silence only; every other answer comes at once. */
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

describe('what a domain says of its mail', () => {
  test.each<[string, DnsAnswer, string]>([
    ['an exchange accepts', EXCHANGE, 'accepts'],
    ['no exchange and an address accepts', { address: [192, 0, 2, 1] }, 'accepts'],
    ['a domain that does not exist takes none', 'no-such-domain', 'none'],
    ['a null exchange takes none', NULL_EXCHANGE, 'none'],
    [
      'a null exchange beside another accepts',
      {
        exchanges: [
          { priority: 0, name: '' },
          { priority: 10, name: 'mx.example.net' },
        ],
      },
      'accepts',
    ],
    ['neither exchange nor address is unknown', 'empty', 'unknown'],
    ['a failing name server is unknown', 'failure', 'unknown'],
    ['silence is unknown', 'silence', 'unknown'],
  ])('%s', async (_case, answer, expected) => {
    say('acme-widgets.com', answer);
    expect(await exchangers.settled('acme-widgets.com')).toBe(expected);
  });
});

describe('a status', () => {
  test('is unknown at first and known once the background look-up is done', async () => {
    say('acme-widgets.com', EXCHANGE);
    expect(exchangers.status('acme-widgets.com')).toBe('unknown');
    await exchangers.settled('acme-widgets.com');
    expect(exchangers.status('acme-widgets.com')).toBe('accepts');
  });

  test('asks once, however often it is asked for meanwhile', async () => {
    for (let count = 0; count < 20; count += 1) exchangers.status('gone.example');
    expect(await exchangers.settled('gone.example')).toBe('none');
    expect(exchangers.status('gone.example')).toBe('none');
    expect(timesAsked('gone.example')).toBe(1);
  });

  test('that accepts is kept for a day, and asked anew in the second half of it', async () => {
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

  test('that is none is kept for an hour', async () => {
    expect(await exchangers.settled('gone.example')).toBe('none');
    nowMs += 59 * MINUTE_MS;
    expect(exchangers.status('gone.example')).toBe('none');
    await exchangers.settled('gone.example');
    nowMs += 61 * MINUTE_MS;
    say('gone.example', EXCHANGE);
    expect(exchangers.status('gone.example')).toBe('unknown');
    expect(await exchangers.settled('gone.example')).toBe('accepts');
  });

  test('of no domain, or of one that cannot be asked for, is unknown', async () => {
    expect(exchangers.status('')).toBe('unknown');
    for (const domain of ['a..b', `${'x'.repeat(300)}.com`]) {
      exchangers.status(domain);
      expect(await exchangers.settled(domain)).toBe('unknown');
    }
    expect(server.asked).not.toContain('');
  });

  test('of more new domains than may wait is unknown, and is asked for later', async () => {
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

describe('a resolver', () => {
  test('that says of everything that it does not exist is not believed', async () => {
    server.answers.clear();
    expect(exchangers.resolver).toBe('unknown');
    expect(await exchangers.settled('acme-widgets.com')).toBe('unknown');
    expect(exchangers.resolver).toBe('failing');
    expect(timesAsked('acme-widgets.com')).toBe(0);
  });

  test('that answers for one canary of two is not believed', async () => {
    say('outlook.com', 'failure');
    expect(await exchangers.settled('gone.example')).toBe('unknown');
  });

  test('that nobody can reach leaves everything unknown', async () => {
    await server.close();
    expect(await exchangers.settled('gone.example')).toBe('unknown');
    server = await startDnsServer();
  });

  test('that lost its way to the outside since the last check is not believed when it says none', async () => {
    say('acme-widgets.com', EXCHANGE);
    expect(await exchangers.settled('acme-widgets.com')).toBe('accepts');
    server.answers.clear();
    nowMs += 2 * MINUTE_MS;
    expect(await exchangers.settled('honest.example')).toBe('unknown');
    expect(exchangers.resolver).toBe('failing');
    expect(exchangers.status('acme-widgets.com')).toBe('unknown');
  });

  test('is asked again after five minutes and believed once it answers', async () => {
    say('gmail.com', 'failure');
    expect(await exchangers.settled('gone.example')).toBe('unknown');
    say('gmail.com', EXCHANGE);
    nowMs += 4 * MINUTE_MS;
    expect(await exchangers.settled('gone.example')).toBe('unknown');
    nowMs += 2 * MINUTE_MS;
    expect(await exchangers.settled('gone.example')).toBe('none');
  });

  test('is checked every five minutes without being asked for a domain', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await exchangers.settled('gone.example');
    expect(exchangers.resolver).toBe('healthy');
    server.answers.clear();
    vi.advanceTimersByTime(5 * MINUTE_MS);
    await vi.waitFor(() => expect(exchangers.resolver).toBe('failing'));
  });

  test('is asked twice for a canary, so that one lost packet costs nothing', async () => {
    say('gmail.com', 'silence');
    const status = exchangers.settled('gone.example');
    await vi.waitFor(() => expect(timesAsked('gmail.com')).toBe(1));
    say('gmail.com', EXCHANGE);
    expect(await status).toBe('none');
    expect(timesAsked('gmail.com')).toBeGreaterThan(1);
  });
});

describe('closed', () => {
  test('it asks nothing any more', async () => {
    exchangers.close();
    expect(exchangers.status('acme-widgets.com')).toBe('unknown');
    expect(await exchangers.settled('acme-widgets.com')).toBe('unknown');
    expect(server.asked).toEqual([]);
  });

  test('it gives up what is under way', async () => {
    server.fallback = 'silence';
    const status = exchangers.settled('acme-widgets.com');
    await vi.waitFor(() => expect(timesAsked('acme-widgets.com')).toBe(1));
    exchangers.close();
    expect(await status).toBe('unknown');
  });
});

test('a name server that is no address is refused', () => {
  expect(() => createMailExchangers({ servers: ['not an address'] })).toThrow();
});
