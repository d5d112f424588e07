import { expect, test } from 'vitest';
import { overridesOf, readMailDomain } from './domain-overrides.ts';

test.each([
  ['Example.COM', 'example.com'],
  [' mail.example.com. ', 'mail.example.com'],
  ['Bücher.de', 'xn--bcher-kva.de'],
  ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
])('%j is read as %s', (text, domain) => {
  expect(readMailDomain(text)).toEqual({ domain });
});

test.each(['co.uk', 'com', 'GITHUB.io', 'duckdns.org', 'CO.UK.', 'xn--p1ai', 'рф'])(
  '%j is a public suffix',
  (text) => {
    expect(readMailDomain(text)).toEqual({ refused: 'public_suffix' });
  },
);

test.each([
  ...[
    '',
    '.',
    'example',
    'localhost',
    'a@example.com',
    '@example.com',
    '*.example.com',
    '127.0.0.1',
    '[::1]',
  ],
  ...[
    'exa mple.com',
    'example.com/x',
    'https://example.com',
    '-a.com',
    'a..com',
    'mail.corp',
    `${'a'.repeat(64)}.com`,
  ],
])('%j is not a domain', (text) => {
  expect(readMailDomain(text)).toEqual({ refused: 'invalid' });
});

test('the override sets of a project are built once for each settings object', () => {
  const settings = { disposableDomains: ['a.com'], trustedDomains: [] };
  const overrides = overridesOf({ settings });
  expect(overrides).toEqual({ disposable: new Set(['a.com']), trusted: new Set() });
  expect(overridesOf({ settings })).toBe(overrides);
  expect(overridesOf({ settings: { ...settings } })).not.toBe(overrides);
});
