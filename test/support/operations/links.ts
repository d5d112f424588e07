import { expect } from 'vitest';
import { unique } from '../../acceptance/interface/client.ts';
import { createAccount } from '../../acceptance/interface/world.ts';
import { edge } from './behavior.ts';
import type { Operations } from './operation.ts';

/** Links and identity groups. */
export const LINKS_OPERATIONS: Operations = {
  'query identityGroup': {
    behavior: {
      name: 'returns the accounts of one person',
      document: `query ($id: ID!) { identityGroup(id: $id) { groupId size accounts { edges { node { accountId } } } } }`,
      variables: ({ groupId }) => ({ id: Buffer.from(`IdentityGroup:${groupId}`).toString('base64') }),
      answer: ({ groupId, anna }) => ({
        groupId,
        size: expect.toSatisfy((size) => size >= 3),
        accounts: edge({ accountId: anna }),
      }),
    },
    foreign: [
      {
        query: 'query ($id: ID!) { identityGroup(id: $id) { groupId size } }',
        variables: ({ identityGroup }) => ({ id: identityGroup }),
      },
    ],
  },
  'query linkGraph': {
    behavior: {
      name: 'returns the accounts around one, level by level',
      document: `query ($id: ID!) { linkGraph(accountId: $id, depth: 1) { nodes { account { accountId } depth }
      edges { from to matchTypes } truncated } }`,
      variables: ({ carl }) => ({ id: carl }),
      answer: ({ bert, carl }) => ({
        nodes: [
          { account: { accountId: carl }, depth: 0 },
          { account: { accountId: bert }, depth: 1 },
        ],
        edges: [{ matchTypes: ['USERNAME'] }],
        truncated: false,
      }),
    },
    foreign: [
      {
        query: 'query ($id: ID!) { linkGraph(accountId: $id) { nodes { account { id } } truncated } }',
        variables: ({ account }) => ({ id: account }),
      },
    ],
  },
  'query linkPath': {
    behavior: {
      name: 'returns the shortest way between two accounts',
      document: `query ($from: ID!, $to: ID!) { linkPath(from: $from, to: $to) { nodes { account { accountId } } hops { matchTypes } } }`,
      variables: ({ anna, carl }) => ({ from: anna, to: carl }),
      answer: ({ anna, bert, carl }) => ({
        nodes: [
          { account: { accountId: anna } },
          { account: { accountId: bert } },
          { account: { accountId: carl } },
        ],
        hops: [{ matchTypes: ['PHONE'] }, { matchTypes: ['USERNAME'] }],
      }),
    },
    foreign: [
      {
        query: 'query ($id: ID!) { linkPath(from: "same", to: $id) { hops { from to } } }',
        variables: ({ account }) => ({ id: account }),
      },
      {
        query: 'query ($id: ID!) { linkPath(from: $id, to: "same") { hops { from to } } }',
        variables: ({ account }) => ({ id: account }),
      },
    ],
  },
  'query whyNotLinked': {
    behavior: {
      name: 'says that two accounts of one group share nothing themselves',
      document: `query ($a: ID!, $b: ID!) { whyNotLinked(a: $a, b: $b) { linked sameGroup evidence { kind } } }`,
      variables: ({ anna, carl }) => ({ a: anna, b: carl }),
      answer: () => ({ linked: false, sameGroup: true, evidence: [] }),
    },
    foreign: [
      {
        query: 'query ($id: ID!) { whyNotLinked(a: "same", b: $id) { score } }',
        variables: ({ account }) => ({ id: account }),
      },
      {
        query: 'query ($id: ID!) { whyNotLinked(a: $id, b: "same") { score } }',
        variables: ({ account }) => ({ id: account }),
      },
    ],
  },
  'subscription accountLinked': {
    behavior: {
      name: 'sends the links of an account that another account creates',
      given: async (client) => ({ shared: unique('shared'), id: await createAccount(client) }),
      document: `subscription ($after: String, $id: ID) { accountLinked(after: $after, accountId: $id) { type accountId data } }`,
      variables: ({ id }) => ({ id }),
      cause: async (client, _, { id, shared }) => {
        await client.ask('PUT', `/account/${id}`, { body: { username: shared } });
        return { other: await createAccount(client, { username: shared }) };
      },
      answer: ({ id, other }) => ({
        ...{ type: 'ACCOUNT_LINKED', accountId: other },
        data: { account_id: other, linked_account_id: id },
      }),
    },
  },
};
