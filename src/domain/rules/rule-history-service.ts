import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import {
  countRuleMatches,
  findRuleMatches,
  findRuleVersions,
  type RuleMatchCounts,
  type RuleMatchRow,
  type RuleVersion,
} from './rule-history-store.ts';

export type { RuleMatchCounts, RuleMatchRow, RuleVersion } from './rule-history-store.ts';

/** The latest versions of several rules before a version, in the order of the rules' ids. */
export async function listRuleVersions(
  viewer: Viewer,
  ruleIds: readonly string[],
  before: number | null,
  limit: number,
): Promise<RuleVersion[][]> {
  assertMay(viewer, 'rule.read');
  const rows = await findRuleVersions(viewer.project.database, ruleIds, before, limit);
  const byRule = Map.groupBy(rows, (row) => row.ruleId);
  return ruleIds.map((id) => byRule.get(id) ?? []);
}

/** The same page of the matches of several rules, in the order of the rules' ids. */
export async function listRuleMatches(
  viewer: Viewer,
  ruleIds: readonly string[],
  page: { shadow: boolean | null; after: string | null; limit: number },
): Promise<RuleMatchRow[][]> {
  assertMay(viewer, 'rule.read');
  const rows = await findRuleMatches(viewer.project.database, ruleIds, page);
  const byRule = Map.groupBy(rows, (row) => row.rule_id);
  return ruleIds.map((id) => byRule.get(id) ?? []);
}

/** Number of matches of rules since a time, in the order of the rules' ids. */
export async function countMatchesOfRules(
  viewer: Viewer,
  ruleIds: readonly string[],
  since: Date,
): Promise<RuleMatchCounts[]> {
  assertMay(viewer, 'rule.read');
  const rows = await countRuleMatches(viewer.project.database, ruleIds, since);
  const byRule = new Map(rows.map((row) => [row.rule_id, row]));
  return ruleIds.map((id) => byRule.get(id) ?? { rule_id: id, live: 0, shadow: 0 });
}
