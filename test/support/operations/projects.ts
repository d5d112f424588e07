import { expect } from 'vitest';
import { edge, withInput } from './behavior.ts';
import { NAMES_NOTHING, PAGE } from './foreign.ts';
import type { Operations } from './operation.ts';

/** The project, its keys, settings and registered documents. */
export const PROJECTS_OPERATIONS: Operations = {
  'query project': {
    behavior: {
      name: 'returns the project of the key',
      document: '{ project { projectId environment name } }',
      answer: ({ projectId }) => ({ projectId, environment: 'SANDBOX', name: 'Sandbox' }),
    },
    foreign: NAMES_NOTHING,
  },
  'query apiKeys': {
    behavior: {
      name: 'returns the keys of the project, without the keys themselves',
      document: `{ apiKeys(last: 1) { totalCount { isExact } edges { node { role prefix revokedAt } } } }`,
      answer: () => ({
        totalCount: { isExact: true },
        edges: [{ node: { role: 'OPERATOR', prefix: expect.stringMatching(/^vg_test_/), revokedAt: null } }],
      }),
    },
    foreign: NAMES_NOTHING,
  },
  'query auditLog': {
    behavior: {
      name: 'records who created a list',
      document: `query ($target: String!) { auditLog(filter: { target: $target, actions: [LIST_CREATE] }) {
      totalCount { value isExact } edges { node { action actorKind target actor } } } }`,
      variables: ({ listName }) => ({ target: `list:${listName}` }),
      answer: ({ listName }) => ({
        totalCount: { value: 1, isExact: true },
        edges: [
          {
            node: {
              action: 'LIST_CREATE',
              actorKind: 'KEY',
              target: `list:${listName}`,
              actor: expect.stringMatching(/^vg_test_/),
            },
          },
        ],
      }),
    },
    foreign: [
      {
        query: `query ($after: String) { auditLog(first: 1, after: $after) ${PAGE} }`,
        variables: ({ cursors }) => ({ after: cursors.audit }),
      },
      {
        query: `query ($id: ID!) { auditLog(accountId: $id) ${PAGE} }`,
        variables: ({ account }) => ({ id: account }),
      },
      {
        query: `query ($target: String!) { auditLog(filter: { target: $target }) ${PAGE} }`,
        variables: ({ list }) => ({ target: `list:${list}` }),
      },
    ],
  },
  'query auditHead': {
    behavior: {
      name: 'returns the signed end of the chain of the project',
      document: '{ auditHead { projectId hash publicKey signature } }',
      answer: ({ projectId }) => ({
        projectId,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        publicKey: expect.stringMatching(/^[\w-]{43}$/),
        signature: expect.stringMatching(/^[\w-]{86}$/),
      }),
    },
    foreign: NAMES_NOTHING,
  },
  'query queryCost': {
    behavior: {
      name: 'returns the cost of its document',
      document: '{ queryCost { cost limit costliestField } }',
      answer: () => ({ cost: 4, limit: 20_000, costliestField: 'queryCost' }),
    },
    foreign: NAMES_NOTHING,
  },
  'query persistedOperations': {
    behavior: {
      name: 'lists registered documents',
      given: async (client) => {
        const { registerOperations } = await client.graphql(
          `mutation { registerOperations(input: { documents: [{ text: "query Listed { project { name } }" }] }) {
          operations { sha256Hash } } }`,
        );
        return { hash: registerOperations.operations[0].sha256Hash };
      },
      document: '{ persistedOperations { edges { node { sha256Hash operationNames } } } }',
      answer: ({ hash }) => edge({ sha256Hash: hash, operationNames: ['Listed'] }),
    },
    foreign: 'test/integration/operations has its cases.',
  },
  'query demonstrationData': {
    behavior: {
      name: 'returns null for a project without demonstration data',
      document: '{ demonstrationData { id demonstrationState } }',
      answer: () => null,
    },
    foreign: NAMES_NOTHING,
  },
  'mutation createDemonstrationData': {
    behavior: {
      name: 'starts to create demonstration data',
      // The next case removes it, before it is among the accounts of others.
      document: 'mutation { createDemonstrationData { demonstrationData { demonstrationState problem } } }',
      answer: () => ({ demonstrationData: { demonstrationState: 'FILLING', problem: null } }),
    },
    foreign: NAMES_NOTHING,
    stored: 'The response contains the state of the data, and nothing of an account.',
  },
  'mutation removeDemonstrationData': {
    behavior: {
      name: 'starts to remove demonstration data',
      // The case before has created it, unless this one runs alone.
      given: (client) =>
        client.graphql('mutation { createDemonstrationData { requestId } }').catch(() => ({})),
      document: 'mutation { removeDemonstrationData { demonstrationData { demonstrationState } } }',
      answer: () => ({ demonstrationData: { demonstrationState: 'REMOVING' } }),
    },
    foreign: NAMES_NOTHING,
    stored: {
      call: () => ' { requestId }',
      isRefused: true,
    },
  },
  'mutation createBrowserToken': {
    behavior: {
      name: 'returns a token for a page',
      document: withInput('createBrowserToken', 'CreateBrowserTokenInput', 'token expiresAt'),
      variables: ({ anna }) => ({ input: { scopes: ['LINKS'], accountId: anna, ttlSeconds: 60 } }),
      answer: () => ({ token: expect.stringMatching(/^vg/), expiresAt: expect.any(String) }),
    },
    foreign: NAMES_NOTHING,
    stored: { call: ({ id }) => `(input: { scopes: [ACCOUNT], accountId: "${id}" }) { token }` },
    withoutNode: 'A token is signed and not stored: it has no identity.',
  },
  'mutation updateProjectSettings': {
    behavior: {
      name: 'changes a setting and keeps the others',
      document: withInput(
        'updateProjectSettings',
        'UpdateProjectSettingsInput',
        'settings { seenFaceDays fakeFrom }',
      ),
      variables: () => ({ input: { seenFaceDays: 30 } }),
      answer: () => ({ settings: { seenFaceDays: 30, fakeFrom: 0.7 } }),
    },
    foreign: NAMES_NOTHING,
    stored: { call: () => '(input: { fakeFrom: 0.9 }) { requestId }', isKept: true },
  },
  'mutation registerOperations': {
    behavior: {
      name: 'registers a document by the SHA-256 of its text',
      document: withInput('registerOperations', 'RegisterOperationsInput', 'operations { sha256Hash text }'),
      variables: () => ({ input: { documents: [{ text: '{ __typename }' }] } }),
      answer: () => ({
        operations: [
          {
            sha256Hash: '7f56e67dd21ab3f30d1ff8b7bed08893f0a0db86449836189b361dd1e56ddb4b',
            text: '{ __typename }',
          },
        ],
      }),
    },
    foreign: 'test/integration/operations has its cases.',
    stored: {
      call: () => '(input: { documents: [{ text: "{ project { name } }" }] }) { operations { sha256Hash } }',
      isKept: true,
    },
  },
  'mutation deleteOperations': {
    behavior: {
      name: 'ignores the hash of a document that is not registered',
      document: withInput('deleteOperations', 'DeleteOperationsInput', 'deletedIds'),
      variables: () => ({ input: { sha256Hashes: ['0'.repeat(64)] } }),
      answer: () => ({ deletedIds: [] }),
    },
    foreign: 'test/integration/operations has its cases.',
    stored: {
      call: () => `(input: { sha256Hashes: ["${'0'.repeat(64)}"] }) { deletedIds }`,
      isKept: true,
    },
  },
};
