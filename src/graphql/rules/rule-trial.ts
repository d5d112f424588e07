import type { Trace } from '@vouchgraph/rules';
import { type RuleTrial, tryRule } from '../../domain/decisions/rule-trial-service.ts';
import { builder } from '../kernel/builder.ts';
import { covers } from '../kernel/masked-fields.ts';
import { RuleTrigger } from './rule-parts.ts';

const TraceOutcome = builder.enumType('RuleTraceOutcome', {
  description: 'Result of a condition.',
  values: {
    TRUE: { description: 'True condition.' },
    FALSE: { description: 'False condition.' },
    SKIPPED: {
      description: 'Unknown result, because a value is missing. A rule with this result does not match.',
    },
  } as const,
});

type Step = Trace & { depth: number };

const RuleTraceStep = builder.objectRef<Step>('RuleTraceStep').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Part of an expression, with its result.',
  fields: (t) => ({
    text: t.exposeString('text', { mask: 'none', description: 'Text of the part.' }),
    outcome: t.field({ type: TraceOutcome, description: 'Result.', resolve: (s) => s.outcome }),
    reason: t.exposeString('reason', {
      mask: 'none',
      nullable: true,
      description:
        'Reason why a comparison was skipped, such as: no value; expected a number, found a string. Null ' +
        'if no comparison was skipped.',
    }),
    value: t.field({
      mask: 'values',
      type: 'JSON',
      nullable: true,
      description: 'Value of the field of a comparison. Null without a value, and for AND, OR and NOT.',
      resolve: (step) => step.value,
    }),
    depth: t.exposeInt('depth', { description: 'Depth in the expression. 0 for the whole expression.' }),
  }),
});

/** A part, followed by its own parts, in reading order. */
function stepsOf(trace: Trace, depth = 0): Step[] {
  return [{ ...trace, depth }, ...trace.children.flatMap((child) => stepsOf(child, depth + 1))];
}

const RuleTestResult = builder.objectRef<RuleTrial>('RuleTestResult').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Result of a condition for a session.',
  fields: (t) => ({
    matched: t.boolean({
      description: 'Whether a rule would match: the condition is true, and the session meets the trigger.',
      resolve: (trial) => trial.matched,
    }),
    triggered: t.boolean({
      description: 'Whether the session meets the trigger.',
      resolve: (trial) => trial.triggered,
    }),
    trace: t.field({
      type: [RuleTraceStep],
      description: 'Expression and all its parts, in the order of the text. Each part precedes its subparts.',
      resolve: (trial) => stepsOf(trial.trace),
    }),
    traceJson: t.field({
      mask: 'values',
      type: 'JSONObject',
      description: 'Trace as a tree: {text, outcome, reason, value, children}.',
      resolve: (trial) => ({ ...trial.trace }),
    }),
    facts: t.field({
      mask: 'values',
      type: 'JSONObject',
      description: 'Fields in the expression, with their values. A field without a value is null.',
      resolve: (trial) => ({ ...trial.facts }),
    }),
    decisionId: t.field({
      type: 'UUID',
      nullable: true,
      description:
        'Id of the latest decision on the session, the source of the values. Null for a session without ' +
        'an account, whose account fields have no value.',
      resolve: (trial) => trial.decisionId,
    }),
  }),
});

builder.queryField('testRule', (t) =>
  t.field({
    type: RuleTestResult,
    nullable: true,
    description:
      'Result of a condition for a session, with the values at its latest decision. Errors: ' +
      '`rule.expression_invalid`, `session.not_found`, `list.not_found`, `personal_data.not_revealed` (a person, and a ' +
      'condition that reads personal data that the person has not revealed).',
    authScopes: { may: 'rule.test' },
    complexity: 10,
    args: {
      expression: t.arg.string({ required: true, description: 'Condition as text.' }),
      sessionId: t.arg.id({ required: true, description: 'Id of the session, a UUID.' }),
      trigger: t.arg({ type: RuleTrigger, description: 'Trigger. ANY_SESSION by default.' }),
    },
    resolve: (_root, { expression, sessionId, trigger }, context) =>
      tryRule(
        context.viewer,
        { expression, sessionId: String(sessionId), trigger: trigger ?? 'ANY_SESSION' },
        (subject) => covers(subject, context),
      ),
  }),
);
