import { camelCase } from '@vouchgraph/platform/letter-case';
import { ACTION_KINDS } from './rule-input.ts';

/* Documents of the public schema that the commands of rules run. */

const ACTIONS = `actions { ${ACTION_KINDS.map(camelCase).join(' ')} }`;
const RULE = `id ruleId name description trigger ruleState paused position version builtIn expression ${ACTIONS}
  createdAt updatedAt`;

export const RULES = `query Rules($first: Int!, $after: String, $states: [RuleState!]) {
  rules(first: $first, after: $after, states: $states) { edges { node { ${RULE} } }
    pageInfo { hasNextPage endCursor } } }`;

export const RULE_BY_ID = `query Rule($id: ID!) {
  rule(id: $id) { ${RULE} matchCounts { live shadow since } } }`;

export const CREATE_RULE = `mutation CreateRule($input: CreateRuleInput!) {
  createRule(input: $input) { rule { ${RULE} } } }`;

export const UPDATE_RULE = `mutation UpdateRule($input: UpdateRuleInput!) {
  updateRule(input: $input) { rule { ${RULE} } } }`;

export const TEST_RULE = `query TestRule($expression: String!, $sessionId: ID!, $trigger: RuleTrigger) {
  testRule(expression: $expression, sessionId: $sessionId, trigger: $trigger) {
    matched triggered decisionId facts trace { text outcome reason value depth } } }`;

const BACKTEST = `id backtestId backtestState progress since until trigger expression total examined skipped matched
  matchedAccounts overlap { list accounts } sample { accountId sessionId at decision } createdAt finishedAt`;

export const BACKTEST_RULE = `mutation BacktestRule($input: BacktestRuleInput!) {
  backtestRule(input: $input) { backtest { ${BACKTEST} } } }`;

export const BACKTEST_BY_ID = `query Backtest($id: ID!) { backtest(id: $id) { ${BACKTEST} } }`;

export const CANCEL_BACKTEST = `mutation CancelBacktest($id: ID!) {
  cancelBacktest(input: { id: $id }) { backtest { id } } }`;
