import fc from 'fast-check';
import { expect, test } from 'vitest';
import { equalsFolded, foldCase } from './fold-case.ts';

/** Letters that fold into others, combine with adjacent letters or only look similar. */
const tricky = fc
  .array(
    fc.constantFrom(
      'a',
      'A',
      'e',
      'E',
      'k',
      'K',
      '\u212a',
      'i',
      'I',
      'İ',
      'ı',
      'é',
      'É',
      '\u0301',
      '\u0307',
      'ß',
      'ẞ',
      'Σ',
      'σ',
      'ς',
      '@',
      '[',
      '{',
    ),
    { maxLength: 6 },
  )
  .map((letters) => letters.join(''));

test('comparing in place equals comparing folded texts', () => {
  fc.assert(
    fc.property(tricky, tricky, (a, b) => {
      expect(equalsFolded(a, foldCase(b))).toBe(foldCase(a) === foldCase(b));
      expect(equalsFolded(a, foldCase(a))).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['Chrome', 'CHROME'],
  ['e\u0301', 'É'],
  ['\u212a', 'k'],
])('%s is %s', (a, b) => {
  expect(equalsFolded(a, foldCase(b))).toBe(true);
});

test.each([
  ['a', 'á'],
  ['e', 'e\u0301'],
  ['@', '`'],
  ['[', '{'],
  ['ab', 'a'],
  ['a', 'ab'],
  ['ı', 'i'],
])('%s is not %s', (a, b) => {
  expect(equalsFolded(a, foldCase(b))).toBe(false);
});
