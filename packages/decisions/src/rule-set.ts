import { type Facts, fieldsOf } from '@vouchgraph/rules';
import type { Rule, Trigger } from './rule.ts';
import { ruleLanguage } from './rule-language.ts';

/** Compiled rules of a project that are evaluated. */
export type RuleSet = {
  /** Of the project's rules: raised with every change. */
  readonly version: number;
  readonly rules: readonly CompiledRule[];
  /** Names of the lists that their actions add accounts to. */
  readonly listNames: readonly string[];
  /** Fields of accounts' metadata that their conditions read. */
  readonly metadataFields: readonly string[];
};

type CompiledRule = { readonly rule: Rule; readonly evaluate: (facts: Facts) => boolean | null };

export const NO_RULES: RuleSet = { version: 0, rules: [], listNames: [], metadataFields: [] };

export function compileRuleSet({ version, rules }: { version: number; rules: readonly Rule[] }): RuleSet {
  const names = rules.flatMap(({ actions }) =>
    actions.flatMap((action) => ('addToList' in action ? [action.addToList] : [])),
  );
  const fields = rules.flatMap(({ expression }) => fieldsOf(expression));
  return {
    version,
    rules: rules.map((rule) => ({ rule, evaluate: ruleLanguage.compile(rule.expression) })),
    listNames: [...new Set(names)],
    metadataFields: [...new Set(fields)].filter(ruleLanguage.isMetadataField),
  };
}

/** The rules that match, in their order: enabled rules and shadow rules. */
export function matchRules(
  { rules }: RuleSet,
  triggers: readonly Trigger[],
  facts: Facts,
): { live: Rule[]; shadow: Rule[] } {
  const matching = rules
    .filter(({ rule, evaluate }) => triggers.includes(rule.trigger) && evaluate(facts) === true)
    .map(({ rule }) => rule);
  return {
    live: matching.filter(({ state }) => state === 'enabled'),
    shadow: matching.filter(({ state }) => state === 'shadow'),
  };
}
