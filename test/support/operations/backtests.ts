import { expect } from 'vitest';
import { createList } from '../../acceptance/interface/world.ts';
import { edge, finishBacktest, START_BACKTEST, startBacktest, withInput } from './behavior.ts';
import { NAMES_NOTHING } from './foreign.ts';
import type { Operations } from './operation.ts';

/** Backtests of rules. */
export const BACKTESTS_OPERATIONS: Operations = {
  'query backtest': {
    behavior: {
      name: 'returns a backtest that found the one decision of an account',
      given: async (client, { carl }) => ({ id: await finishBacktest(client, carl) }),
      document: `query ($id: ID!) { backtest(id: $id) { id backtestState matched matchedAccounts sample { accountId }
      matches { totalCount { value } edges { node { accountId decision } } } } }`,
      variables: ({ id }) => ({ id }),
      answer: ({ id, carl }) => ({
        id,
        backtestState: 'DONE',
        matched: 1,
        matchedAccounts: 1,
        sample: [{ accountId: carl }],
        matches: {
          totalCount: { value: 1 },
          edges: [{ node: { accountId: carl, decision: expect.any(String) } }],
        },
      }),
    },
    foreign: [
      {
        query: 'query ($id: ID!) { backtest(id: $id) { id } }',
        variables: ({ backtest }) => ({ id: backtest }),
      },
    ],
  },
  'query backtests': {
    behavior: {
      name: 'returns the backtests of the project',
      given: async (client, { bert }) => ({ id: await startBacktest(client, bert) }),
      document: `{ backtests(first: 5) { edges { node { id expression } } } }`,
      answer: ({ id, bert }) => edge({ id, expression: `account.id = "${bert}"` }),
    },
    foreign: NAMES_NOTHING,
  },
  'mutation backtestRule': {
    behavior: {
      name: 'starts a backtest of a condition',
      document: START_BACKTEST,
      variables: () => ({ input: { expression: 'account.id = "nobody"', since: '2020-01-01T00:00:00Z' } }),
      answer: () => ({ backtest: { expression: 'account.id = "nobody"', id: expect.any(String) } }),
    },
    foreign: NAMES_NOTHING,
    stored: {
      call: () =>
        '(input: { expression: "account.id = \\"x\\"", since: "2020-01-01T00:00:00Z" }) { backtest { id } }',
    },
  },
  'mutation addBacktestMatchesToList': {
    behavior: {
      name: 'adds the account that a backtest matched to a list',
      given: async (client, { carl }) => ({
        id: await finishBacktest(client, carl),
        list: await createList(client),
      }),
      document: withInput(
        'addBacktestMatchesToList',
        'AddBacktestMatchesToListInput',
        'added alreadyMember remaining total list { name accountIds }',
      ),
      variables: ({ id, list }) => ({ input: { backtestId: id, list, reason: 'matched' } }),
      answer: ({ list, carl }) => ({
        ...{ added: 1, alreadyMember: 0, remaining: 0, total: 1 },
        list: { name: list, accountIds: [carl] },
      }),
    },
    foreign: [
      {
        query:
          'mutation ($id: ID!) { addBacktestMatchesToList(input: { backtestId: $id, list: "regulars" }) { added } }',
        variables: ({ backtest }) => ({ id: backtest }),
      },
    ],
    stored: {
      call: ({ otherList, session }) =>
        `(input: { backtestId: "${session}", list: "${otherList}" }) { added }`,
      isRefused: true,
    },
  },
  'mutation cancelBacktest': {
    behavior: {
      name: 'ends a backtest, or leaves one that is done as it is',
      given: async (client, { anna }) => ({ id: await startBacktest(client, anna) }),
      document: withInput('cancelBacktest', 'CancelBacktestInput', 'backtest { id backtestState }'),
      variables: ({ id }) => ({ input: { id } }),
      answer: ({ id }) => ({ backtest: { id, backtestState: expect.stringMatching(/^(CANCELLED|DONE)$/) } }),
    },
    foreign: [
      {
        query: 'mutation ($id: ID!) { cancelBacktest(input: { id: $id }) { requestId } }',
        variables: ({ backtest }) => ({ id: backtest }),
      },
    ],
    stored: {
      call: ({ session }) => `(input: { id: "${session}" }) { backtest { id } }`,
      isRefused: true,
    },
  },
};
