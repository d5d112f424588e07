import { expect } from 'vitest';
import { unique } from '../../acceptance/interface/client.ts';
import { createAccount } from '../../acceptance/interface/world.ts';
import { ACCOUNT_RECORD, namesOf, withInput } from './behavior.ts';
import { filtered, foreignInput, ofAccount, PAGE } from './foreign.ts';
import type { Operations } from './operation.ts';
import { linked, noAccount } from './parity.ts';

/** Accounts, and objects by their global id. */
export const ACCOUNTS_OPERATIONS: Operations = {
  'query account': {
    behavior: {
      name: 'returns an account with its latest session, lists and links',
      document: `query ($id: ID!) { account(accountId: $id) { accountId email numSessions lastSession { sessionId }
      lists { name } linkedAccounts { edges { node { accountId } matchTypes } } } }`,
      variables: ({ carl }) => ({ id: carl }),
      answer: ({ carl, bert }) => ({
        accountId: carl,
        email: null,
        numSessions: 1,
        lists: [],
        linkedAccounts: { edges: [{ node: { accountId: bert }, matchTypes: ['USERNAME'] }] },
      }),
    },
    foreign: [
      {
        query: 'query ($id: ID!) { account(accountId: $id) { id } }',
        variables: ({ account }) => ({ id: account }),
      },
      {
        query: `query ($after: String) { account(accountId: "same") { linkedAccounts(after: $after) ${PAGE} } }`,
        variables: ({ cursors }) => ({ after: cursors.linked }),
      },
      {
        query: `query ($after: String) { account(accountId: "same") { sessions(after: $after) ${PAGE} } }`,
        variables: ({ cursors }) => ({ after: cursors.sessions }),
      },
    ],
    routes: {
      'GET /account/{account_id}': {
        behavior: {
          name: 'returns the record of an account',
          params: ({ anna }) => ({ account_id: anna }),
          status: 200,
          keys: ACCOUNT_RECORD,
          answer: ({ anna, email, phone, sessionId, listName }) => ({
            account: { id: anna, email, phone },
            num_sessions: 1,
            last_session: sessionId,
            country: 'US',
            lists: [listName],
          }),
        },
        parity: { writes: false, prepare: linked, refused: noAccount },
        foreign: ofAccount(),
      },
      'GET /account/{account_id}/accounts-linked': {
        behavior: {
          name: 'returns the linked accounts with what they share',
          params: ({ carl }) => ({ account_id: carl }),
          status: 200,
          keys: 'accounts_linked request_id',
          answer: ({ bert, phone, username }) => ({
            accounts_linked: [{ account_id: bert, match_type: ['username'], phone, username }],
          }),
        },
        parity: { writes: false, prepare: linked, refused: noAccount },
        foreign: ofAccount('/accounts-linked'),
      },
      'GET /account/{account_id}/sessions': {
        behavior: {
          name: 'returns the ids of the sessions of an account',
          params: ({ anna }) => ({ account_id: anna }),
          status: 200,
          keys: 'request_id sessions',
          answer: ({ sessionId }) => ({ sessions: [sessionId] }),
        },
        parity: { writes: false, prepare: linked, refused: noAccount },
        foreign: ofAccount('/sessions'),
      },
    },
  },
  'query accounts': {
    behavior: {
      name: 'finds accounts by an identifier',
      document: `query ($username: String!) { accounts(filter: { username: $username }) { edges { node { accountId } } } }`,
      variables: ({ username }) => ({ username }),
      answer: ({ bert, carl }) => ({
        edges: expect.toSatisfy((edges) => namesOf(edges).join() === [bert, carl].sort().join()),
      }),
    },
    foreign: [
      {
        query: `query ($after: String) { accounts(first: 1, after: $after) ${PAGE} }`,
        variables: ({ cursors }) => ({ after: cursors.accounts }),
      },
      filtered(({ phone }) => ({ phone })),
      filtered(({ email }) => ({ email })),
      filtered(({ list }) => ({ list })),
    ],
  },
  'query node': {
    behavior: {
      name: 'returns an object by its global id',
      document: `query ($id: ID!) { node(id: $id) { id ... on Account { accountId } } }`,
      variables: ({ nodeId }) => ({ id: nodeId }),
      answer: ({ nodeId, anna }) => ({ id: nodeId, accountId: anna }),
    },
    foreign: (['account', 'session', 'list'] as const).map((kind) => ({
      query: 'query ($id: ID!) { node(id: $id) { id __typename } }',
      variables: ({ nodes }) => ({ id: nodes[kind] }),
    })),
  },
  'query nodes': {
    behavior: {
      name: 'returns objects in the order of their ids, and null for an unknown id',
      document: `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Account { accountId } } }`,
      variables: ({ nodeId }) => ({ ids: ['unknown', nodeId] }),
      answer: ({ anna }) => [null, { accountId: anna }],
    },
    foreign: [
      {
        query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }',
        variables: ({ nodes }) => ({ ids: Object.values(nodes) }),
      },
    ],
  },
  'mutation updateAccount': {
    behavior: {
      name: 'changes the given fields of an account and keeps the others',
      given: async (client) => ({ id: await createAccount(client, { first_name: 'Eve' }) }),
      document: withInput(
        'updateAccount',
        'UpdateAccountInput',
        'account { accountId firstName lastName group }',
      ),
      variables: ({ id }) => ({ input: { accountId: id, lastName: 'Long', group: 'north' } }),
      answer: ({ id }) => ({
        account: { accountId: id, firstName: 'Eve', lastName: 'Long', group: 'north' },
      }),
    },
    foreign: [
      foreignInput('UpdateAccountInput', 'updateAccount', 'requestId', ({ account }) => ({
        accountId: account,
        username: 'x',
      })),
    ],
    stored: {
      call: ({ id }) => `(input: { accountId: "${id}", username: "new" }) { account { username } }`,
    },
    routes: {
      'PUT /account/{account_id}': {
        behavior: {
          name: 'changes the given fields of an account and keeps the others',
          given: async (client) => ({
            id: await createAccount(client, { first_name: 'Eve', metadata: { tier: 1 } }),
          }),
          params: ({ id }) => ({ account_id: id }),
          request: () => ({ body: { last_name: 'Long', metadata: { region: 'north' } } }),
          status: 200,
          keys: ACCOUNT_RECORD,
          answer: ({ id }) => ({
            account: { id, first_name: 'Eve', last_name: 'Long', metadata: { tier: 1, region: 'north' } },
          }),
        },
        parity: {
          writes: true,
          async prepare(project) {
            return {
              ...(await linked(project)),
              body: {
                id: 'one',
                phone: '',
                last_name: 'King',
                expected_countries: ['gb'],
                metadata: { plan: 'paid' },
              },
            };
          },
          refused: { ...noAccount, body: { first_name: 'Ada' } },
        },
        foreign: { ...ofAccount(), body: () => ({ username: 'taken over' }) },
      },
    },
  },
  'mutation deleteAccount': {
    behavior: {
      name: 'erases an account',
      given: async (client) => ({ id: await createAccount(client) }),
      document: withInput('deleteAccount', 'DeleteAccountInput', 'accountId'),
      variables: ({ id }) => ({ input: { accountId: id } }),
      answer: ({ id }) => ({ accountId: id }),
    },
    foreign: [
      foreignInput('DeleteAccountInput', 'deleteAccount', 'requestId', ({ account }) => ({
        accountId: account,
      })),
    ],

    // The account of the scene is another one.
    stored: {
      call: async ({ project }) => {
        const id = unique('first');
        await project.authenticate({ id });
        return `(input: { accountId: "${id}" }) { accountId }`;
      },
      isKept: true,
    },
    routes: {
      'DELETE /account/{account_id}': {
        behavior: {
          name: 'erases an account',
          given: async (client) => ({ id: await createAccount(client) }),
          params: ({ id }) => ({ account_id: id }),
          status: 200,
          keys: 'account_id request_id success',
          answer: ({ id }) => ({ account_id: id, success: true }),
        },
        parity: { writes: true, prepare: linked, refused: noAccount },
        foreign: ofAccount(),
      },
    },
  },
  'mutation exportAccount': {
    behavior: {
      name: 'returns the first record of what is stored of an account',
      given: async (client) => ({ id: await createAccount(client) }),
      document: withInput(
        'exportAccount',
        'ExportAccountInput',
        'accountId endCursor records { section data }',
      ),
      variables: ({ id }) => ({ input: { accountId: id, first: 1 } }),
      answer: ({ id }) => ({
        accountId: id,
        endCursor: expect.any(String),
        records: [{ section: 'ACCOUNT', data: expect.objectContaining({ accountId: id, numSessions: 1 }) }],
      }),
    },
    foreign: [
      foreignInput('ExportAccountInput', 'exportAccount', 'records { section }', ({ account }) => ({
        accountId: account,
      })),
    ],
    stored: 'Its responses are never stored: test/integration/accounts/export.test.ts.',
    withoutNode: 'It is audited and changes nothing; accountId names what was read.',
  },
  'subscription accountUpdated': {
    behavior: {
      name: 'sends the authentications of an account',
      given: async () => ({ id: unique('mia') }),
      document: `subscription ($after: String, $id: ID) { accountUpdated(after: $after, accountId: $id) { type sessionId accountId } }`,
      variables: ({ id }) => ({ id }),
      cause: async (client, _, { id }) => ({ bound: await client.authenticate({ id }) }),
      answer: ({ id, bound }) => ({
        type: 'ACCOUNT_AUTHENTICATED',
        accountId: id,
        sessionId: bound.session_id,
      }),
    },
  },
};
