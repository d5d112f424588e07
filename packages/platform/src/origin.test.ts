import { expect, it } from 'vitest';
import { toOrigin } from './origin.ts';

it.each([
  ['https://shop.example', 'https://shop.example'],
  ['HTTPS://Shop.Example', 'https://shop.example'],
  ['https://shop.example:443', 'https://shop.example'],
  ['https://shop.example:8443', 'https://shop.example:8443'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['https://10.0.0.1', 'https://10.0.0.1'],
  ['https://[2001:db8::1]:444', 'https://[2001:db8::1]:444'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://app.localhost', 'http://app.localhost'],
  ['http://127.0.0.1:5173', 'http://127.0.0.1:5173'],
  ['http://[::1]:80', 'http://[::1]'],
])('%s is the origin %s', (text, origin) => {
  expect(toOrigin(text)).toBe(origin);
});

it.each([
  '',
  'shop.example',
  'null',
  '*',
  'https://',
  'https://*.shop.example',
  'https://shop.example/',
  'https://shop.example/checkout',
  'https://shop.example?x=1',
  'https://shop.example#top',
  'https://user@shop.example',
  'https://shop.example\\path',
  ' https://shop.example',
  'https://shop.example\n',
  'https://shop.example:99999',
  'http://shop.example',
  'http://localhost.shop.example',
  'ftp://shop.example',
  'chrome-extension://abcdef',
  `https://${'a'.repeat(300)}.example`,
])('%j is not a valid page origin', (text) => {
  expect(toOrigin(text)).toBeNull();
});
