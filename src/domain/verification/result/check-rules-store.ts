import type { ProjectDatabase, Row, Statement } from '../../../storage/database.ts';

/** A rule that was triggered for an account with a session, or that put the account on a list with an effect. */
export type CheckRule = {
  /** Internal id of the account. */
  readonly account: string;
  /** Null for the rule of a membership. */
  readonly sessionId: string | null;
  /** Name of the list; null for a rule that was triggered. */
  readonly list: string | null;
  /** The rule's current name. */
  readonly name: string;
};

/**
 * A membership contains the name of its rule at that time. Names are unique among rules that are not archived, so the rule
 * is the one whose version of that name is the latest before the membership. Clocks of two gateways may differ a little.
 */
const FIND: Statement = {
  name: 'rule.find_of_checks',
  text: `with w as materialized (select * from unnest($2::uuid[], $3::uuid[]) as w (account, session))
    select f.account, f."sessionId", f.list, f.name from (
      select w.account, w.session as "sessionId", null::text as list, r.name, m.at, r.position
      from w
      join rule_matches m on m.project_id = $1 and m.account_id = w.account and m.session_id = w.session and not m.shadow
      join rules r on r.project_id = $1 and r.rule_id = m.rule_id
      union all
      select a.account, null, l.name, r.name, null, null
      from (select distinct account from w) a
      join list_members m on m.project_id = $1 and m.account_id = a.account and m.source = 'rule'
        and (m.expires_at is null or m.expires_at > now())
      join lists l on l.project_id = $1 and l.list_id = m.list_id and l.effect <> 'none'
      cross join lateral (
        select v.rule_id from rule_versions v
        where v.project_id = $1 and v.name = substr(m.actor, 6)
        order by v.created_at <= m.added_at desc, abs(extract(epoch from v.created_at - m.added_at)) limit 1
      ) named
      join rules r on r.project_id = $1 and r.rule_id = named.rule_id
    ) f
    order by f.at, f.position, f.list, f.name`,
};

type Call = readonly [Statement, readonly unknown[]];

/** The statement that finds the rules behind the answers of checks, for all of them together. */
export function checkRulesCall(
  projectId: string,
  pairs: readonly { readonly account: string; readonly sessionId: string }[],
): Call {
  return [FIND, [projectId, pairs.map(({ account }) => account), pairs.map(({ sessionId }) => sessionId)]];
}

/** The rules behind the answers of checks; no statement without a pair. */
export async function findCheckRules(
  database: ProjectDatabase,
  pairs: readonly { readonly account: string; readonly sessionId: string }[],
): Promise<CheckRule[]> {
  if (pairs.length === 0) return [];
  return toCheckRules(await database.query(...checkRulesCall(database.projectId, pairs)));
}

/** The rows of `checkRulesCall`. */
export function toCheckRules(rows: readonly Row[]): CheckRule[] {
  return rows.map(({ account, sessionId, list, name }) => ({ account, sessionId, list, name }));
}
