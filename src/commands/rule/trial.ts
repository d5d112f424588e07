import { print, printJson, UsageError, wordOf } from '@vouchgraph/terminal';
import type { Api } from '../support/api.ts';
import { TEST_RULE } from './documents.ts';
import { findRule } from './rules.ts';

/** A stored rule, or a condition with its trigger. */
export type Tried = { expression?: string; trigger?: string };

/** The condition to test: that of a stored rule, or that of the flags. */
export async function conditionOf(
  api: Api,
  name: string | undefined,
  { expression, trigger }: Tried,
): Promise<{ expression: string; trigger: string | null }> {
  if ((name === undefined) === (expression === undefined))
    throw new UsageError('exactly one of the argument rule and --expression is required', 'rule');
  if (name === undefined) return { expression: expression!, trigger: trigger?.toUpperCase() ?? null };
  const rule = await findRule(api, name);
  return { expression: rule.expression, trigger: trigger?.toUpperCase() ?? rule.trigger };
}

type Step = { text: string; outcome: string; reason: string | null; value: unknown; depth: number };
type Trial = {
  matched: boolean;
  triggered: boolean;
  decisionId: string | null;
  facts: Record<string, unknown>;
  trace: Step[];
};

/** Prints whether a rule matches a session, and the outcome of each part of its condition. */
export async function testRule(
  api: Api,
  options: Tried & { session: string; json?: boolean },
  name: string | undefined,
): Promise<void> {
  const condition = await conditionOf(api, name, options);
  const variables = { ...condition, sessionId: options.session };
  const { testRule } = await api.run<{ testRule: Trial }>(TEST_RULE, variables);
  const { matched, triggered, decisionId, facts, trace } = testRule;
  if (options.json) {
    const steps = trace.map((step) => ({ ...step, outcome: wordOf(step.outcome) }));
    return printJson({ matched, triggered, decision_id: decisionId, facts, trace: steps });
  }
  const why = triggered ? '' : ': the session does not have the trigger';
  print(`The rule ${matched ? 'matches' : 'does not match'}${why}.`);
  if (decisionId === null) print('The session has no account: account fields have no value.');
  for (const { text, outcome, reason, value, depth } of trace) {
    const found = reason ?? (value === null ? '' : JSON.stringify(value));
    print(`${'  '.repeat(depth)}${wordOf(outcome).padEnd(7)}  ${text}${found === '' ? '' : `   (${found})`}`);
  }
}
