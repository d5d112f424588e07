import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistanceWithin, levenshtein } from './edit-distance.ts';

test.each([
  ['isla', 'isal', 1],
  ['isla', 'isl', 1],
  ['isla', 'isola', 1],
  ['isla', 'isma', 1],
  ['frnech.cmo', 'french.com', 2],
  ['ca', 'abc', 3],
  ['', 'abcd', 4],
])('%s and %s: %s', (one, other, expected) => {
  expect(editDistanceWithin(one, other, 4)).toBe(expected);
  expect(editDistanceWithin(other, one, 4)).toBe(expected);
  expect(editDistanceWithin(one, other, 0)).toBe(1);
});

test('a replaced character can cost more', () => {
  expect(editDistanceWithin('baker', 'wlker', 4, 2)).toBe(4);
  expect(editDistanceWithin('isla', 'isal', 4, 2)).toBe(1);
});

test('a distance within the limit does not depend on the limit', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 4 }), (one, other, limit) => {
      expect(editDistanceWithin(one, other, limit)).toBe(
        Math.min(editDistanceWithin(one, other, 20), limit + 1),
      );
    }),
  );
});

test.each([
  ['kitten', 'sitting', 3],
  ['', 'abc', 3],
  ['abc', 'abc', 0],
  ['isla', 'isal', 2],
  ['ca', 'abc', 3],
  ['frnech.cmo', 'french.com', 4],
])('without exchanges %s and %s: %s', (one, other, expected) => {
  expect(levenshtein(one, other)).toBe(expected);
  expect(levenshtein(other, one)).toBe(expected);
});
