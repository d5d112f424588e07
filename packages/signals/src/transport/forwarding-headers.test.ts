import { formatIp, parseIp } from '@vouchgraph/platform/ip/ip-number';
import { describe, expect, test } from 'vitest';
import { clientProxyInVia, forwardedClaims } from './forwarding-headers.ts';

const CLIENT = parseIp('8.8.8.8')!;
const claims = (headers: Record<string, string>) => forwardedClaims(headers, CLIENT).map(formatIp);

describe('forwarded addresses of a request', () => {
  test('are the addresses that the trusted proxies wrote to X-Forwarded-For', () => {
    expect(claims({ 'x-forwarded-for': '81.2.69.142, 10.0.0.7, 8.8.8.8, 172.16.0.1' })).toEqual([
      '81.2.69.142',
      '10.0.0.7',
    ]);
    expect(claims({ 'x-forwarded-for': '8.8.8.8, 172.16.0.1' })).toEqual([]);
  });

  test('are all addresses of the header when no trusted proxy added one', () => {
    expect(claims({ 'x-forwarded-for': '81.2.69.142' })).toEqual(['81.2.69.142']);
  });

  test('are read from Forwarded, with ports, quotes and brackets', () => {
    const forwarded =
      'by=10.0.0.1;For="[2a00:1450::1]:4711";proto=https, for=81.2.69.142:80, for=_hidden, for=8.8.8.8';
    expect(claims({ forwarded })).toEqual(['2a00:1450::1', '81.2.69.142']);
  });

  test.each(['', 'unknown', ',,,;;;=', 'for=', '[', '8.8.8', '"'.repeat(5000)])(
    'are empty for %.20s',
    (text) => {
      expect(claims({ 'x-forwarded-for': text, forwarded: text })).toEqual([]);
    },
  );

  test('are empty without headers', () => {
    expect(claims({})).toEqual([]);
  });
});

describe('the proxy of the client in Via', () => {
  test.each([
    ['1.1 proxy01.corp.example (squid/5.7)', 'Squid'],
    ['1.1 zscaler.net, 1.1 varnish', 'Zscaler'],
    ['1.1 10.0.0.4 (Privoxy)', 'Privoxy'],
    ['1.1 gw7.example', ''],
  ])('%s is %o', (via, proxy) => {
    expect(clientProxyInVia(via)).toBe(proxy);
  });

  test.each([
    undefined,
    '',
    '1.1 varnish',
    '1.1 google',
    '1.1 abc.cloudfront.net (CloudFront)',
    '1.1 vegur',
    '1.1 Caddy',
  ])('%s is not a client proxy', (via) => {
    expect(clientProxyInVia(via)).toBeNull();
  });
});
