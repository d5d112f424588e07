import { expect } from 'vitest';
import { unique } from '../../acceptance/interface/client.ts';
import type { Operations } from './operation.ts';

/** Events. */
export const EVENTS_OPERATIONS: Operations = {
  'query events': {
    behavior: {
      name: 'returns the stored events of an account',
      document: `query ($id: ID!) { events(accountId: $id, types: [ACCOUNT_AUTHENTICATED]) {
      edges { node { type accountId sessionId data } } headCursor } }`,
      variables: ({ anna }) => ({ id: anna }),
      answer: ({ anna, sessionId }) => ({
        edges: [
          { node: { type: 'ACCOUNT_AUTHENTICATED', accountId: anna, sessionId, data: { account_id: anna } } },
        ],
        headCursor: expect.any(String),
      }),
    },
    foreign: [
      {
        query: `query ($after: String) { events(after: $after) { edges { node { id } } } }`,
        variables: ({ cursors }) => ({ after: cursors.events }),
      },
      {
        query: `query ($id: ID) { events(accountId: $id) { edges { node { id } } } }`,
        variables: ({ account }) => ({ id: account }),
      },
      {
        query: `query ($id: ID) { events(sessionId: $id) { edges { node { id } } } }`,
        variables: ({ session }) => ({ id: session }),
      },
    ],
  },
  'subscription events': {
    behavior: {
      name: 'sends the events of an account and a type',
      given: async () => ({ id: unique('liv') }),
      document: `subscription ($after: String, $id: ID) { events(after: $after, accountId: $id, types: [ACCOUNT_UPDATED]) {
      type accountId account { firstName } } }`,
      variables: ({ id }) => ({ id }),
      cause: async (client, _, { id }) => {
        await client.authenticate({ id });
        await client.ask('PUT', `/account/${id}`, { body: { first_name: 'Liv' } });
      },
      answer: ({ id }) => ({ type: 'ACCOUNT_UPDATED', accountId: id, account: { firstName: 'Liv' } }),
    },
  },
};
