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
])('without transpositions %s and %s: %s', (one, other, expected) => {
  expect(levenshtein(one, other)).toBe(expected);
  expect(levenshtein(other, one)).toBe(expected);
});

/** The complete matrix, without a limit. */
function distanceOf(one: string, other: string, replacing: number, exchanging: number): number {
  const rows: number[][] = [];
  for (let at = 0; at <= one.length; at++) {
    rows.push([]);
    for (let place = 0; place <= other.length; place++) {
      const costs =
        at === 0 || place === 0 ? [at + place] : [rows[at - 1]![place]! + 1, rows[at]![place - 1]! + 1];
      const isEqual = one[at - 1] === other[place - 1];
      if (at > 0 && place > 0) costs.push(rows[at - 1]![place - 1]! + (isEqual ? 0 : replacing));
      const isExchanged = one[at - 1] === other[place - 2] && one[at - 2] === other[place - 1];
      if (at > 1 && place > 1 && isExchanged) costs.push(rows[at - 2]![place - 2]! + exchanging);
      rows[at]!.push(Math.min(...costs));
    }
  }
  return rows[one.length]![other.length]!;
}

test('the distance equals that of the complete matrix', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 10 });
  const cost = fc.integer({ min: 1, max: 2 });
  fc.assert(
    fc.property(
      word,
      word,
      fc.integer({ min: 0, max: 5 }),
      cost,
      cost,
      (one, other, limit, replacing, exchanging) => {
        expect(editDistanceWithin(one, other, limit, replacing, exchanging)).toBe(
          Math.min(distanceOf(one, other, replacing, exchanging), limit + 1),
        );
      },
    ),
    { numRuns: 2000 },
  );
});
