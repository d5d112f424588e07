import { foldCase } from '@vouchgraph/platform/fold-case';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameKey } from './person-name.ts';
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

test('keys of usernames and names do not differ between texts that are equal without case', () => {
  for (let code = 1; code <= 0x1_ffff; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const letter = String.fromCodePoint(code);
    for (const other of new Set([letter.toLowerCase(), letter.toUpperCase(), foldCase(letter)])) {
      if (foldCase(other) !== foldCase(letter)) continue;
      expect(usernameKey(`x${other}y`), `${letter} and ${other}`).toBe(usernameKey(`x${letter}y`));
      expect(nameKey(`x${other}y`, 'z'), `${letter} and ${other}`).toBe(nameKey(`x${letter}y`, 'z'));
    }
  }
});
