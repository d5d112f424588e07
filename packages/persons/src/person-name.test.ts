import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameKey } from './person-name.ts';

test.each([
  [
    ['José', 'García'],
    ['GARCIA', 'jose'],
  ],
  [
    ['Łukasz', 'Żółć'],
    ['lukasz', 'zolc'],
  ],
  [
    ['Sean', "O'Neill"],
    ['sean', 'O’NEILL'],
  ],
  [
    ['Mary Ann', 'Smith-Jones'],
    ['mary', 'ann jones smith'],
  ],
  [
    ['Ｊａｎｅ', 'Doe'],
    ['Jane', ' Doe. '],
  ],
])('%j equals %j', (left, right) => {
  expect(nameKey(left[0]!, left[1]!)).toBe(nameKey(right[0]!, right[1]!));
});

test('different names have different keys', () => {
  expect(nameKey('Jane', 'Doe')).not.toBe(nameKey('Jane', 'Roe'));
  expect(nameKey('José', 'García')).toBe('garcia jose');
});

test('a name without a first or last part has no key', () => {
  for (const [first, last] of [
    ['', ''],
    ['Jane', ''],
    ['', 'Jane Doe'],
    ['Jane', ' - '],
  ]) {
    expect(nameKey(first!, last!)).toBe('');
  }
});

test('the key does not depend on the order of the fields, and is idempotent', () => {
  const name = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(name, name, (first, last) => {
      const key = nameKey(first, last);
      expect(nameKey(last, first)).toBe(key);
      const [word = '', ...rest] = key.split(' ');
      expect(nameKey(word, rest.join(' '))).toBe(key);
    }),
  );
});
