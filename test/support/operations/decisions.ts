import { expect } from 'vitest';
import { unique } from '../../acceptance/interface/client.ts';
import { CREATE_RULE, createAccount } from '../../acceptance/interface/world.ts';
import { withInput } from './behavior.ts';
import { foreignInput, NAMES_NOTHING } from './foreign.ts';
import type { Operations } from './operation.ts';

/** Decisions, outcomes and statistics. */
export const DECISIONS_OPERATIONS: Operations = {
  'query decision': {
    behavior: {
      name: 'returns a stored decision',
      document: `query ($id: ID!) { decision(id: $id) { id decisionId accountId sessionId requestId firstSession } }`,
      variables: ({ decisionId }) => ({ id: decisionId }),
      answer: ({ decisionId, anna, sessionId, requestId }) => ({
        ...{ id: decisionId, decisionId: expect.any(String), accountId: anna, sessionId, requestId },
        firstSession: true,
      }),
    },
    foreign: [
      {
        query: 'query ($id: ID!) { decision(id: $id) { id } }',
        variables: ({ decision }) => ({ id: decision }),
      },
    ],
  },
  'query decisions': {
    behavior: {
      name: 'finds decisions of the project on an account',
      document: `query ($id: ID) { decisions(filter: { accountId: $id, minScore: 0 }) { edges { node { id sessionId } } } }`,
      variables: ({ anna }) => ({ id: anna }),
      answer: ({ decisionId, sessionId }) => ({ edges: [{ node: { id: decisionId, sessionId } }] }),
    },
    foreign: [
      {
        query: `query ($id: ID) { decisions(filter: { accountId: $id }) { edges { node { id } } totalCount { value } } }`,
        variables: ({ account }) => ({ id: account }),
      },
    ],
  },
  'query replayDecision': {
    behavior: {
      name: 'makes a stored decision again, with the same outcome',
      document: `query ($id: ID!) { replayDecision(id: $id) { same original { id } otherWeights } }`,
      variables: ({ decisionId }) => ({ id: decisionId }),
      answer: ({ decisionId }) => ({ same: true, original: { id: decisionId }, otherWeights: [] }),
    },
    foreign: [
      {
        query: 'query ($id: ID!) { replayDecision(id: $id) { decision } }',
        variables: ({ decision }) => ({ id: decision }),
      },
    ],
  },
  'query ruleMatches': {
    behavior: {
      name: 'finds matches of the rules of the project by rule and account',
      given: async (client) => {
        const account = unique('account');
        const input = {
          name: unique('rule'),
          expression: `account.id = "${account}"`,
          trigger: 'ANY_SESSION',
          state: 'ENABLED',
          actions: [{ raiseFlag: 'is_seen' }],
        };
        const { createRule } = await client.graphql(CREATE_RULE, { input });
        const { session_id } = await client.authenticate({ id: account });
        return { account, rule: createRule.rule.id, matched: session_id };
      },
      document: `query ($ruleId: ID, $accountId: ID) { ruleMatches(filter: { ruleId: $ruleId, accountId: $accountId, shadow: false }) {
      edges { node { accountId sessionId } } } }`,
      variables: ({ rule, account }) => ({ ruleId: rule, accountId: account }),
      answer: ({ account, matched }) => ({ edges: [{ node: { accountId: account, sessionId: matched } }] }),
    },
    foreign: [
      {
        query: `query ($id: ID) { ruleMatches(filter: { ruleId: $id }) { edges { node { id } } totalCount { value } } }`,
        variables: ({ rule }) => ({ id: rule }),
      },
      {
        query: `query ($id: ID) { ruleMatches(filter: { accountId: $id }) { edges { node { id } } } }`,
        variables: ({ account }) => ({ id: account }),
      },
    ],
  },
  'query calibrations': {
    behavior: {
      name: 'returns no calibration of a project that fitted none',
      document: `{ calibrations { totalCount { value isExact } edges { node { version } } } }`,
      answer: () => ({ totalCount: { value: 0, isExact: true }, edges: [] }),
    },
    foreign: NAMES_NOTHING,
  },
  'query stats': {
    behavior: {
      name: 'counts in days, with the time of each bucket',
      document: `query ($since: DateTime!, $until: DateTime!) { stats(by: DAY, since: $since, until: $until) {
      by since until buckets { start end counts { decisions { real } } } } }`,
      variables: () => ({ since: '2026-01-01T12:00:00Z', until: '2026-01-02T12:00:00Z' }),
      answer: () => ({
        by: 'DAY',
        since: '2026-01-01T00:00:00.000Z',
        until: '2026-01-03T00:00:00.000Z',
        buckets: ['2026-01-01', '2026-01-02'].map((day) => ({
          start: `${day}T00:00:00.000Z`,
          counts: { decisions: { real: 0 } },
        })),
      }),
    },
    foreign: 'test/integration/stats has its cases.',
  },
  'mutation reportOutcome': {
    behavior: {
      name: 'labels an account, and changes nothing when it is repeated',
      given: async (client) => {
        const id = await createAccount(client);
        const input = {
          accountId: id,
          outcome: 'CHARGEBACK',
          at: '2026-01-02T03:04:05.000Z',
          note: 'disputed',
        };
        await client.graphql(withInput('reportOutcome', 'ReportOutcomeInput', 'isNew'), { input });
        return { id, input };
      },
      document: withInput(
        'reportOutcome',
        'ReportOutcomeInput',
        'isNew outcome { accountId outcome at note } account { accountId outcomeLabel }',
      ),
      variables: ({ input }) => ({ input }),
      answer: ({ id, input }) => ({
        isNew: false,
        outcome: input,
        account: { accountId: id, outcomeLabel: 'FRAUD' },
      }),
    },
    foreign: [
      foreignInput('ReportOutcomeInput', 'reportOutcome', 'isNew', ({ account }) => ({
        accountId: account,
        outcome: 'FRAUD',
        at: '2026-01-01T00:00:00Z',
      })),
    ],
    stored: {
      call: ({ id }) =>
        `(input: { accountId: "${id}", outcome: FRAUD, at: "2020-01-01T00:00:00Z" }) { outcome { accountId } }`,
    },
  },
  'mutation retractOutcome': {
    behavior: {
      name: 'deletes an outcome, after which the account has no label',
      given: async (client) => {
        const id = await createAccount(client);
        const input = { accountId: id, outcome: 'FRAUD', at: '2026-01-02T03:04:05Z' };
        const { reportOutcome } = await client.graphql(
          withInput('reportOutcome', 'ReportOutcomeInput', 'outcome { id }'),
          { input },
        );
        return { id, outcome: reportOutcome.outcome.id };
      },
      document: withInput(
        'retractOutcome',
        'RetractOutcomeInput',
        'deletedId account { accountId outcomeLabel }',
      ),
      variables: ({ outcome }) => ({ input: { id: outcome } }),
      answer: ({ id, outcome }) => ({ deletedId: outcome, account: { accountId: id, outcomeLabel: null } }),
    },
    foreign: [
      foreignInput('RetractOutcomeInput', 'retractOutcome', 'deletedId', ({ outcome }) => ({ id: outcome })),
    ],
    stored: {
      call: async ({ id, outcomeOf }) =>
        `(input: { id: "${await outcomeOf(id)}" }) { deletedId account { accountId } }`,
    },
  },
};
