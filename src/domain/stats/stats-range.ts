import { invalidInput } from '@vouchgraph/platform/errors';
import { DAY_MS, HOUR_MS } from './counters.ts';

export type StatsInterval = 'hour' | 'day';

/** Maximum range of statistics, in days. */
export const MAX_STATS_DAYS: Readonly<Record<StatsInterval, number>> = { hour: 31, day: 366 };

const LENGTH_MS: Readonly<Record<StatsInterval, number>> = { hour: HOUR_MS, day: DAY_MS };

/** Whole buckets in UTC; `until` is the end of the last one. */
export type StatsRange = {
  readonly by: StatsInterval;
  readonly since: Date;
  readonly until: Date;
  readonly starts: readonly Date[];
  readonly lengthMs: number;
};

/**
 * The buckets of a time range, from that of `since` to that of the last millisecond before `until`.
 * @throws input.invalid when `since` is not before `until`, or the range is longer than `MAX_STATS_DAYS`.
 */
export function statsRange(by: StatsInterval, since: Date, until: Date): StatsRange {
  if (since >= until) throw invalidInput('since: must be before until, and in the past', ['since']);
  const lengthMs = LENGTH_MS[by];
  const first = Math.floor(since.getTime() / lengthMs) * lengthMs;
  const end = Math.ceil(until.getTime() / lengthMs) * lengthMs;
  const days = MAX_STATS_DAYS[by];
  // A range that starts within a bucket can include one more bucket.
  if (end - first > days * DAY_MS + lengthMs) {
    throw invalidInput(`since: must be at most ${days} days before until, by ${by.toUpperCase()}`, ['since']);
  }
  const starts = Array.from(
    { length: (end - first) / lengthMs },
    (_, index) => new Date(first + index * lengthMs),
  );
  return { by, since: new Date(first), until: new Date(end), starts, lengthMs };
}
