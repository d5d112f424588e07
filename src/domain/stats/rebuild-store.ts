import type { Statement } from '../../storage/database.ts';

/*
 * Statements of a rebuild, under the lock of the project's position. Counters of different kinds are recounted from different
 * tables, each within the retention of its rows.
 */

const CLEARED = `c.project_id = $1 and c.hour >= $2 and c.hour < $3
  and (c.kind = any($4::text[]) or (c.kind = 'session' and c.key = $5))`;

/**
 * Resets counters from $2 to before $3 to the part of erased rows: all of the kinds $4, and those of sessions with the key $5.
 */
export const CLEAR: Statement = {
  name: 'stats.clear',
  text: `with emptied as (delete from project_counters c where ${CLEARED} and c.removed = 0)
         update project_counters c set value = c.removed where ${CLEARED} and c.removed <> 0`,
};

/** The first decision and the first match from an id on; null if there is none. */
export const FIND_NEXT: Statement = {
  name: 'stats.find_next',
  text: `select (
           select decision_id from decisions where project_id = $1 and decision_id >= $2 order by decision_id limit 1
         ) as decision_id, (
           select match_id from rule_matches where project_id = $1 and match_id >= $2 order by match_id limit 1
         ) as match_id`,
};

/** Stores where an interrupted rebuild continues; null after completion. */
export const REMEMBER: Statement = {
  name: 'stats.remember_rebuild',
  text: 'update stats_positions set rebuilds_from = $2 where project_id = $1',
};
