import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { isUuid } from '@vouchgraph/platform/ids';
import {
  count,
  noneText,
  print,
  printJson,
  printTable,
  printText,
  UsageError,
  wordOf,
} from '@vouchgraph/terminal';
import { globalIdOf, readGlobalId } from '../../graphql/kernel/node-id.ts';
import { type Api, type Connection, readEdges } from '../support/api.ts';
import { notFound } from '../support/not-found.ts';
import { CREATE_RULE, RULE_BY_ID, RULES, UPDATE_RULE } from './documents.ts';
import { type RuleFlags, readRuleInput } from './rule-input.ts';
import { actionsText, type Rule, shownRule } from './shown-rule.ts';

type MatchCounts = { live: number; shadow: number; since: string };

async function readRules(api: Api, states: readonly string[] | null): Promise<Rule[]> {
  const edges = await readEdges(Number.POSITIVE_INFINITY, async (page) => {
    const variables = { ...page, states: states?.map((state) => state.toUpperCase()) ?? null };
    return (await api.run<{ rules: Connection<{ node: Rule }> }>(RULES, variables)).rules;
  });
  return edges.map(({ node }) => node);
}

const ALL_STATES = ['draft', 'shadow', 'enabled', 'disabled', 'archived'];

/** The global id of a rule by its id or its name. Throws `rule.not_found`. */
export async function findRuleId(api: Api, rule: string): Promise<string> {
  if (isUuid(rule)) return globalIdOf('Rule', rule.toLowerCase());
  if (readGlobalId(rule)?.typename === 'Rule') return rule;
  const named = (await readRules(api, ALL_STATES)).filter(({ name }) => name === rule);
  // A new rule may have the name of an archived one.
  const current = named.filter(({ ruleState }) => ruleState !== 'ARCHIVED');
  const found = current.length > 0 ? current : named;
  if (found.length > 1)
    throw new UsageError(`Several rules have the name ${JSON.stringify(rule)}: pass the id of one`, 'rule');
  if (found.length === 0) throw notFound('rule.not_found', rule);
  return found[0]!.id;
}

/** A rule by its id or its name, with the numbers of its matches. */
export async function findRule(api: Api, name: string): Promise<Rule & { matchCounts: MatchCounts }> {
  const id = await findRuleId(api, name);
  const { rule } = await api.run<{ rule: (Rule & { matchCounts: MatchCounts }) | null }>(RULE_BY_ID, { id });
  if (!rule) throw notFound('rule.not_found', name);
  return rule;
}

/** Prints the rules in the order in which they are evaluated. */
export async function listRules(
  api: Api,
  { state, json }: { state?: string[]; json?: boolean },
): Promise<void> {
  const rules = await readRules(api, state ?? null);
  if (json) return printJson(rules.map(shownRule));
  if (rules.length === 0)
    return print(
      state ? noneText('rules', { state }) : `${noneText('rules')} --state archived shows archived ones.`,
    );
  printTable(
    ['ID', 'STATE', 'TRIGGER', 'NAME', 'ACTIONS'],
    rules.map((rule) => [
      rule.ruleId,
      rule.paused ? `${wordOf(rule.ruleState)}, paused` : wordOf(rule.ruleState),
      wordOf(rule.trigger),
      rule.name,
      actionsText(rule),
    ]),
  );
}

/** Prints a rule with the numbers of its matches. */
export async function showRule(api: Api, { json }: { json?: boolean }, name: string): Promise<void> {
  const rule = await findRule(api, name);
  const { live, shadow, since } = rule.matchCounts;
  if (json) return printJson({ ...shownRule(rule), match_counts: { live, shadow, since } });
  print(`${rule.name}: ${stateText(rule)}, version ${rule.version}`);
  if (rule.description) printText(rule.description);
  print('', `  id         ${rule.ruleId}`);
  print(`  trigger    ${wordOf(rule.trigger)}`);
  printText(`  condition  ${rule.expression}`);
  print(`  actions    ${actionsText(rule)}`);
  print(`  matches    ${count(live)} enabled, ${count(shadow)} in shadow since ${since.slice(0, 10)}`);
}

const stateText = ({ ruleState, paused }: Rule) => `${wordOf(ruleState)}${paused ? ', paused' : ''}`;

/** Creates a rule from a file and flags, and prints it. */
export async function createRule(api: Api, options: RuleFlags & { json?: boolean }): Promise<void> {
  const { json, file, name, description, trigger, expression, action, state } = options;
  const input = await readRuleInput({ file, name, description, trigger, expression, action, state });
  const created = api.run<{ createRule: { rule: Rule } }>(CREATE_RULE, { input });
  const { rule } = (await created.catch(ofFile(options))).createRule;
  if (json) return printJson(shownRule(rule));
  print(`Created the rule ${JSON.stringify(rule.name)} as ${stateText(rule)}. Its id is ${rule.ruleId}.`);
  if (rule.ruleState === 'DRAFT')
    print(
      'A draft is not evaluated: use rule shadow to record its matches, or rule enable to perform its actions.',
    );
}

/** Names the file in an invalid value that no option contains: a malformed file is no wrong call. */
function ofFile(options: RuleFlags): (error: unknown) => never {
  return (error) => {
    const isInput = error instanceof AppError && error.code === 'input.invalid';
    const key = isInput ? error.inputPath?.[1] : undefined;
    if (!isInput || options.file === undefined || typeof key !== 'string' || key in options) throw error;
    throw invalidInput(error.message, ['file', key]);
  };
}

/** Sets the state of a rule, and prints the rule. */
export async function setRuleState(
  api: Api,
  state: string,
  { json }: { json?: boolean },
  name: string,
): Promise<void> {
  const input = { id: await findRuleId(api, name), state };
  const { updateRule } = await api.run<{ updateRule: { rule: Rule } }>(UPDATE_RULE, { input });
  const { rule } = updateRule;
  if (json) return printJson(shownRule(rule));
  print(`The rule ${JSON.stringify(rule.name)} is ${stateText(rule)} in version ${rule.version}.`);
}
