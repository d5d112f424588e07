import type { RuleState } from '@vouchgraph/decisions';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Rule as RuleModel } from '../../storage/generated/prisma/client.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { countRules, findRules, listRules } from './rule-store.ts';

export { rulePosition } from './rule-store.ts';

/** A page of the rules in these states, in the order of evaluation. */
export function listRulesInOrder(
  viewer: Viewer,
  states: readonly RuleState[],
  page: KeysetPage,
): Promise<RuleModel[]> {
  assertMay(viewer, 'rule.read');
  return listRules(viewer.project.database, states, page);
}

/** Number of rules in these states, counted up to a limit. */
export function countRulesInStates(
  viewer: Viewer,
  states: readonly RuleState[],
  limit: number,
): Promise<number> {
  assertMay(viewer, 'rule.read');
  return countRules(viewer.project.database, states, limit);
}

/** Rules by their ids, in this order; null for unknown ones. */
export async function readRules(viewer: Viewer, ruleIds: readonly string[]): Promise<(RuleModel | null)[]> {
  assertMay(viewer, 'rule.read');
  const rows = await findRules(viewer.project.database, ruleIds);
  const byId = new Map(rows.map((row) => [row.ruleId, row]));
  return ruleIds.map((id) => byId.get(id) ?? null);
}
