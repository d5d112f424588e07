import type { Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { type AddedCount, addCounts, type CountTransaction } from './count-store.ts';
import type { HourlyCounter } from './counters.ts';

/*
 * Statements of a rebuild. It counts rows and compares them with the counters in one snapshot, without locks, and then adds the
 * differences. All other writers only add to counters, so that a difference stays correct, whatever they add in between. Only
 * another rebuild must not add the same one: each advances `rebuild_steps`.
 */

export const READ_POSITION: Statement = {
  name: 'stats.read_position',
  text: 'select position, rebuilds_from, rebuild_steps from stats_positions where project_id = $1',
};

export type RebuildPosition = { position: string; rebuilds_from: Date | null; rebuild_steps: string };

/** The first decision and the first match from an id on; null if there is none. */
export const FIND_NEXT: Statement = {
  name: 'stats.find_next',
  text: `select (
           select decision_id from decisions where project_id = $1 and decision_id >= $2 order by decision_id limit 1
         ) as decision_id, (
           select match_id from rule_matches where project_id = $1 and match_id >= $2 order by match_id limit 1
         ) as match_id`,
};

/** Counters that are recounted: all of some kinds, and those of sessions with one key. */
export type CountersOf = {
  readonly from: Date;
  /** null: without end. */
  readonly before: Date | null;
  readonly kinds: readonly string[];
  readonly sessionKey: string | null;
};

const COMPARE = namedStatement(
  'stats.compare',
  `select hour, kind, key, coalesce(n.value, 0) + coalesce(c.removed, 0) - coalesce(c.value, 0) as value
         from (
           select hour, kind, key, value, removed from project_counters
           where project_id = :projectId and hour >= :from and hour < :before
             and (kind = any(:kinds::text[]) or (kind = 'session' and key = :sessionKey))
         ) c full join unnest(:countedHours::timestamptz[], :countedKinds::text[], :countedKeys::text[], :countedValues::bigint[])
           as n (hour, kind, key, value) using (hour, kind, key)
         where coalesce(n.value, 0) + coalesce(c.removed, 0) <> coalesce(c.value, 0)`,
);

/** What must be added to counters, so that each contains the counted rows and its part of erased rows. */
export function compareCounters(
  snapshot: CountTransaction,
  projectId: string,
  { from, before, kinds, sessionKey }: CountersOf,
  counted: readonly HourlyCounter[],
): Promise<AddedCount[]> {
  return snapshot.run<AddedCount>(
    ...COMPARE.call({
      projectId,
      from,
      before: before ?? 'infinity',
      kinds,
      sessionKey,
      countedHours: counted.map(({ hour }) => hour),
      countedKinds: counted.map(({ kind }) => kind),
      countedKeys: counted.map(({ key }) => key),
      countedValues: counted.map(({ value }) => value),
    }),
  );
}

/** Locks the position, and stores where an interrupted rebuild continues. No row after a step of another rebuild. */
const ADVANCE_REBUILD: Statement = {
  name: 'stats.advance_rebuild',
  text: `update stats_positions set rebuilds_from = $2, rebuild_steps = rebuild_steps + 1
         where project_id = $1 and rebuild_steps = $3 returning project_id`,
};

const DELETE_EMPTY: Statement = {
  name: 'stats.delete_empty',
  text: `delete from project_counters c using unnest($2::timestamptz[], $3::text[], $4::text[]) as n (hour, kind, key)
         where c.project_id = $1 and c.hour = n.hour and c.kind = n.kind and c.key = n.key
           and c.value = 0 and c.removed = 0`,
};

/** A step of a rebuild: differences that were found at a step, and where the rebuild continues. */
export type RebuildStep = {
  readonly steps: string;
  readonly rebuildsFrom: Date | null;
  readonly differences: readonly AddedCount[];
};

/** Adds the differences to the counters. False if another rebuild has made a step since. */
export async function applyStep(
  transaction: CountTransaction,
  projectId: string,
  { steps, rebuildsFrom, differences }: RebuildStep,
): Promise<boolean> {
  const [advanced] = await transaction.run(ADVANCE_REBUILD, [projectId, rebuildsFrom, steps]);
  if (!advanced) return false;
  await addCounts(transaction, projectId, differences);
  await transaction.run(DELETE_EMPTY, [
    projectId,
    differences.map(({ hour }) => hour),
    differences.map(({ kind }) => kind),
    differences.map(({ key }) => key),
  ]);
  return true;
}
