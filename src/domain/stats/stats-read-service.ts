import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { type Counter, type StatsCounts, statsCounts } from './counters.ts';
import { type StatsInterval, type StatsRange, statsRange } from './stats-range.ts';
import { readCounters } from './stats-read-store.ts';

export type StatsBucket = { readonly start: Date; readonly end: Date; readonly counts: StatsCounts };

export type ProjectStats = Pick<StatsRange, 'by' | 'since' | 'until'> & {
  /** Buckets in chronological order, including empty ones. */
  readonly buckets: readonly StatsBucket[];
  readonly total: StatsCounts;
};

/** Statistics of the viewer's project. Throws `input.invalid` for an empty or too long range. */
export async function readStats(
  viewer: Viewer,
  { by, since, until, now }: { by: StatsInterval; since: Date; until: Date | null; now: Date },
): Promise<ProjectStats> {
  assertMay(viewer, 'stats.read');
  const range = statsRange(by, since, until !== null && until < now ? until : now);
  const rows = await readCounters(viewer.project.database, range);
  const byStart = Map.groupBy(rows, (row) => row.start.getTime());
  const counters: readonly Counter[] = rows;
  return {
    ...{ by, since: range.since, until: range.until },
    buckets: range.starts.map((start) => ({
      start,
      end: new Date(start.getTime() + range.lengthMs),
      counts: statsCounts(byStart.get(start.getTime()) ?? []),
    })),
    total: statsCounts(counters),
  };
}
