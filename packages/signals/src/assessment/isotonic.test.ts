import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyKnots, fitIsotonic, type LabeledScore } from './isotonic.ts';

const point: fc.Arbitrary<LabeledScore> = fc.record({
  score: fc.integer({ min: 0, max: 20 }).map((step) => step / 20),
  label: fc.constantFrom(0 as const, 1 as const),
});
const points = fc.array(point, { maxLength: 60 });

test('the map is non-decreasing and stays in 0..1', () => {
  fc.assert(
    fc.property(
      points,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (labeled, a, b) => {
        const knots = fitIsotonic(labeled);
        const [low, high] = [applyKnots(knots, Math.min(a, b)), applyKnots(knots, Math.max(a, b))];
        expect(low).toBeLessThanOrEqual(high);
        expect(low >= 0 && high <= 1).toBe(true);
      },
    ),
    { numRuns: 1000 },
  );
});

test('0 maps to 0 for any labels', () => {
  fc.assert(
    fc.property(points, (labeled) => {
      expect(applyKnots(fitIsotonic(labeled), 0)).toBe(0);
    }),
  );
});

test('the order of the points has no effect', () => {
  fc.assert(
    fc.property(points, (labeled) => {
      expect(fitIsotonic([...labeled].reverse())).toEqual(fitIsotonic(labeled));
    }),
  );
});

/** The least-squares monotone fit by its min-max formula (Robertson, Wright and Dykstra 1988, theorem 1.4.4). */
function byMinMax(labeled: readonly LabeledScore[]): Map<number, number> {
  const scores = [...new Set(labeled.map(({ score }) => score))].sort((a, b) => a - b);
  const mean = (from: number, to: number) => {
    const inside = labeled.filter(({ score }) => score >= from && score <= to);
    return inside.reduce((sum, { label }) => sum + label, 0) / inside.length;
  };
  return new Map(
    scores.map((score) => {
      const starts = scores.filter((start) => start <= score);
      const ends = scores.filter((end) => end >= score);
      return [score, Math.max(...starts.map((start) => Math.min(...ends.map((end) => mean(start, end)))))];
    }),
  );
}

test('with many labels the map is the least-squares monotone fit', () => {
  const manyTimes = fc
    .array(
      fc.record({
        score: fc.integer({ min: 1, max: 6 }).map((step) => step / 6),
        label: fc.constantFrom(0 as const, 1 as const),
      }),
      { minLength: 1, maxLength: 12 },
    )
    // With a thousand times as many labels the smoothing of small blocks has no effect.
    .map((labeled) => labeled.flatMap((one) => new Array<LabeledScore>(1000).fill(one)));
  fc.assert(
    fc.property(manyTimes, (labeled) => {
      const knots = fitIsotonic(labeled);
      for (const [score, value] of byMinMax(labeled)) {
        expect(applyKnots(knots, score)).toBeCloseTo(value, 2);
      }
    }),
    { numRuns: 60 },
  );
});

test('a few labels never produce certainty', () => {
  const [knot] = fitIsotonic([{ score: 0.9, label: 1 }]);
  expect(knot).toEqual({ score: 0.9, value: 0.75 });
  expect(fitIsotonic([])).toEqual([]);
  expect(applyKnots([], 0.4)).toBe(0.4);
});
