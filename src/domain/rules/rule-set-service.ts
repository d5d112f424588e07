import { compileRuleSet, NO_RULES, type RuleSet } from '@vouchgraph/decisions';
import { LRUCache } from 'lru-cache';
import type { ProjectDatabase, Transaction } from '../../storage/database.ts';
import { readRuleSet } from './rule-store.ts';

export type RuleSets = ReturnType<typeof createRuleSets>;

/** Compiled rules of projects, cached, and read again when the version of the rule set changes. */
export function createRuleSets() {
  const sets = new LRUCache<string, RuleSet>({ max: 1000 });

  /** The rules that were read last; none when they never were. */
  function known(projectId: string): RuleSet {
    return sets.get(projectId) ?? NO_RULES;
  }

  /** The rules of the version that a transaction found; read by it when they are not cached. */
  async function current(
    { projectId }: ProjectDatabase,
    transaction: Transaction,
    version: number,
  ): Promise<RuleSet> {
    const before = known(projectId);
    if (before.version === version) return before;
    const read = await readRuleSet(projectId, async (...call) => (await transaction.run(call))[0]!);
    const set = compileRuleSet(read);
    sets.set(projectId, set);
    return set;
  }

  return { known, current };
}
