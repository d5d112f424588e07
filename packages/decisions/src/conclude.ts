import { accountScore } from './account-score.ts';
import { type AppliedRules, applyActions, type MatchedRule } from './apply-actions.ts';
import { type DecidingList, type DecisionTrace, decide, type Standing } from './decide.ts';
import type { DecisionInputs, DecisionOutcome } from './decision-inputs.ts';
import { type Demands, settleDemands } from './demands.ts';
import type { Trigger } from './rule.ts';
import { matchRules, type RuleSet } from './rule-set.ts';

export type Conclusion = {
  readonly trace: DecisionTrace;
  readonly applied: AppliedRules<DecidingList>;
  /** Shadow rules that matched, each with the effect that it would have alone. */
  readonly shadow: readonly MatchedRule[];
  /** Effects of rules on the account besides lists. */
  readonly demands: Pick<Demands, 'suspicious' | 'required'>;
};

/** Conclusion from the inputs of a decision by a version of the rules. The same inputs and rules give the same result. */
export function conclude(inputs: DecisionInputs, rules: RuleSet): Conclusion {
  const { facts, thresholds, lists, known } = inputs;
  const keptOff = new Set(inputs.keptOff);
  const { live, shadow } = matchRules(rules, triggersOf(inputs), facts);
  const byName = new Map(known.map((list) => [list.name, list]));
  const acted = applyActions(live, lists, byName, { acted: new Set(inputs.acted), keptOff });
  const held = new Set(lists);
  const after = acted.lists.map((list) => (held.has(list) ? list : byRule(list, acted)));
  const { matched, ...demands } = demandsOf(inputs, { ...acted, lists: after });
  const applied = { ...acted, matched: [...matched], lists: after };
  const trace = decide({
    thresholds,
    before: standingOf(inputs, lists),
    after: { ...standingOf(inputs, after), suspicious: demands.suspicious },
    ruleOfList: applied.ruleOfList,
    required: demands.required,
  });
  const tried = shadow.flatMap((rule) => {
    return demandsOf(inputs, applyActions([rule], lists, byName, { keptOff })).matched;
  });
  return { trace, applied, shadow: tried, demands };
}

/** Demands of the rules, and earlier requirements, by the lists after the rules. */
function demandsOf(
  inputs: DecisionInputs,
  { matched, lists }: Pick<AppliedRules<DecidingList>, 'matched' | 'lists'>,
): Demands {
  const { byScore, list } = decide({ thresholds: inputs.thresholds, after: standingOf(inputs, lists) });
  const checked = inputs.facts['verification.kind'];
  return settleDemands(matched, { byScore, list, open: inputs.required ?? null, checked });
}

function standingOf(inputs: DecisionInputs, lists: readonly DecidingList[]): Standing {
  return { score: scoreOf(inputs, lists), lists };
}

function scoreOf({ parts }: DecisionInputs, lists: readonly DecidingList[]): number {
  const isMainAccount = lists.some(({ name }) => name === 'main_account');
  return accountScore({ ...parts, multipleAccounts: isMainAccount ? 0 : parts.multipleAccounts });
}

/** A list that a rule added the account to. */
function byRule(list: DecidingList, { ruleOfList }: AppliedRules<DecidingList>): DecidingList {
  const { name } = ruleOfList.get(list.name)!;
  return { ...list, source: 'rule', actor: `rule:${name}`, reason: name };
}

/** The session of a verification is also a session. */
export function triggersOf({ facts }: Pick<DecisionInputs, 'facts'>): Trigger[] {
  const own = TRIGGERS_OF_KIND.get(facts['verification.kind']) ?? [];
  return ['ANY_SESSION', ...(facts['session.is_first'] === true ? (['FIRST_SESSION'] as const) : []), ...own];
}

const TRIGGERS_OF_KIND: ReadonlyMap<unknown, readonly Trigger[]> = new Map([
  ['id', ['ID_CHECK_COMPLETED']],
  ['face', ['FACE_CHECK_COMPLETED']],
]);

/** Part of a conclusion that is stored with its decision. */
export function outcomeOf({ trace, applied }: Conclusion): DecisionOutcome {
  return {
    trace,
    rules: applied.matched.map(({ rule: { ruleId, version, name } }) => ({ ruleId, version, name })),
    flags: applied.flags,
  };
}
