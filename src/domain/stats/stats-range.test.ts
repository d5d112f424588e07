import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_STATS_DAYS, type StatsInterval, statsRange } from './stats-range.ts';

const DAY_MS = 86_400_000;
const intervals = fc.constantFrom<StatsInterval>('hour', 'day');

describe('the buckets of a time range', () => {
  it('are whole hours or days in UTC', () => {
    const since = new Date('2026-03-28T23:30:00Z');
    const until = new Date('2026-03-29T01:00:00Z');
    expect(statsRange('hour', since, until).starts.map((start) => start.toISOString())).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T00:00:00.000Z',
    ]);
    expect(statsRange('day', since, until)).toMatchObject({
      since: new Date('2026-03-28T00:00:00Z'),
      until: new Date('2026-03-30T00:00:00Z'),
    });
  });

  it('cover the range without gaps, up to the maximum range', () => {
    const times = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(intervals, times, fc.double({ min: 0, max: 1, noNaN: true }), (by, since, part) => {
        const until = new Date(since.getTime() + 1 + Math.floor(part * (MAX_STATS_DAYS[by] * DAY_MS - 1)));
        const range = statsRange(by, since, until);
        expect(range.since <= since && since.getTime() < range.since.getTime() + range.lengthMs).toBe(true);
        expect(range.until >= until && until.getTime() > range.until.getTime() - range.lengthMs).toBe(true);
        expect(range.starts.length * range.lengthMs).toBe(range.until.getTime() - range.since.getTime());
        range.starts.forEach((start, index) => {
          expect(start.getTime()).toBe(range.since.getTime() + index * range.lengthMs);
        });
      }),
    );
  });

  it('are rejected for an empty range and for a range that is too long', () => {
    const now = new Date('2026-03-28T12:34:56Z');
    for (const by of ['hour', 'day'] as const) {
      expect(() => statsRange(by, now, now)).toThrow('since: must be before until');
      const early = new Date(now.getTime() - (MAX_STATS_DAYS[by] + 3) * DAY_MS);
      expect(() => statsRange(by, early, now)).toThrow(`at most ${MAX_STATS_DAYS[by]} days`);
    }
  });
});
