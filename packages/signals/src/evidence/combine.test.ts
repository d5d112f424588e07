import fc from 'fast-check';
import { expect, test } from 'vitest';
import { combine } from './combine.ts';

const contributions = fc.array(
  fc.record({
    group: fc.constantFrom('a', 'b', 'c', 'd'),
    value: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { maxLength: 12 },
);

test('no contributions combine to exactly 0', () => {
  expect(combine([])).toBe(0);
});

test('one contribution combines to itself', () => {
  expect(combine([{ group: 'a', value: 0.7 }])).toBe(0.7);
});

test('the largest contribution of a group counts, and those of different groups add up', () => {
  expect(
    combine([
      { group: 'a', value: 0.5 },
      { group: 'a', value: 0.4 },
    ]),
  ).toBe(0.5);
  expect(
    combine([
      { group: 'a', value: 0.5 },
      { group: 'b', value: 0.4 },
    ]),
  ).toBe(0.7);
});

test('any number of faint contributions combine to 0', () => {
  const faint = Array.from({ length: 50 }, (_, group) => ({ group: `${group}`, value: 0.049 }));
  expect(combine(faint)).toBe(0);
});

test('values out of range and missing values have no effect', () => {
  expect(combine([{ group: 'a', value: 7 }])).toBe(1);
  expect(
    combine([
      { group: 'a', value: Number.NaN },
      { group: 'b', value: -1 },
    ]),
  ).toBe(0);
});

test('a score is in 0..1 with four decimals for any input', () => {
  fc.assert(
    fc.property(contributions, (list) => {
      const score = combine(list);
      expect(score >= 0 && score <= 1).toBe(true);
      expect(Number(score.toFixed(4))).toBe(score);
    }),
  );
});

test('another contribution never lowers a score, and the order has no effect', () => {
  fc.assert(
    fc.property(contributions, contributions, (list, more) => {
      expect(combine([...list, ...more])).toBeGreaterThanOrEqual(combine(list));
      expect(combine([...more, ...list])).toBe(combine([...list, ...more]));
    }),
  );
});
