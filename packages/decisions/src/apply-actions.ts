import type { Rule, RuleAction, RuleReference } from './rule.ts';
import { isStandardList } from './standard-lists.ts';

/**
 * Outcome of an action: `DONE`; `NOTHING_TO_DO`, the action changes nothing, because the account is or is not on the list
 * already, or the decision or the required verification is the same without it; `KEPT`, another standard list has the
 * account, and rules may not move it; `KEPT_OFF`, an operator keeps the account off the list; `NO_SUCH_LIST`, the list was
 * deleted meanwhile; `WOULD_DO`, `DONE` of a shadow rule: shown so, and stored as `DONE`.
 */
export type ActionOutcome = RuleAction & { readonly outcome: (typeof ACTION_OUTCOMES)[number] };
export const ACTION_OUTCOMES = [
  'DONE',
  'WOULD_DO',
  'NOTHING_TO_DO',
  'KEPT',
  'KEPT_OFF',
  'NO_SUCH_LIST',
] as const;

/** Outcomes of a match as they are shown: a rule in shadow did nothing. */
export function shownOutcomes(outcomes: readonly ActionOutcome[], isShadow: boolean): ActionOutcome[] {
  return outcomes.map((each) =>
    isShadow && each.outcome === 'DONE' ? { ...each, outcome: 'WOULD_DO' } : each,
  );
}

export type MatchedRule = {
  readonly rule: Rule;
  /** None of a repeat. */
  readonly outcomes: readonly ActionOutcome[];
  /** Whether the rule matched the same account with the same session before: its match is recorded, and it acted. */
  readonly isRepeat: boolean;
};

/** What holds rules back from an account. */
export type ActionLimits = {
  /** Ids of the rules that matched the account with the session before, of whatever version. */
  readonly acted?: ReadonlySet<string>;
  /** Names of the lists that an operator keeps the account off. */
  readonly keptOff?: ReadonlySet<string>;
};

const NONE: ReadonlySet<string> = new Set();

export type AppliedRules<List> = {
  readonly matched: MatchedRule[];
  /** The account's lists afterwards. */
  readonly lists: readonly List[];
  /** By the name of a list that changed: the rule that put the account on it, or took it off, last. */
  readonly ruleOfList: ReadonlyMap<string, RuleReference>;
  /** Raised flags, each once, in order. */
  readonly flags: readonly string[];
};

/** From which standard list rules may take an account to which others. */
const MAY_MOVE_TO: Readonly<Record<string, readonly string[]>> = {
  block: ['main_account', 'allow'],
  main_account: ['allow'],
  allow: [],
};

/**
 * Applies the actions of matched rules, in order, to the lists of an account. `known`: the existing lists among those of
 * the actions. A rule that acted before only raises its flags, which belong to the decision. Actions that decide or require
 * a verification are `DONE` here: their effect depends on the lists (`demands.ts`).
 */
export function applyActions<List extends { readonly name: string }>(
  rules: readonly Rule[],
  lists: readonly List[],
  known: ReadonlyMap<string, List>,
  { acted = NONE, keptOff = NONE }: ActionLimits = {},
): AppliedRules<List> {
  const current = new Map(lists.map((list) => [list.name, list]));
  // A list that the account was on stays the one that it was, also when a rule takes it off and another puts it on again.
  const joinable = new Map([...known, ...current]);
  const ruleOfList = new Map<string, RuleReference>();
  const flags = new Set<string>();
  const matched = rules.map((rule): MatchedRule => {
    if (acted.has(rule.ruleId)) {
      for (const action of rule.actions) if ('raiseFlag' in action) flags.add(action.raiseFlag);
      return { rule, outcomes: [], isRepeat: true };
    }
    const reference = { ruleId: rule.ruleId, version: rule.version, name: rule.name };
    const changes = (name: string) => ruleOfList.set(name, reference);
    const outcomes = rule.actions.map((action): ActionOutcome => {
      if ('addToList' in action)
        return { ...action, outcome: join(current, action.addToList, { known: joinable, keptOff }, changes) };
      if ('removeFromList' in action)
        return { ...action, outcome: leave(current, action.removeFromList, changes) };
      if ('raiseFlag' in action) flags.add(action.raiseFlag);
      return { ...action, outcome: 'DONE' };
    });
    return { rule, outcomes, isRepeat: false };
  });
  // What one rule undid of another changed nothing.
  const namesBefore = new Set(lists.map(({ name }) => name));
  for (const name of [...ruleOfList.keys()]) {
    if (current.has(name) === namesBefore.has(name)) ruleOfList.delete(name);
  }
  return { matched, lists: [...current.values()], ruleOfList, flags: [...flags] };
}

type Outcome = ActionOutcome['outcome'];

function join<List>(
  current: Map<string, List>,
  name: string,
  { known, keptOff }: { known: ReadonlyMap<string, List>; keptOff: ReadonlySet<string> },
  changes: (name: string) => void,
): Outcome {
  if (current.has(name)) return 'NOTHING_TO_DO';
  const list = known.get(name);
  if (!list) return 'NO_SUCH_LIST';
  if (keptOff.has(name)) return 'KEPT_OFF';
  if (isStandardList(name)) {
    const held = [...current.keys()].find(isStandardList);
    if (held !== undefined && !MAY_MOVE_TO[held]?.includes(name)) return 'KEPT';
    if (held !== undefined) {
      current.delete(held);
      changes(held);
    }
  }
  current.set(name, list);
  changes(name);
  return 'DONE';
}

/** A rule removes no account from `allow`. */
function leave<List>(current: Map<string, List>, name: string, changes: (name: string) => void): Outcome {
  if (!current.has(name)) return 'NOTHING_TO_DO';
  if (name === 'allow') return 'KEPT';
  current.delete(name);
  changes(name);
  return 'DONE';
}
