import { expect } from 'vitest';
import { unique } from '../../acceptance/interface/client.ts';
import { createAccount, createList } from '../../acceptance/interface/world.ts';
import { DONE, withInput } from './behavior.ts';
import { foreignInput, NAMES_NOTHING } from './foreign.ts';
import type { Operations } from './operation.ts';
import { listed, noList } from './parity.ts';

/** Lists. */
export const LISTS_OPERATIONS: Operations = {
  'query list': {
    behavior: {
      name: 'returns a list with the accounts on it',
      document: `query ($name: String!) { list(name: $name) { name description effect standard memberCount
      members { edges { node { accountId } } } } }`,
      variables: ({ listName }) => ({ name: listName }),
      answer: ({ listName, anna }) => ({
        ...{ name: listName, description: 'Friends of the house', effect: 'NONE', standard: false },
        memberCount: 1,
        members: { edges: [{ node: { accountId: anna } }] },
      }),
    },
    foreign: [
      {
        query: 'query ($name: String!) { list(name: $name) { id } }',
        variables: ({ list }) => ({ name: list }),
      },
    ],
    routes: {
      'GET /list/{list_name}': {
        behavior: {
          name: 'returns a page of the accounts on a list',
          params: ({ listName }) => ({ list_name: listName }),
          request: () => ({ query: { limit: '10' } }),
          status: 200,
          keys: 'accounts description next_cursor request_id',
          answer: ({ anna }) => ({
            accounts: [anna],
            description: 'Friends of the house',
            next_cursor: null,
          }),
        },
        parity: {
          writes: false,
          prepare: async (project) => ({ ...(await listed(project)), query: { limit: '1' } }),
          refused: { params: { list_name: 'nothing' }, message: 'List not found' },
        },
        foreign: { path: ({ list }) => `/list/${list}` },
      },
    },
  },
  'query lists': {
    behavior: {
      name: 'returns all lists, the standard ones among them',
      document: `{ lists(first: 100) { edges { node { name effect } } } }`,
      answer: ({ listName }) => ({
        edges: expect.arrayContaining([
          { node: { name: listName, effect: 'NONE' } },
          { node: { name: 'block', effect: 'BLOCK' } },
          { node: { name: 'allow', effect: 'ALLOW' } },
        ]),
      }),
    },
    foreign: NAMES_NOTHING,
    routes: {
      'GET /list': {
        behavior: {
          name: 'returns all lists with their descriptions',
          status: 200,
          keys: 'lists request_id',
          answer: ({ listName }) => ({
            lists: expect.arrayContaining([
              { name: listName, description: 'Friends of the house' },
              { name: 'block', description: expect.any(String) },
            ]),
          }),
        },
        parity: {
          writes: false,
          async prepare(project) {
            await listed(project);
            return {};
          },
          refused: null,
        },
        foreign: NAMES_NOTHING,
      },
    },
  },
  'mutation createList': {
    behavior: {
      name: 'creates a list with an effect',
      given: async () => ({ list: unique('list') }),
      document: withInput('createList', 'CreateListInput', 'list { name description effect memberCount }'),
      variables: ({ list }) => ({ input: { name: list, description: 'New', effect: 'BLOCK' } }),
      answer: ({ list }) => ({ list: { name: list, description: 'New', effect: 'BLOCK', memberCount: 0 } }),
    },
    foreign: NAMES_NOTHING,
    stored: { call: () => `(input: { name: "${unique('list')}" }) { list { name } }`, isKept: true },
    routes: {
      'POST /list/{list_name}': {
        behavior: {
          name: 'creates a list',
          given: async () => ({ name: unique('created') }),
          params: ({ name }) => ({ list_name: name }),
          request: () => ({ body: { list_description: 'New' } }),
          status: 200,
          keys: DONE,
          answer: ({ name }) => ({ message: `List ${name} created`, success: true }),
        },
        parity: {
          writes: true,
          prepare: async () => ({
            params: { list_name: 'vip' },
            body: { list_description: 'Known in person' },
          }),
          refused: { params: { list_name: 'block' }, body: {}, message: 'List already exists.' },
        },
        foreign: NAMES_NOTHING,
        body: {},
        stored: {
          call: () => ({ path: `/list/${unique('list')}`, body: {} }),
          isKept: true,
        },
      },
    },
  },
  'mutation updateList': {
    behavior: {
      name: 'changes the effect of a list and keeps its description',
      given: async (client) => ({ list: await createList(client) }),
      document: withInput('updateList', 'UpdateListInput', 'list { name description effect }'),
      variables: ({ list }) => ({ input: { name: list, effect: 'ALLOW' } }),
      answer: ({ list }) => ({ list: { name: list, description: 'Made for a row', effect: 'ALLOW' } }),
    },
    foreign: [
      foreignInput('UpdateListInput', 'updateList', 'requestId', ({ list }) => ({
        name: list,
        effect: 'block',
      })),
    ],
    stored: {
      call: ({ list }) => `(input: { name: "${list}", description: "new" }) { list { name } }`,
      isKept: true,
    },
    routes: {
      'PATCH /list/{list_name}': {
        behavior: {
          name: 'changes the description of a list',
          given: async (client) => ({ name: await createList(client) }),
          params: ({ name }) => ({ list_name: name }),
          request: () => ({ body: { list_description: 'Other' } }),
          status: 200,
          keys: DONE,
          answer: ({ name }) => ({ message: `List ${name} updated`, success: true }),
        },
        parity: {
          writes: true,
          prepare: async (project) => ({ ...(await listed(project)), body: { list_description: 'Known' } }),
          refused: { ...noList, body: { list_description: 'Known' } },
        },
        foreign: { path: ({ list }) => `/list/${list}`, body: () => ({ list_description: 'taken over' }) },
      },
    },
  },
  'mutation deleteList': {
    behavior: {
      name: 'deletes a list',
      given: async (client) => ({ list: await createList(client) }),
      document: withInput('deleteList', 'DeleteListInput', 'deletedId name'),
      variables: ({ list }) => ({ input: { name: list } }),
      answer: ({ list }) => ({ deletedId: expect.any(String), name: list }),
    },
    foreign: [foreignInput('DeleteListInput', 'deleteList', 'requestId', ({ list }) => ({ name: list }))],
    stored: { call: ({ otherList }) => `(input: { name: "${otherList}" }) { name }`, isKept: true },
    routes: {
      'DELETE /list/{list_name}': {
        behavior: {
          name: 'deletes a list',
          given: async (client) => ({ name: await createList(client) }),
          params: ({ name }) => ({ list_name: name }),
          status: 200,
          keys: DONE,
          answer: ({ name }) => ({ message: `List ${name} deleted`, success: true }),
        },
        parity: { writes: true, prepare: listed, refused: noList },
        foreign: { path: ({ list }) => `/list/${list}` },
      },
    },
  },
  'subscription listChanged': {
    behavior: {
      name: 'sends the changes of a list',
      given: async (client) => ({ id: await createAccount(client), list: await createList(client) }),
      document: `subscription ($after: String, $name: String) { listChanged(after: $after, name: $name) { type accountId data } }`,
      variables: ({ list }) => ({ name: list }),
      cause: (client, _, { id, list }) => client.ask('POST', `/list/${list}/account/${id}`),
      answer: ({ id, list }) => ({ type: 'LIST_ACCOUNT_ADDED', accountId: id, data: { list } }),
    },
  },
};
