import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import type { Counter } from './counters.ts';
import type { StatsRange } from './stats-range.ts';

/** Start of the bucket of a time; days are in UTC. */
const startOf = (time: string) => `date_bin($4::interval, ${time}, timestamptz 'epoch')`;

/**
 * Counters per bucket, each by a range of the primary key. Stored outcomes are counted at read time, because reports are few and
 * can be retracted; counters contain erased ones.
 */
const READ: Statement = {
  name: 'stats.read',
  text: `select b.start, c.kind, c.key, c.value
         from generate_series(${startOf('$2::timestamptz')}, $3::timestamptz - interval '1 microsecond', $4::interval) as b (start)
         cross join lateral (
           select c.kind, c.key, sum(c.value)::float8 as value from project_counters c
           where c.project_id = $1 and c.hour >= greatest(b.start, $2) and c.hour < least(b.start + $4::interval, $3)
           group by c.kind, c.key
         ) c
         union all
         select ${startOf('o.reported_at')}, 'outcome', o.outcome, count(*)::float8
         from account_outcomes o where o.project_id = $1 and o.reported_at >= $2 and o.reported_at < $3
         group by 1, 3`,
};

/** Counters of a time range, summed per bucket, in any order. */
export function readCounters(
  database: ProjectDatabase,
  { since, until, lengthMs }: StatsRange,
): Promise<(Counter & { readonly start: Date })[]> {
  return database.query(READ, [database.projectId, since, until, `${lengthMs} milliseconds`]);
}
