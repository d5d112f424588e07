import { isDeepStrictEqual } from 'node:util';
import { type RuleAction, ruleLanguage } from '@vouchgraph/decisions';
import { type Expression, listsOf, printExpression } from '@vouchgraph/rules';
import { ruleListNotFound, ruleNameTaken, ruleNeverMatches } from './errors.ts';
import type { RuleChanges } from './rule-input.ts';
import type { Shift } from './rule-order.ts';
import type { RuleBook, RuleRecord } from './rule-store.ts';

/** Throws `rule.name_taken` when another rule has the name. */
export function checkName(book: RuleBook, name: string): void {
  if (book.others.some((other) => other.name === name)) throw ruleNameTaken(name);
}

/** Throws `rule.never_matches` for a condition that no facts of its trigger make true. */
export function checkCanMatch(
  { expression, trigger }: Pick<RuleRecord, 'expression' | 'trigger'>,
  path: readonly string[],
): void {
  const reason = ruleLanguage.neverTrueReason(expression, trigger);
  if (reason !== null) throw ruleNeverMatches(reason, path);
}

/** The changed field because of which a condition is checked again; null when it is not. */
export function causeOfCheck(current: RuleRecord, wanted: RuleRecord): 'expression' | 'trigger' | null {
  if (!isDeepStrictEqual(wanted.expression, current.expression)) return 'expression';
  return wanted.trigger === current.trigger ? null : 'trigger';
}

/** The rule with the changes that were given. */
export function merge(current: RuleRecord, changes: RuleChanges, expression: Expression | null): RuleRecord {
  return {
    ...current,
    name: changes.name ?? current.name,
    description: changes.description ?? current.description,
    trigger: changes.trigger ?? current.trigger,
    state: changes.state ?? current.state,
    paused: changes.paused ?? current.paused,
    position: changes.position ?? current.position,
    expression: expression ?? current.expression,
    // Plain objects, as the stored ones: those of GraphQL have no prototype and would never be equal to them.
    actions: changes.actions?.map((action) => ({ ...action })) ?? current.actions,
  };
}

/** A list that a rule names, and the path of the name in the input. */
export type NamedList = { name: string; path: readonly (string | number)[] };

/** Lists that a rule names. */
export function namedLists(expression: Expression | null, actions: readonly RuleAction[]): NamedList[] {
  const asked = expression === null ? [] : listsOf(expression);
  return [
    ...asked.map((name) => ({ name, path: ['input', 'expression'] })),
    ...actions.flatMap((action, index) => {
      const path = ['input', 'actions', index];
      if ('addToList' in action) return { name: action.addToList, path: [...path, 'addToList'] };
      if ('removeFromList' in action)
        return { name: action.removeFromList, path: [...path, 'removeFromList'] };
      return [];
    }),
  ];
}

/** Throws unless every list that the rule names exists. */
export function checkLists({ lists }: Pick<RuleBook, 'lists'>, named: readonly NamedList[]): void {
  const missing = named.find(({ name }) => !lists.has(name));
  if (missing) throw ruleListNotFound(missing.name, missing.path);
}

const AUDITED = [
  'name',
  'description',
  'trigger',
  'state',
  'paused',
  'position',
  'expression',
  'actions',
] as const;

/** Content of the audit entry: all of a new rule, the changed fields of another, and the rules that were shifted. */
export function auditedChange(before: RuleRecord | null, after: RuleRecord, shifted: Shift | null) {
  const keys = before ? AUDITED.filter((key) => !isDeepStrictEqual(before[key], after[key])) : AUDITED;
  const moved = shifted && shifted.ruleIds.length > 0 ? { madeRoom: shifted.ruleIds } : {};
  return {
    before: before && auditedFields(before, keys),
    after: { ...auditedFields(after, keys), ...moved },
  };
}

function auditedFields(rule: RuleRecord, keys: readonly (typeof AUDITED)[number][]) {
  return Object.fromEntries(
    keys.map((key) => [key, key === 'expression' ? printExpression(rule.expression) : rule[key]]),
  );
}
