import { createAccount, createList } from '../../acceptance/interface/world.ts';
import { DONE, withInput } from './behavior.ts';
import { foreignInput } from './foreign.ts';
import type { Operations } from './operation.ts';
import { listed } from './parity.ts';

/** Accounts of lists. */
export const LIST_MEMBERS_OPERATIONS: Operations = {
  'mutation addAccountsToList': {
    behavior: {
      name: 'adds accounts to a list and reports the unknown ones',
      given: async (client) => ({ id: await createAccount(client), list: await createList(client) }),
      document: withInput(
        'addAccountsToList',
        'AddAccountsToListInput',
        'list { name memberCount } results { accountId outcome }',
      ),
      variables: ({ id, list }) => ({ input: { list, accountIds: [id, 'nobody'], reason: 'a reason' } }),
      answer: ({ id, list }) => ({
        list: { name: list, memberCount: 1 },
        results: [
          { accountId: id, outcome: 'ADDED' },
          { accountId: 'nobody', outcome: 'NOT_FOUND' },
        ],
      }),
    },
    foreign: [
      foreignInput('AddAccountsToListInput', 'addAccountsToList', 'results { outcome }', ({ account }) => ({
        list: 'block',
        accountIds: [account],
      })),
      foreignInput('AddAccountsToListInput', 'addAccountsToList', 'results { outcome }', ({ list }) => ({
        list,
        accountIds: ['same'],
      })),
    ],
    stored: {
      call: ({ id, otherList }) =>
        `(input: { list: "${otherList}", accountIds: ["${id}"] }) { results { outcome } }`,
    },
    routes: {
      'POST /list/{list_name}/account/{account_id}': {
        behavior: {
          name: 'adds an account to a list',
          given: async (client) => ({ id: await createAccount(client), name: await createList(client) }),
          params: ({ id, name }) => ({ account_id: id, list_name: name }),
          status: 200,
          keys: DONE,
          answer: ({ name }) => ({ message: `Account added to ${name}`, success: true }),
        },
        parity: {
          writes: true,
          prepare: async (project) => {
            await listed(project);
            return { params: { list_name: 'allow', account_id: 'one' } };
          },
          refused: {
            params: { list_name: 'allow', account_id: 'nobody' },
            message: 'Account not found.',
          },
        },
        foreign: { path: ({ account }) => `/list/block/account/${account}` },
        stored: {
          call: ({ id, otherList }) => ({ path: `/list/${otherList}/account/${id}`, body: {} }),
        },
      },
    },
  },
  'mutation removeAccountsFromList': {
    behavior: {
      name: 'removes accounts from a list',
      given: async (client) => {
        const id = await createAccount(client);
        return { id, list: await createList(client, [id]) };
      },
      document: withInput(
        'removeAccountsFromList',
        'RemoveAccountsFromListInput',
        'list { name memberCount } results { accountId outcome }',
      ),
      variables: ({ id, list }) => ({ input: { list, accountIds: [id], keepOff: true } }),
      answer: ({ id, list }) => ({
        list: { name: list, memberCount: 0 },
        results: [{ accountId: id, outcome: 'REMOVED' }],
      }),
    },
    foreign: [
      foreignInput(
        'RemoveAccountsFromListInput',
        'removeAccountsFromList',
        'results { outcome }',
        ({ list }) => ({
          list,
          accountIds: ['same'],
        }),
      ),
    ],
    stored: {
      call: ({ id, list }) => `(input: { list: "${list}", accountIds: ["${id}"] }) { results { accountId } }`,
    },
    routes: {
      'DELETE /list/{list_name}/account/{account_id}': {
        behavior: {
          name: 'removes an account from a list',
          given: async (client) => {
            const id = await createAccount(client);
            return { id, name: await createList(client, [id]) };
          },
          params: ({ id, name }) => ({ account_id: id, list_name: name }),
          status: 200,
          keys: DONE,
          answer: ({ name }) => ({ message: `Account removed from ${name}`, success: true }),
        },
        parity: {
          writes: true,
          prepare: async (project) => {
            await listed(project);
            return { params: { list_name: 'beta', account_id: 'one' } };
          },
          refused: { params: { list_name: 'nothing', account_id: 'one' }, message: 'List not found.' },
        },
        foreign: { path: ({ list }) => `/list/${list}/account/same` },
      },
    },
  },
  'mutation liftKeepOff': {
    behavior: {
      name: 'lets rules add an account again, and reports one that was not kept off',
      given: async (client, { anna }) => {
        const id = await createAccount(client);
        const list = await createList(client, [id]);
        const input = { list, accountIds: [id], keepOff: true };
        await client.graphql(
          withInput('removeAccountsFromList', 'RemoveAccountsFromListInput', 'requestId'),
          {
            input,
          },
        );
        return { id, list, other: anna };
      },
      document: withInput('liftKeepOff', 'LiftKeepOffInput', 'list { name } results { accountId outcome }'),
      variables: ({ id, list, other }) => ({ input: { list, accountIds: [id, other] } }),
      answer: ({ id, list, other }) => ({
        list: { name: list },
        results: [
          { accountId: id, outcome: 'LIFTED' },
          { accountId: other, outcome: 'NOT_KEPT_OFF' },
        ],
      }),
    },
    foreign: [
      foreignInput('LiftKeepOffInput', 'liftKeepOff', 'results { outcome }', ({ list }) => ({
        list,
        accountIds: ['same'],
      })),
    ],
    stored: {
      call: ({ id, list }) => `(input: { list: "${list}", accountIds: ["${id}"] }) { results { accountId } }`,
    },
  },
  'mutation moveAccounts': {
    behavior: {
      name: 'moves accounts from one list to another',
      given: async (client) => {
        const id = await createAccount(client);
        return { id, source: await createList(client, [id]), target: await createList(client) };
      },
      document: withInput(
        'moveAccounts',
        'MoveAccountsInput',
        'moved conflict notFound sourceList { memberCount } targetList { name memberCount } results { accountId outcome }',
      ),
      variables: ({ id, source, target }) => ({
        input: { sourceList: source, targetList: target, accountIds: [id] },
      }),
      answer: ({ id, target }) => ({
        ...{ moved: 1, conflict: 0, notFound: 0 },
        sourceList: { memberCount: 0 },
        targetList: { name: target, memberCount: 1 },
        results: [{ accountId: id, outcome: 'MOVED' }],
      }),
    },
    foreign: [
      foreignInput('MoveAccountsInput', 'moveAccounts', 'results { outcome }', ({ account }) => ({
        sourceList: 'regulars',
        targetList: 'block',
        accountIds: [account],
      })),
      foreignInput('MoveAccountsInput', 'moveAccounts', 'results { outcome }', ({ list }) => ({
        sourceList: list,
        targetList: 'block',
        accountIds: ['same'],
      })),
    ],
    stored: {
      call: ({ id, list, otherList }) =>
        `(input: { sourceList: "${list}", targetList: "${otherList}", accountIds: ["${id}"] }) { results { accountId } }`,
    },
    routes: {
      'POST /list/{list_name}/account/move': {
        behavior: {
          name: 'moves an account to another list and reports an unknown one',
          given: async (client) => {
            const id = await createAccount(client);
            return { id, source: await createList(client, [id]), target: await createList(client) };
          },
          params: ({ source }) => ({ list_name: source }),
          request: ({ id, target }) => ({ body: { target_list: target, account_ids: [id, 'nobody'] } }),
          status: 200,
          keys: 'conflict moved not_found request_id results success',
          answer: ({ id }) => ({
            moved: 1,
            conflict: 0,
            not_found: 1,
            results: [
              { account_id: id, outcome: 'moved' },
              { account_id: 'nobody', outcome: 'not_found' },
            ],
          }),
        },
        parity: {
          writes: true,
          prepare: async (project) => ({
            ...(await listed(project)),
            body: { account_ids: ['two', 'one', 'nobody'], target_list: 'block' },
          }),
          refused: {
            params: { list_name: 'block' },
            body: { account_ids: ['one'], target_list: 'nothing' },
            message: 'Target list not found: "nothing"',
          },
        },
        foreign: {
          path: ({ list }) => `/list/${list}/account/move`,
          body: ({ account }) => ({ account_ids: [account, 'same'], target_list: 'block' }),
        },
        stored: {
          call: ({ id, list, otherList }) => ({
            path: `/list/${list}/account/move`,
            body: { account_ids: [id], target_list: otherList },
          }),
        },
      },
    },
  },
};
