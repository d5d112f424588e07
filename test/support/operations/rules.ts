import { expect } from 'vitest';
import { unique } from '../../acceptance/interface/client.ts';
import { edge, newRule, withInput } from './behavior.ts';
import { foreignInput, NAMES_NOTHING } from './foreign.ts';
import type { Operations } from './operation.ts';
import { RULE } from './stored.ts';

/** Rules. */
export const RULES_OPERATIONS: Operations = {
  'query rule': {
    behavior: {
      name: 'returns a rule with its condition and actions',
      document: `query ($id: ID!) { rule(id: $id) { name expression trigger ruleState version actions { raiseFlag } } }`,
      variables: ({ ruleId }) => ({ id: ruleId }),
      answer: ({ anna, ruleName }) => ({
        name: ruleName,
        expression: `account.id = "${anna}"`,
        ...{ trigger: 'ANY_SESSION', ruleState: 'ENABLED', version: 1 },
        actions: [{ raiseFlag: 'is_anna' }],
      }),
    },
    foreign: [
      { query: 'query ($id: ID!) { rule(id: $id) { id } }', variables: ({ rule }) => ({ id: rule }) },
    ],
  },
  'query rules': {
    behavior: {
      name: 'returns the rules of a state',
      document: `{ rules(first: 100, states: [ENABLED]) { edges { node { id ruleState } } } }`,
      answer: ({ ruleId }) => edge({ id: ruleId, ruleState: 'ENABLED' }),
    },
    foreign: NAMES_NOTHING,
  },
  'query builtInRules': {
    behavior: {
      name: 'returns the rules that come with the service',
      document: `{ builtInRules { key trigger } }`,
      answer: () =>
        expect.arrayContaining([{ key: 'disposable_email_and_vpn', trigger: expect.any(String) }]),
    },
    foreign: NAMES_NOTHING,
  },
  'query testRule': {
    behavior: {
      name: 'evaluates a condition on a session, step by step',
      document: `query ($expression: String!, $sessionId: ID!) { testRule(expression: $expression, sessionId: $sessionId) {
      matched decisionId trace { outcome text } } }`,
      variables: ({ anna, sessionId }) => ({ expression: `account.id = "${anna}"`, sessionId }),
      answer: ({ anna }) => ({
        ...{ matched: true, decisionId: expect.any(String) },
        trace: expect.arrayContaining([{ outcome: 'TRUE', text: `account.id = "${anna}"` }]),
      }),
    },
    foreign: [
      {
        query:
          'query ($id: ID!) { testRule(expression: "session.bot >= 0", sessionId: $id) { matched facts } }',
        variables: ({ session }) => ({ id: session }),
      },
    ],
  },
  'mutation createRule': {
    behavior: {
      name: 'creates a rule',
      given: async () => ({ rule: unique('rule') }),
      document: withInput(
        'createRule',
        'CreateRuleInput',
        'rule { name expression trigger ruleState version actions { raiseFlag } }',
      ),
      variables: ({ rule }) => ({
        input: {
          ...{ name: rule, expression: 'account.id = "nobody"', trigger: 'FIRST_SESSION', state: 'SHADOW' },
          actions: [{ raiseFlag: 'a_flag' }],
        },
      }),
      answer: ({ rule }) => ({
        rule: {
          ...{ name: rule, expression: 'account.id = "nobody"', trigger: 'FIRST_SESSION' },
          ...{ ruleState: 'SHADOW', version: 1, actions: [{ raiseFlag: 'a_flag' }] },
        },
      }),
    },
    foreign: [
      foreignInput('CreateRuleInput', 'createRule', 'requestId', ({ list }) => ({
        name: 'ours',
        trigger: 'ANY_SESSION',
        expression: 'session.bot > 0',
        actions: [{ addToList: list }],
      })),
    ],
    stored: { call: () => `(input: { ${RULE} }) { rule { id } }`, isKept: true },
  },
  'mutation updateRule': {
    behavior: {
      name: 'changes a rule, which gets the next version',
      given: async (client) => ({ id: await newRule(client) }),
      document: withInput('updateRule', 'UpdateRuleInput', 'rule { id description version expression }'),
      variables: ({ id }) => ({ input: { id, expectedVersion: 1, description: 'Finds nobody' } }),
      answer: ({ id }) => ({
        rule: { id, description: 'Finds nobody', version: 2, expression: 'account.id = "nobody"' },
      }),
    },
    foreign: [
      foreignInput('UpdateRuleInput', 'updateRule', 'requestId', ({ rule }) => ({
        id: rule,
        state: 'ENABLED',
      })),
    ],
    stored: {
      call: ({ session }) => `(input: { id: "${session}", name: "new" }) { requestId }`,
      isRefused: true,
    },
  },
  'mutation addBuiltInRule': {
    behavior: {
      name: 'makes a built-in rule a rule of the project under another name',
      given: async () => ({ rule: unique('rule') }),
      document: withInput('addBuiltInRule', 'AddBuiltInRuleInput', 'rule { name builtIn ruleState }'),
      variables: ({ rule }) => ({
        input: { key: 'impossible_travel_and_new_device', name: rule, state: 'DRAFT' },
      }),
      answer: ({ rule }) => ({
        rule: { name: rule, builtIn: 'impossible_travel_and_new_device', ruleState: 'DRAFT' },
      }),
    },
    foreign: NAMES_NOTHING,
    stored: { call: () => '(input: { key: "no-such-rule" }) { requestId }', isRefused: true },
  },
};
