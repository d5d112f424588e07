import { type Body, type Gateway, type TestProject, unique } from './gateway.ts';

/** Creates an enabled rule on any session, overridden by the given fields; returns its id, UUID and name. */
export async function createRule(
  project: TestProject,
  rule: { expression: string; actions?: Body[]; trigger?: string; state?: string; name?: string },
): Promise<{ id: string; ruleId: string; name: string }> {
  const input = { name: unique('rule'), trigger: 'ANY_SESSION', state: 'ENABLED', actions: [], ...rule };
  const { createRule: payload } = await project.graphql(
    'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id ruleId name } } }',
    { input },
  );
  return payload.rule;
}

/** The error of a rejected rule. */
export async function refusedRule(project: TestProject, rule: Body): Promise<Body> {
  const input = { name: unique('rule'), trigger: 'ANY_SESSION', actions: [], ...rule };
  const { body } = await project.rawGraphql(
    'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }',
    { input },
  );
  if (!body.errors) throw new Error('the rule was not refused');
  return body.errors[0];
}

const TRACE = `decision winner byScore list { name } rule { name version } requiredVerification { kind ruleName ruleId }`;

/** Authenticates over GraphQL; returns the decision with its trace, and that of the account. */
export async function authenticateOn(project: TestProject, sessionId: string, account: Body): Promise<Body> {
  const { authenticateSession } = await project.graphql(
    `mutation ($input: AuthenticateSessionInput!) { authenticateSession(input: $input) {
       decision requiredVerification { kind ruleName ruleId } decisionTrace { ${TRACE} } rules { name } flags
       decisionRecord { id decisionTrace { ${TRACE} } }
       account { decision lists { name } decisionTrace { ${TRACE} } } session { sessionId } } }`,
    { input: { sessionId, account } },
  );
  return authenticateSession;
}

/** Matches of a rule, the newest first. */
export async function matchesOf(project: TestProject, id: string): Promise<Body[]> {
  const { rule } = await project.graphql(
    `query ($id: ID!) { rule(id: $id) { matches(first: 50) { edges { node { accountId sessionId shadow outcomes {
       outcome action { addToList removeFromList raiseFlag emitEvent decide requireVerification } } } } } } }`,
    { id },
  );
  return rule.matches.edges.map(({ node }: Body) => node);
}

/** Actions of a match, each with its outcome. */
export const outcomesOf = ({ outcomes }: Body): [kind: string, value: string, outcome: string][] =>
  outcomes.map(({ action, outcome }: Body) => {
    const [kind, value] = Object.entries(action).find(([, each]) => each !== null)!;
    return [kind, value, outcome];
  });

/** Runs a backtest over all decisions to its end. */
export async function backtestOf(gateway: Gateway, project: TestProject, expression: string): Promise<Body> {
  const { backtestRule } = await project.graphql(
    'mutation ($input: BacktestRuleInput!) { backtestRule(input: $input) { backtest { id } } }',
    { input: { expression, since: '2020-01-01T00:00:00Z' } },
  );
  await gateway.app.settleBacktests(project.projectId);
  const { backtest } = await project.graphql(
    'query ($id: ID!) { backtest(id: $id) { backtestState examined matched skipped sample { accountId } } }',
    { id: backtestRule.backtest.id },
  );
  return backtest;
}

export async function testRule(project: TestProject, expression: string, sessionId: string): Promise<Body> {
  const { testRule: result } = await project.graphql(
    `query ($expression: String!, $sessionId: ID!) { testRule(expression: $expression, sessionId: $sessionId) {
       matched facts trace { text outcome reason value } } }`,
    { expression, sessionId },
  );
  return result;
}

/** A replayed decision. */
export async function replay(project: TestProject, id: string): Promise<Body> {
  const { replayDecision } = await project.graphql(
    `query ($id: ID!) { replayDecision(id: $id) { same decision decisionTrace { ${TRACE} } rules { name } } }`,
    { id },
  );
  return replayDecision;
}
