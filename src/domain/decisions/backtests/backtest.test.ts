import { describe, expect, it } from 'vitest';
import { SAMPLE_SIZE, Tally } from './backtest.ts';

const tried = (decisionId: string, accountId: string, sessionId: string) => ({
  decisionId,
  accountId,
  sessionId,
});

describe('Tally', () => {
  it('counts confirmed, refuted and unknown matches separately', () => {
    const tally = new Tally();
    tally.add(true, tried('d1', 'a', 's1'));
    tally.add(false, tried('d2', 'b', 's2'));
    tally.add(null, tried('d3', 'c', 's3'));
    tally.add(true, tried('d4', 'a', 's4'));
    expect(tally.counts()).toEqual({
      examined: 4,
      matched: 2,
      skipped: 1,
      accounts: 1,
      sample: ['d1', 'd4'],
    });
    expect(tally.accountIds).toEqual(['a']);
    expect(tally.takeMatches()).toEqual(['d1', 'd4']);
    tally.add(true, tried('d5', 'b', 's5'));
    expect([tally.takeMatches(), tally.takeMatches()]).toEqual([['d5'], []]);
  });

  it('counts an account with a session once and ignores decisions of other triggers', () => {
    const tally = new Tally();
    tally.add(true, tried('d1', 'a', 's1'));
    tally.add(true, tried('d2', 'a', 's1'));
    tally.add(true, tried('d3', 'b', 's1'));
    tally.exclude();
    expect(tally.counts()).toEqual({
      examined: 3,
      matched: 2,
      skipped: 0,
      accounts: 2,
      sample: ['d1', 'd3'],
    });
    expect(tally.excluded).toBe(1);
  });

  it.each([1, 19, 20, 21, 39, 40, 41, 1000, 12_345])('keeps a sample that is spread over %i matches', (n) => {
    const tally = new Tally();
    for (let index = 0; index < n; index += 1) tally.add(true, tried(String(index), 'a', `s${index}`));
    const places = tally.counts().sample.map(Number);
    expect(places.length).toBeLessThanOrEqual(SAMPLE_SIZE);
    expect(places.length).toBeGreaterThanOrEqual(Math.min(n, SAMPLE_SIZE / 2 + 1));
    expect(places[0]).toBe(0);
    const gaps = new Set(places.slice(1).map((place, index) => place - places[index]!));
    expect(gaps.size).toBeLessThanOrEqual(1);
    expect(n - places.at(-1)!).toBeLessThanOrEqual([...gaps, 1][0]!);
  });
});
