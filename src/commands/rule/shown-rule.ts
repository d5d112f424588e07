import { snakeCase } from '@vouchgraph/platform/letter-case';
import { wordOf } from '@vouchgraph/terminal';
import { ENUM_ACTIONS } from './rule-input.ts';

/** An action: exactly one value is not null. */
type RuleAction = Readonly<Record<string, string | boolean | null>>;

export type Rule = {
  id: string;
  ruleId: string;
  name: string;
  description: string | null;
  trigger: string;
  ruleState: string;
  paused: boolean;
  position: number;
  version: number;
  builtIn: string | null;
  expression: string;
  actions: RuleAction[];
  createdAt: string;
  updatedAt: string;
};

/** The values that an action sets. */
function setValues(action: RuleAction): [string, string | boolean][] {
  return Object.entries(action).flatMap(([key, value]): [string, string | boolean][] => {
    if (value === null) return [];
    const kind = snakeCase(key);
    return [[kind, ENUM_ACTIONS.has(kind) ? wordOf(String(value)) : value]];
  });
}

/** A rule in JSON: what `rule create --file` reads, and what belongs to the stored rule. */
export const shownRule = (rule: Rule) => ({
  rule_id: rule.ruleId,
  name: rule.name,
  description: rule.description,
  trigger: wordOf(rule.trigger),
  expression: rule.expression,
  actions: rule.actions.map((action) => Object.fromEntries(setValues(action))),
  state: wordOf(rule.ruleState),
  paused: rule.paused,
  position: rule.position,
  version: rule.version,
  built_in: rule.builtIn,
  created_at: rule.createdAt,
  updated_at: rule.updatedAt,
});

/** The actions of a rule for people, such as: add to list block. */
export function actionsText({ actions }: Rule): string {
  const texts = actions.flatMap((action) =>
    setValues(action).map(([kind, value]) => {
      const words = kind.replaceAll('_', ' ');
      return typeof value === 'boolean' ? words : `${words} ${value}`;
    }),
  );
  return texts.length === 0 ? 'none' : texts.join(', ');
}
