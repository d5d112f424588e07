import { type RuleTrial, tryRule } from '../domain/decisions/rule-trial-service.ts';
import type { Trace } from '../domain/rules/language/evaluate-expression.ts';
import { builder } from './builder.ts';
import { RuleTrigger } from './rule.ts';

const TraceOutcome = builder.enumType('RuleTraceOutcome', {
  description: 'How a condition came out.',
  values: {
    TRUE: { description: 'It holds.' },
    FALSE: { description: 'It does not hold.' },
    SKIPPED: { description: 'It cannot be told, because a value is missing; such a rule does not match.' },
  } as const,
});

type Step = Trace & { depth: number };

const RuleTraceStep = builder.objectRef<Step>('RuleTraceStep').implement({
  description: 'A part of an expression, and how it came out.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'The part as text.' }),
    outcome: t.field({ type: TraceOutcome, description: 'How it came out.', resolve: (s) => s.outcome }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why it was skipped, such as: no value. Null unless a comparison was skipped.',
    }),
    value: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the field of a comparison held; null without a value, and for AND, OR and NOT.',
      resolve: (step) => step.value,
    }),
    depth: t.exposeInt('depth', { description: 'How deep it lies: 0 for the whole expression.' }),
  }),
});

/** A part, and behind it what it is made of, in reading order. */
function stepsOf(trace: Trace, depth = 0): Step[] {
  return [{ ...trace, depth }, ...trace.children.flatMap((child) => stepsOf(child, depth + 1))];
}

const TestRulePayload = builder
  .objectRef<{ requestId: string; trial: RuleTrial }>('TestRulePayload')
  .implement({
    description: 'What a rule with this condition would have made of a session. Nothing was written.',
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      matched: t.boolean({
        description: 'Whether it would match: the condition holds, and the trigger comes with the session.',
        resolve: ({ trial }) => trial.matched,
      }),
      triggered: t.boolean({
        description: 'Whether the trigger comes with the session.',
        resolve: ({ trial }) => trial.triggered,
      }),
      trace: t.field({
        type: [RuleTraceStep],
        description: 'The expression and all its parts in reading order, each before what it is made of.',
        resolve: ({ trial }) => stepsOf(trial.trace),
      }),
      traceJson: t.field({
        type: 'JSONObject',
        description: 'The same, nested: {text, outcome, reason, value, children}.',
        resolve: ({ trial }) => ({ ...trial.trace }),
      }),
      facts: t.field({
        type: 'JSONObject',
        description:
          'The fields that the expression reads, with what they held; null where there was no value.',
        resolve: ({ trial }) => ({ ...trial.facts }),
      }),
      decisionId: t.id({
        nullable: true,
        description:
          'The decision of whose moment the values are, the latest on the session; null for a session that no ' +
          'account is bound to, of which what concerns an account is unknown.',
        resolve: ({ trial }) => trial.decisionId,
      }),
    }),
  });

builder.mutationField('testRule', (t) =>
  t.field({
    type: TestRulePayload,
    description:
      'Tries a condition on a session, with what was known when it was last decided on. Writes nothing. Errors: ' +
      'rule.expression_invalid, session.not_found, list.not_found.',
    authScopes: { may: 'rule.test' },
    args: {
      expression: t.arg.string({ required: true, description: 'Condition as text.' }),
      sessionId: t.arg.id({ required: true, description: 'Id of the session.' }),
      trigger: t.arg({ type: RuleTrigger, description: 'ANY_SESSION by default.' }),
    },
    resolve: async (_root, { expression, sessionId, trigger }, { viewer, requestId }) => ({
      requestId,
      trial: await tryRule(viewer, {
        expression,
        sessionId: String(sessionId),
        trigger: trigger ?? 'ANY_SESSION',
      }),
    }),
  }),
);
