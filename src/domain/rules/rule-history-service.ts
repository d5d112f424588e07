import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import {
  countFoundMatches,
  countMatches,
  countRuleMatches,
  countRuleVersions,
  findRuleMatches,
  findRulesWithMatches,
  findRuleVersions,
  type MatchPage,
  type MatchQuery,
  type RuleMatchCounts,
  type RuleMatchFilter,
  type RuleMatchKey,
  type RuleVersionKey,
  type RuleWithMatches,
  searchRuleMatches,
  type VersionQuery,
} from './rule-history-store.ts';

export type {
  MatchPage,
  MatchQuery,
  RuleMatchCounts,
  RuleMatchFilter,
  RuleMatchKey,
  RuleVersionKey,
  VersionQuery,
} from './rule-history-store.ts';

/** The same page of the versions of several rules, the newest first, in the order of the rules' ids. */
export function listRuleVersions(
  viewer: Viewer,
  ruleIds: readonly string[],
  page: KeysetPage,
  query: VersionQuery,
): Promise<RuleVersionKey[][]> {
  assertMay(viewer, 'rule.read');
  return findRuleVersions(viewer.project.database, ruleIds, page, query);
}

/** Number of versions of rules, in the order of the rules' ids. */
export async function countVersionsOfRules(viewer: Viewer, ruleIds: readonly string[]): Promise<number[]> {
  assertMay(viewer, 'rule.read');
  return countRuleVersions(viewer.project.database, ruleIds);
}

/** The same page of the matches of several rules, the newest first, in the order of the rules' ids. */
export function listRuleMatches(
  viewer: Viewer,
  ruleIds: readonly string[],
  page: MatchPage,
  query: MatchQuery,
): Promise<RuleMatchKey[][]> {
  assertMay(viewer, 'rule.read');
  return findRuleMatches(viewer.project.database, ruleIds, page, query);
}

/** Rules by their ids, each with the same page of its matches, the newest first; null for unknown ones. */
export async function readRulesWithMatches(
  viewer: Viewer,
  ruleIds: readonly string[],
  page: MatchPage,
  query: MatchQuery,
): Promise<(RuleWithMatches | null)[]> {
  assertMay(viewer, 'rule.read');
  const rules = await findRulesWithMatches(viewer.project.database, ruleIds, page, query);
  const byId = new Map(rules.map((rule) => [rule.ruleId, rule]));
  return ruleIds.map((id) => byId.get(id) ?? null);
}

/** Number of matches of rules, counted up to a limit, in the order of the rules' ids. */
export async function countMatchesUpTo(
  viewer: Viewer,
  ruleIds: readonly string[],
  shadow: boolean | null,
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'rule.read');
  return countMatches(viewer.project.database, ruleIds, shadow, limit);
}

/** A page of the matches of all rules, the newest first. */
export function listFoundMatches(
  viewer: Viewer,
  filter: RuleMatchFilter,
  page: KeysetPage,
  query: MatchQuery,
): Promise<RuleMatchKey[]> {
  assertMay(viewer, 'rule.read');
  return searchRuleMatches(viewer.project.database, filter, page, query);
}

/** Number of matches of all rules that a filter finds, counted up to a limit. */
export function countFound(viewer: Viewer, filter: RuleMatchFilter, limit: number): Promise<number> {
  assertMay(viewer, 'rule.read');
  return countFoundMatches(viewer.project.database, filter, limit);
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
