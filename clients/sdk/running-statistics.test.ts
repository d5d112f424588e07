import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRunningStatistics } from './running-statistics.ts';

function statisticsOf(values: readonly number[]) {
  const statistics = createRunningStatistics();
  for (const value of values) statistics.add(value);
  return statistics;
}

describe('running statistics', () => {
  test('equal the values computed from all numbers', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 2 }), (values) => {
        const statistics = statisticsOf(values);
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
        expect(statistics.count()).toBe(values.length);
        expect(statistics.mean()).toBeCloseTo(mean, 6);
        expect(statistics.deviation()).toBeCloseTo(Math.sqrt(variance), 6);
      }),
    );
  });

  test('have no deviation for a single number', () => {
    expect(statisticsOf([140]).deviation()).toBe(0);
  });

  test('have zero deviation for equal intervals of any count', () => {
    expect(statisticsOf(Array.from({ length: 1000 }, () => 0.1)).deviation()).toBeCloseTo(0, 9);
  });
});
