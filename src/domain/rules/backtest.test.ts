import { describe, expect, it } from 'vitest';
import { SAMPLE_SIZE, Tally } from './backtest.ts';

describe('Tally', () => {
  it('counts what held, what did not and what is unknown apart', () => {
    const tally = new Tally();
    tally.add(true, 'd1', 'a');
    tally.add(false, 'd2', 'b');
    tally.add(null, 'd3', 'c');
    tally.add(true, 'd4', 'a');
    expect(tally.counts()).toEqual({
      examined: 4,
      matched: 2,
      skipped: 1,
      accounts: 1,
      sample: ['d1', 'd4'],
    });
    expect(tally.accountIds).toEqual(['a']);
  });

  it.each([1, 19, 20, 21, 39, 40, 41, 1000, 12_345])('keeps a sample that is spread over %i matches', (n) => {
    const tally = new Tally();
    for (let index = 0; index < n; index += 1) tally.add(true, String(index), 'a');
    const places = tally.counts().sample.map(Number);
    expect(places.length).toBeLessThanOrEqual(SAMPLE_SIZE);
    expect(places.length).toBeGreaterThanOrEqual(Math.min(n, SAMPLE_SIZE / 2 + 1));
    expect(places[0]).toBe(0);
    const gaps = new Set(places.slice(1).map((place, index) => place - places[index]!));
    expect(gaps.size).toBeLessThanOrEqual(1);
    expect(n - places.at(-1)!).toBeLessThanOrEqual([...gaps, 1][0]!);
  });
});
