import { accountScore } from '../accounts/account-score.ts';
import { type AppliedRules, applyActions } from '../rules/apply-actions.ts';
import type { Rule, Trigger } from '../rules/rule.ts';
import { matchRules, type RuleSet } from '../rules/rule-set.ts';
import { type DecidingList, type DecisionTrace, decide } from './decide.ts';
import type { DecisionInputs, DecisionOutcome } from './decision-inputs.ts';

export type Conclusion = {
  readonly trace: DecisionTrace;
  readonly applied: AppliedRules<DecidingList>;
  /** Rules that matched and only are tried. */
  readonly shadow: readonly Rule[];
};

/** What follows from the inputs of a decision by the rules of a time. The same inputs and rules give the same answer. */
export function conclude(inputs: DecisionInputs, rules: RuleSet): Conclusion {
  const { facts, parts, thresholds, lists, known } = inputs;
  const { live, shadow } = matchRules(rules, triggersOf(inputs), facts);
  const acted = applyActions(live, lists, new Map(known.map((list) => [list.name, list])));
  const applied = {
    ...acted,
    lists: acted.lists.map((list) => (lists.includes(list) ? list : byRule(list, acted))),
  };
  const isMainAccount = applied.lists.some(({ name }) => name === 'main_account');
  const trace = decide({
    score: accountScore({ ...parts, multipleAccounts: isMainAccount ? 0 : parts.multipleAccounts }),
    thresholds,
    listsBefore: lists,
    listsAfter: applied.lists,
    ruleOfList: applied.ruleOfList,
  });
  return { trace, applied, shadow };
}

/** A list that a rule put the account on. */
function byRule(list: DecidingList, { ruleOfList }: AppliedRules<DecidingList>): DecidingList {
  return { ...list, source: 'rule', actor: `rule:${ruleOfList.get(list.name)!.name}` };
}

function triggersOf({ facts }: DecisionInputs): Trigger[] {
  return facts['session.is_first'] === true ? ['ANY_SESSION', 'FIRST_SESSION'] : ['ANY_SESSION'];
}

/** What is kept of a conclusion with its decision. */
export function outcomeOf({ trace, applied }: Conclusion): DecisionOutcome {
  return {
    trace,
    rules: applied.matched.map(({ rule: { ruleId, version, name } }) => ({ ruleId, version, name })),
    flags: applied.flags,
  };
}
