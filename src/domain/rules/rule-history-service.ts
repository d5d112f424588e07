import type { KeysetPage } from '../../platform/keyset.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import {
  countFoundMatches,
  countMatches,
  countRuleMatches,
  countRuleVersions,
  findMatches,
  findRuleMatches,
  findRuleVersions,
  findVersions,
  type MatchPage,
  type RuleMatchCounts,
  type RuleMatchFilter,
  type RuleMatchRow,
  type RuleTotal,
  type RuleVersion,
  searchRuleMatches,
  type VersionKey,
} from './rule-history-store.ts';

export type {
  MatchPage,
  RuleMatchCounts,
  RuleMatchFilter,
  RuleMatchRow,
  RuleVersion,
  VersionKey,
} from './rule-history-store.ts';

/** The same page of the versions of several rules, the newest first, in the order of the rules' ids. */
export async function listRuleVersions(
  viewer: Viewer,
  ruleIds: readonly string[],
  page: KeysetPage,
): Promise<RuleVersion[][]> {
  assertMay(viewer, 'rule.read');
  const rows = await findRuleVersions(viewer.project.database, ruleIds, page);
  const byRule = Map.groupBy(rows, (row) => row.ruleId);
  return ruleIds.map((id) => byRule.get(id) ?? []);
}

/** Number of versions of rules, counted up to a limit, in the order of the rules' ids. */
export async function countVersionsOfRules(
  viewer: Viewer,
  ruleIds: readonly string[],
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'rule.read');
  return totalsOf(ruleIds, await countRuleVersions(viewer.project.database, ruleIds, limit));
}

/** Versions of rules by their numbers, in this order; null for unknown ones. */
export async function readRuleVersions(
  viewer: Viewer,
  keys: readonly VersionKey[],
): Promise<(RuleVersion | null)[]> {
  assertMay(viewer, 'rule.read');
  const textOf = ({ ruleId, version }: VersionKey) => `${ruleId}:${version}`;
  const rows = await findVersions(viewer.project.database, keys);
  const byKey = new Map(rows.map((row) => [textOf(row), row]));
  return keys.map((key) => byKey.get(textOf(key)) ?? null);
}

/** The same page of the matches of several rules, in the order of the rules' ids. */
export async function listRuleMatches(
  viewer: Viewer,
  ruleIds: readonly string[],
  page: MatchPage,
): Promise<RuleMatchRow[][]> {
  assertMay(viewer, 'rule.read');
  const rows = await findRuleMatches(viewer.project.database, ruleIds, page);
  const byRule = Map.groupBy(rows, (row) => row.rule_id);
  return ruleIds.map((id) => byRule.get(id) ?? []);
}

/** Number of matches of rules, counted up to a limit, in the order of the rules' ids. */
export async function countMatchesUpTo(
  viewer: Viewer,
  ruleIds: readonly string[],
  shadow: boolean | null,
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'rule.read');
  return totalsOf(ruleIds, await countMatches(viewer.project.database, ruleIds, shadow, limit));
}

/** A page of the matches of all rules, the newest first. */
export function listFoundMatches(
  viewer: Viewer,
  filter: RuleMatchFilter,
  page: KeysetPage,
): Promise<RuleMatchRow[]> {
  assertMay(viewer, 'rule.read');
  return searchRuleMatches(viewer.project.database, filter, page);
}

/** Number of matches of all rules that a filter finds, counted up to a limit. */
export function countFound(viewer: Viewer, filter: RuleMatchFilter, limit: number): Promise<number> {
  assertMay(viewer, 'rule.read');
  return countFoundMatches(viewer.project.database, filter, limit);
}

/** Matches by their ids, in this order; null for unknown ones. */
export async function readRuleMatches(
  viewer: Viewer,
  matchIds: readonly string[],
): Promise<(RuleMatchRow | null)[]> {
  assertMay(viewer, 'rule.read');
  const rows = await findMatches(viewer.project.database, matchIds);
  const byId = new Map(rows.map((row) => [row.match_id, row]));
  return matchIds.map((id) => byId.get(id) ?? null);
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

function totalsOf(ruleIds: readonly string[], rows: readonly RuleTotal[]): number[] {
  const byRule = new Map(rows.map((row) => [row.rule_id, row.total]));
  return ruleIds.map((id) => byRule.get(id) ?? 0);
}
