import type { Statement } from '../../storage/database.ts';

/*
 * Statements of a rebuild, under the lock of the project's position. Counters of different kinds are recounted from different
 * tables, each within the retention of its rows.
 */

const OF_DECISIONS = `(c.kind in ('decision', 'signal', 'rule') or (c.kind = 'session' and c.key = 'bound'))`;

/** Deletes counters of decisions and rule matches, from $2 to before $3. */
export const CLEAR_DECISIONS: Statement = {
  name: 'stats.clear_decisions',
  text: `delete from project_counters c
         where c.project_id = $1 and c.hour >= $2 and c.hour < $3 and ${OF_DECISIONS}`,
};

export const CLEAR_SESSIONS: Statement = {
  name: 'stats.clear_sessions',
  text: `delete from project_counters c
         where c.project_id = $1 and c.hour >= $2 and c.kind = 'session' and c.key = 'completed'`,
};

export const CLEAR_CHECKS: Statement = {
  name: 'stats.clear_checks',
  text: `delete from project_counters c where c.project_id = $1 and c.hour >= $2 and c.kind = 'check'`,
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
