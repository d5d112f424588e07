import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { performanceOf } from './rule-performance.ts';

const count = fc.nat(1000);
const matches = fc.record({
  matchedFraud: count,
  matchedLegitimate: count,
  missedFraud: count,
  missedLegitimate: count,
});

describe('the performance of a condition', () => {
  it('equals the definition', () => {
    // Matched: 3 fraud of 4. Fraud: 3 matched of 5.
    const counts = { matchedFraud: 3, matchedLegitimate: 1, missedFraud: 2, missedLegitimate: 10 };
    expect(performanceOf(counts)).toEqual({
      labelledAccounts: 16,
      matchedFraud: 3,
      matchedLegitimate: 1,
      missedFraud: 2,
      precision: 0.75,
      recall: 0.6,
    });
  });

  it('is null without a labeled account; precision or recall is null without a match or without fraud', () => {
    const none = { matchedFraud: 0, matchedLegitimate: 0, missedFraud: 0, missedLegitimate: 0 };
    expect(performanceOf(none)).toBeNull();
    expect(performanceOf({ ...none, missedFraud: 2 })).toMatchObject({ precision: null, recall: 0 });
    expect(performanceOf({ ...none, matchedLegitimate: 2 })).toMatchObject({ precision: 0, recall: null });
    expect(performanceOf({ ...none, missedLegitimate: 2 })).toMatchObject({ precision: null, recall: null });
  });

  it('is between 0 and 1 and counts every labeled account', () => {
    fc.assert(
      fc.property(matches, (counts) => {
        const performance = performanceOf(counts);
        const total = Object.values(counts).reduce((sum, each) => sum + each, 0);
        expect(performance?.labelledAccounts ?? 0).toBe(total);
        for (const share of [performance?.precision, performance?.recall]) {
          if (share != null) expect(share >= 0 && share <= 1).toBe(true);
        }
      }),
    );
  });
});
