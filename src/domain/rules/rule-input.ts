import {
  listNameShape,
  RULE_STATES,
  type RuleAction,
  type RuleState,
  readListName,
  ruleLanguage,
  TRIGGERS,
  type Trigger,
  verificationKindShape,
} from '@vouchgraph/decisions';
import { AppError } from '@vouchgraph/platform/errors';
import { inputShape } from '@vouchgraph/platform/input-shape';
import { objectIdShape } from '@vouchgraph/platform/object-id';
import { findUnstorable } from '@vouchgraph/platform/unstorable';
import { isReadableText, NO_HIDDEN_TEXT, visibleName } from '@vouchgraph/platform/visible-text';
import { type Expression, ExpressionError } from '@vouchgraph/rules';
import { z } from 'zod';
import { LAST_POSITION } from './rule-order.ts';

/** Rules of a project that are not archived. */
export const MAX_RULES = 500;
const MAX_ACTIONS = 20;
const NAME_LENGTH = 128;
const DESCRIPTION_LENGTH = 1024;

const LABEL = /^[a-z0-9_]{1,64}$/;

const NAME = 'Name, 1 to 128 printable characters, unique among rules that are not archived.';
const nameShape = visibleName(NAME_LENGTH).describe(NAME);

const descriptionShape = z
  .string()
  .max(DESCRIPTION_LENGTH, `must be at most ${DESCRIPTION_LENGTH} characters`)
  .refine(isReadableText, NO_HIDDEN_TEXT)
  .nullish()
  .describe('Purpose, at most 1,024 characters. None if empty.');

const labelShape = z.string().regex(LABEL, 'must be 1 to 64 characters of a-z, 0-9 and _');

/** GraphQL accepts no other value. */
const decisionShape = z.literal('Suspicious');

const actionShape = z.union([
  z.strictObject({ addToList: listNameShape }),
  z.strictObject({ removeFromList: listNameShape }),
  z.strictObject({ raiseFlag: labelShape }),
  z.strictObject({ emitEvent: labelShape }),
  z.strictObject({ decide: decisionShape }),
  z.strictObject({ requireVerification: verificationKindShape }),
]);

/** An action as it is sent; the list of actions checks it. */
export const sentActionShape = z.custom<RuleAction>();

/** Each action has one effect, and none reverts or repeats another. */
const actionsShape = z
  .array(sentActionShape)
  .max(MAX_ACTIONS, `must have at most ${MAX_ACTIONS} actions`)
  .overwrite((actions) => actions.map(withListName))
  .superRefine((actions, context) => {
    const seen = new Set<string>();
    for (const [index, action] of actions.entries()) {
      const read = actionShape.safeParse(action);
      if (read.success) {
        const problem = problemBeside(seen, read.data);
        if (problem) context.addIssue({ code: 'custom', path: [index], message: problem });
      } else context.addIssue(actionProblem(action, index));
    }
  });

/** The action with the composed name of its list; unchanged with an invalid name, which is rejected. */
function withListName(action: RuleAction): RuleAction {
  const [key, value] = Object.entries(action)[0] ?? [];
  if (key !== 'addToList' && key !== 'removeFromList') return action;
  const name = typeof value === 'string' ? readListName(value) : null;
  return name === null ? action : ({ ...action, [key]: name } as RuleAction);
}

function problemBeside(seen: Set<string>, action: RuleAction): string | null {
  const [kind, value] = Object.entries(action)[0] as [string, string];
  const opposite = { addToList: 'removeFromList', removeFromList: 'addToList' }[kind];
  // An ID check includes a face check.
  const isRepeated =
    seen.has(`${kind} ${value}`) ||
    (kind === 'requireVerification' && [...seen].some((each) => each.startsWith(kind)));
  const isUndone = opposite !== undefined && seen.has(`${opposite} ${value}`);
  seen.add(`${kind} ${value}`);
  if (isUndone) return 'must not add to and remove from the same list in one rule';
  return isRepeated ? 'must not repeat another action of the rule' : null;
}

const VALUE_SHAPES: Readonly<Record<string, z.ZodType<string>>> = {
  addToList: listNameShape,
  removeFromList: listNameShape,
  raiseFlag: labelShape,
  emitEvent: labelShape,
  decide: decisionShape,
  requireVerification: verificationKindShape,
};

function actionProblem(action: Record<string, unknown>, index: number) {
  const keys = Object.keys(action);
  const key = keys[0] ?? '';
  const shape = VALUE_SHAPES[key];
  if (keys.length !== 1 || !shape) {
    const message = `must set exactly one of ${Object.keys(VALUE_SHAPES).join(', ')}`;
    return { code: 'custom' as const, path: [index], message };
  }
  const message = shape.safeParse(action[key]).error?.issues[0]?.message ?? 'is not valid';
  return { code: 'custom' as const, path: [index, key], message };
}

const ACTIONS = 'Actions on a match, in this order, at most 20. Lists must exist.';

export const triggerShape = z.enum(TRIGGERS);
const trigger = triggerShape.describe('Time of evaluation.');

const expression = z
  .string()
  .describe('Condition as text, such as: account.account_score >= 0.7 AND session.risk_signals.vpn.');

export const ruleStateShape = z.enum(RULE_STATES);
const firstState = (description: string) =>
  ruleStateShape
    .refine((state) => state !== 'archived', 'must not be ARCHIVED')
    .nullish()
    .describe(description);

export const newRuleShape = inputShape('CreateRuleInput', 'Rule to create.', {
  name: nameShape,
  description: descriptionShape,
  trigger,
  expression,
  actions: actionsShape.nullish().describe(`${ACTIONS} A rule without actions only records matches.`),
  state: firstState('State, not ARCHIVED. DRAFT by default.'),
});

export const builtInRuleInputShape = inputShape(
  'AddBuiltInRuleInput',
  'Built-in rule to add to the project.',
  {
    key: z.string().describe('Key of the built-in rule.'),
    name: nameShape.nullish().describe(`${NAME} The name of the built-in rule by default.`),
    state: firstState('State, not ARCHIVED. DISABLED by default.'),
  },
);

export const ruleChangesShape = inputShape(
  'UpdateRuleInput',
  'Changes of a rule. Null or absent: unchanged.',
  {
    id: objectIdShape.describe('Global id of the rule, or its ruleId.'),
    expectedVersion: z
      .int()
      .nullish()
      .describe(
        'Version that the changes are based on. If it is not the current version, nothing changes. ' +
          'Errors: `rule.version_conflict`.',
      ),
    name: nameShape.nullish().describe(NAME),
    description: descriptionShape,
    trigger: trigger.nullish().describe('Time of evaluation.'),
    expression: expression.nullish().describe(expression.description!),
    actions: actionsShape.nullish().describe(`${ACTIONS} They replace the stored actions.`),
    state: ruleStateShape.nullish().describe('State. An archived rule cannot be changed.'),
    paused: z
      .boolean()
      .nullish()
      .describe('Whether the rule is paused. A paused rule is not evaluated in any state.'),
    position: z
      .int()
      .min(1, 'must be at least 1')
      .max(LAST_POSITION, `must be at most ${LAST_POSITION}`)
      .nullish()
      .describe(
        'Position in the order, 1 to 1,000,000. The rule at this position and the rules directly after ' +
          'it move by one.',
      ),
  },
);

export type NewRule = {
  readonly name: string;
  readonly description?: string | null;
  readonly trigger: Trigger;
  /** As text. */
  readonly expression: string;
  readonly actions?: readonly RuleAction[] | null;
  readonly state?: RuleState | null;
};

/** Null and absent fields keep their value. */
export type RuleChanges = {
  readonly expectedVersion?: number | null;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly trigger?: Trigger | null;
  readonly expression?: string | null;
  readonly actions?: readonly RuleAction[] | null;
  readonly state?: RuleState | null;
  readonly paused?: boolean | null;
  readonly position?: number | null;
};

/** Parses an expression; throws `rule.expression_invalid`, which shows the position of the mistake. */
export function readExpression(text: string, path: readonly (string | number)[]): Expression {
  const expression = parseOrExplain(text, path);
  if (findUnstorable(expression) !== null)
    throw new AppError(
      'rule.expression_invalid',
      'invalid_input',
      'Expression must not contain NUL characters or lone surrogates',
      { path },
    );
  return expression;
}

function parseOrExplain(text: string, path: readonly (string | number)[]): Expression {
  try {
    return ruleLanguage.parse(text);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const { position, line, column } = error;
    throw new AppError(
      'rule.expression_invalid',
      'invalid_input',
      `${error.message} (line ${line}, column ${column})\n${error.explain()}`,
      { path, details: { position, line, column } },
    );
  }
}
