import fc from 'fast-check';
import { expect, test } from 'vitest';
import { usernameKey } from './username.ts';

test.each([
  ['pаypal', 'paypal'],
  ['PAYPAL', ' paypal '],
  ['ｐａｙｐａｌ', 'paypal'],
  ['pay\u200bpal', 'paypal'],
  ['раураӏ1', 'paypal1'],
  ['José', 'jose'],
  ['Straße', 'STRASSE'],
  ['саша', 'САША'],
  ['𝓳𝓸𝓱𝓷', 'john'],
])('%s equals %s', (left, right) => {
  expect(usernameKey(left)).toBe(usernameKey(right));
});

test.each([
  ['john_doe', 'johndoe'],
  ['john1', 'johnl'],
  ['медаль', 'мелаль'],
  ['дима', 'лима'],
  ['用户一', '用户二'],
])('%s differs from %s', (left, right) => {
  expect(usernameKey(left)).not.toBe(usernameKey(right));
});

test('a username without visible characters has no key', () => {
  for (const text of ['', '  ', '\u200b\u2060']) expect(usernameKey(text)).toBe('');
});

test('the key is idempotent', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })), (text) => {
      const once = usernameKey(text);
      expect(usernameKey(once)).toBe(once);
    }),
    { numRuns: 2000 },
  );
});
