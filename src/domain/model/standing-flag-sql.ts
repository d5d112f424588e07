/*
 * The columns by which accounts are listed (table `account_standing`) depend on their scores, links and lists. A statement
 * that changes these of other accounts than its own inserts flags for them. domain/accounts/standing-service.ts
 * recalculates flagged accounts.
 */

/** A CTE that flags the accounts that a query returns as `account_id`. */
export function flagStandings(accounts: string): string {
  return `insert into standing_flags (project_id, account_id) select $1, f.account_id from (${accounts}) f`;
}

/** Projects with accounts to recalculate. */
export const PROJECTS_WITH_STANDINGS_DUE =
  'select project_id from standing_flags union select project_id from standing_recalculations';
