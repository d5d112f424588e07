import { unique } from '../../acceptance/interface/client.ts';
import { createAccount } from '../../acceptance/interface/world.ts';
import { edge, withInput } from './behavior.ts';
import { foreignInput } from './foreign.ts';
import type { Operations } from './operation.ts';

/** Blocked and allowed accounts. */
export const ACCOUNT_VERBS_OPERATIONS: Operations = {
  'query pendingListMembers': {
    behavior: {
      name: 'returns the entry of a list that waits for an account',
      given: async (client) => {
        const unknown = unique('unknown');
        await client.graphql(
          'mutation ($input: AllowAccountInput!) { allowAccount(input: $input) { requestId } }',
          { input: { accountId: unknown, reason: 'Partner' } },
        );
        return { unknown };
      },
      document: `query ($id: ID) { pendingListMembers(filter: { accountId: $id }) {
      edges { node { accountId reason list { name } expiresAt } } } }`,
      variables: ({ unknown }) => ({ id: unknown }),
      answer: ({ unknown }) =>
        edge({ accountId: unknown, reason: 'Partner', list: { name: 'allow' }, expiresAt: null }),
    },
    foreign: [
      {
        query: `query ($list: String) { pendingListMembers(filter: { list: $list }) { edges { node { accountId } } } }`,
        variables: ({ list }) => ({ list }),
      },
    ],
  },
  'mutation blockAccount': {
    behavior: {
      name: 'blocks an account that does not exist yet',
      given: async () => ({ unknown: unique('unknown') }),
      document: withInput(
        'blockAccount',
        'BlockAccountInput',
        'accountId isPending removedFrom account { accountId } lists { name }',
      ),
      variables: ({ unknown }) => ({ input: { accountId: unknown, reason: 'Seen elsewhere' } }),
      answer: ({ unknown }) => ({
        accountId: unknown,
        isPending: true,
        removedFrom: [],
        account: null,
        lists: [{ name: 'block' }],
      }),
    },
    foreign: [
      foreignInput('BlockAccountInput', 'blockAccount', 'isPending account { id }', ({ account }) => ({
        accountId: account,
      })),
    ],
    stored: { call: ({ id }) => `(input: { accountId: "${id}" }) { account { id } }` },
  },
  'mutation allowAccount': {
    behavior: {
      name: 'allows an account, and removes it from block',
      given: async (client) => {
        const id = await createAccount(client);
        await client.graphql(withInput('blockAccount', 'BlockAccountInput', 'requestId'), {
          input: { accountId: id },
        });
        return { id };
      },
      document: withInput(
        'allowAccount',
        'AllowAccountInput',
        'isPending removedFrom account { accountId decision } lists { name }',
      ),
      variables: ({ id }) => ({ input: { accountId: id } }),
      answer: ({ id }) => ({
        isPending: false,
        removedFrom: ['block'],
        account: { accountId: id, decision: 'REAL' },
        lists: [{ name: 'allow' }],
      }),
    },
    foreign: [
      foreignInput('AllowAccountInput', 'allowAccount', 'isPending account { id }', ({ account }) => ({
        accountId: account,
      })),
    ],
    stored: { call: ({ id }) => `(input: { accountId: "${id}" }) { accountId }` },
  },
  'mutation clearAccount': {
    behavior: {
      name: 'removes an account from block',
      given: async (client) => {
        const id = await createAccount(client);
        await client.graphql(withInput('blockAccount', 'BlockAccountInput', 'requestId'), {
          input: { accountId: id },
        });
        return { id };
      },
      document: withInput('clearAccount', 'ClearAccountInput', 'removedFrom lists { name }'),
      variables: ({ id }) => ({ input: { accountId: id, reason: 'A mistake', keepOff: true } }),
      answer: () => ({ removedFrom: ['block'], lists: [] }),
    },
    foreign: [
      foreignInput('ClearAccountInput', 'clearAccount', 'removedFrom account { id }', ({ account }) => ({
        accountId: account,
      })),
    ],
    stored: { call: ({ id }) => `(input: { accountId: "${id}" }) { requestId }` },
  },
};
