import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { isLoopbackHost, isOfLocalPage } from './offered-key.ts';

const HEADERS = {
  host: 'localhost:4000',
  origin: 'http://localhost:4000',
  'sec-fetch-site': 'same-origin',
};

type Parts = { address?: string; version?: string; headers?: Record<string, string | undefined> };

function request({ address = '127.0.0.1', version = '1.1', headers = {} }: Parts): IncomingMessage {
  const all = Object.entries({ ...HEADERS, ...headers }).filter(([, value]) => value !== undefined);
  return {
    socket: { remoteAddress: address },
    httpVersion: version,
    headers: Object.fromEntries(all),
  } as unknown as IncomingMessage;
}

describe('a loopback page', () => {
  it.each<[string, Parts]>([
    ['the page itself', {}],
    ['IPv6', { address: '::1', headers: { host: '[::1]:4000', origin: 'http://[::1]:4000' } }],
    ['an IPv4-mapped address', { address: '::ffff:127.0.0.1' }],
    ['an address of 127/8', { headers: { host: '127.0.0.2:80', origin: 'http://127.0.0.2:80' } }],
    ['a browser without fetch metadata', { headers: { 'sec-fetch-site': undefined } }],
  ])('is recognized: %s', (_what, parts) => expect(isOfLocalPage(request(parts))).toBe(true));

  it.each<[string, Parts]>([
    ['another machine', { address: '192.168.1.5' }],
    ['an address with the prefix of loopback', { address: '::ffff:12.7.0.1' }],
    [
      'a foreign name that resolves to loopback',
      { headers: { host: 'evil.example:4000', origin: 'http://evil.example:4000' } },
    ],
    ['a name that starts with localhost', { headers: { host: 'localhost.evil.example' } }],
    ['a page of another port', { headers: { origin: 'http://localhost:3000' } }],
    ['a page of a foreign site', { headers: { origin: 'https://evil.example' } }],
    ['a page in a sandboxed frame', { headers: { origin: 'null' } }],
    ['a request without an origin', { headers: { origin: undefined } }],
    ['a page of the same site', { headers: { 'sec-fetch-site': 'same-site' } }],
    ['a proxy that names the client', { headers: { 'x-forwarded-for': '203.0.113.9' } }],
    ['a tunnel that names the host', { headers: { 'x-forwarded-host': 'demo.example' } }],
    ['a proxy with Via', { headers: { via: '1.1 proxy' } }],
    ['a proxy that speaks HTTP/1.0', { version: '1.0' }],
  ])('is not recognized: %s', (_what, parts) => expect(isOfLocalPage(request(parts))).toBe(false));
});

it('the host names of loopback are recognized', () => {
  const loopback = ['localhost', 'LOCALHOST:80', '127.0.0.1', '127.1.2.3:4000', '[::1]', '[::1]:4000'];
  const others = [
    '',
    '127.0.0.1.example',
    'localhost:',
    'localhost:80:80',
    '[::2]',
    '0.0.0.0',
    '127.1',
    '::1',
  ];
  expect(loopback.filter((host) => !isLoopbackHost(host))).toEqual([]);
  expect(others.filter(isLoopbackHost)).toEqual([]);
});
