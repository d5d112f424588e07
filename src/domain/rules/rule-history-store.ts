import { firstIdAt, LAST_ID } from '../../platform/ids.ts';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import type { ActionOutcome } from './apply-actions.ts';
import { MAX_COUNTED_MATCHES, type Rule } from './rule.ts';
import { type RuleRow, toRule } from './rule-store.ts';

/** A rule as it was from a moment on. */
export type RuleVersion = Rule & { readonly actor: string; readonly at: Date; readonly setVersion: number };

type RuleVersionRow = RuleRow & { actor: string; rules_version: number };

const VERSIONS: Statement = {
  name: 'rule.versions',
  text: `select v.rule_id, v.version, v.rules_version, v.name, v.description, v.trigger, v.state, v.paused, v.position,
           v.expression, v.actions, v.actor, v.created_at
         from unnest($2::uuid[]) as wanted (rule_id)
         cross join lateral (
           select * from rule_versions v
           where v.project_id = $1 and v.rule_id = wanted.rule_id and v.version < $3
           order by v.version desc limit $4
         ) v
         order by v.rule_id, v.version desc`,
};

/** The latest versions of rules before a version, the newest first, so many of each. */
export async function findRuleVersions(
  database: ProjectDatabase,
  ruleIds: readonly string[],
  before: number | null,
  limit: number,
): Promise<RuleVersion[]> {
  const values = [database.projectId, ruleIds, before ?? 2 ** 31 - 1, limit];
  const rows = await database.query<RuleVersionRow>(VERSIONS, values);
  return rows.map((row) => ({
    ...toRule(row),
    actor: row.actor,
    at: row.created_at,
    setVersion: row.rules_version,
  }));
}

/** A rule that matched an account in a session. */
export type RuleMatchRow = {
  match_id: string;
  rule_id: string;
  version: number;
  shadow: boolean;
  at: Date;
  /** The client's own id. */
  account_id: string;
  session_id: string;
  outcomes: ActionOutcome[];
};

const MATCHES: Statement = {
  name: 'rule.matches',
  text: `select m.* from unnest($2::uuid[]) as wanted (rule_id)
         cross join lateral (
           select m.match_id, m.rule_id, m.version, m.shadow, m.at, a.account_id, m.session_id, m.outcomes
           from rule_matches m join accounts a on a.project_id = $1 and a.id = m.account_id
           where m.project_id = $1 and m.rule_id = wanted.rule_id and m.match_id < $3
             and ($4::boolean is null or m.shadow = $4)
           order by m.match_id desc limit $5
         ) m
         order by m.rule_id, m.match_id desc`,
};

/** A page of the matches of rules, the newest first, so many of each. */
export function findRuleMatches(
  database: ProjectDatabase,
  ruleIds: readonly string[],
  { shadow, after, limit }: { shadow: boolean | null; after: string | null; limit: number },
): Promise<RuleMatchRow[]> {
  const values = [database.projectId, ruleIds, after ?? LAST_ID, shadow, limit];
  return database.query<RuleMatchRow>(MATCHES, values);
}

const COUNTS: Statement = {
  name: 'rule.match_counts',
  text: `select wanted.rule_id, m.live, m.shadow from unnest($2::uuid[]) as wanted (rule_id)
         cross join lateral (
           select (count(*) filter (where not latest.shadow))::int as live,
             (count(*) filter (where latest.shadow))::int as shadow
           from (
             select m.shadow from rule_matches m
             where m.project_id = $1 and m.rule_id = wanted.rule_id and m.match_id >= $3
             order by m.match_id desc limit ${MAX_COUNTED_MATCHES}
           ) latest
         ) m`,
};

export type RuleMatchCounts = { rule_id: string; live: number; shadow: number };

/** How often rules matched since a moment: those that acted, and those in shadow. */
export function countRuleMatches(
  database: ProjectDatabase,
  ruleIds: readonly string[],
  since: Date,
): Promise<RuleMatchCounts[]> {
  return database.query<RuleMatchCounts>(COUNTS, [database.projectId, ruleIds, firstIdAt(since)]);
}
