import { expect } from 'vitest';
import { until } from '../../acceptance/gateway-process.ts';
import { createList } from '../../acceptance/interface/world.ts';
import { delivered, newEndpoint, withInput } from './behavior.ts';
import { foreignInput, NAMES_NOTHING } from './foreign.ts';
import type { Operations } from './operation.ts';

/** Webhooks. */
export const WEBHOOKS_OPERATIONS: Operations = {
  'query webhookEndpoint': {
    behavior: {
      name: 'returns a webhook endpoint',
      document: `query ($id: ID!) { webhookEndpoint(id: $id) { id url description eventTypes endpointState } }`,
      variables: ({ endpointId }) => ({ id: endpointId }),
      answer: ({ endpointId, receiver }) => ({
        ...{ id: endpointId, url: receiver.url('/world'), description: 'Of the world' },
        ...{ eventTypes: ['LIST_ACCOUNT_ADDED'], endpointState: 'ENABLED' },
      }),
    },
    foreign: [
      {
        query:
          'query ($id: ID!) { webhookEndpoint(id: $id) { id deliveries(first: 1) { edges { node { id } } } } }',
        variables: ({ endpoint }) => ({ id: endpoint }),
      },
    ],
  },
  'query webhookEndpoints': {
    behavior: {
      name: 'returns all webhook endpoints',
      document: `{ webhookEndpoints { edges { node { id url } } totalCount { isExact } } }`,
      answer: ({ endpointId, receiver }) => ({
        edges: expect.arrayContaining([{ node: { id: endpointId, url: receiver.url('/world') } }]),
        totalCount: { isExact: true },
      }),
    },
    foreign: NAMES_NOTHING,
  },
  'query webhookDeliveries': {
    behavior: {
      name: 'finds deliveries of the project by endpoint and type',
      given: async (client, { endpointId, bert }) => {
        await createList(client, [bert]);
        const find = `query ($id: ID) { webhookDeliveries(filter: { endpointId: $id }) { edges { node { id } } } }`;
        await until(
          'a delivery',
          async () => (await client.graphql(find, { id: endpointId })).webhookDeliveries.edges.length > 0,
        );
        return {};
      },
      document: `query ($id: ID) { webhookDeliveries(filter: { endpointId: $id, eventType: LIST_ACCOUNT_ADDED }, first: 1) {
      edges { node { endpoint { id } eventType } } } }`,
      variables: ({ endpointId }) => ({ id: endpointId }),
      answer: ({ endpointId }) => ({
        edges: [{ node: { endpoint: { id: endpointId }, eventType: 'LIST_ACCOUNT_ADDED' } }],
      }),
    },
    foreign: [
      {
        query: `query ($id: ID) { webhookDeliveries(filter: { endpointId: $id }) { edges { node { id } } totalCount { value } } }`,
        variables: ({ endpoint }) => ({ id: endpoint }),
      },
    ],
  },
  'query webhookAttempts': {
    behavior: {
      name: 'returns the last attempt with its delivery and endpoint',
      given: async (client, { bert }) => {
        await createList(client, [bert]);
        const find = '{ webhookAttempts(first: 1) { edges { node { attemptId } } } }';
        await until('an attempt', async () => (await client.graphql(find)).webhookAttempts.edges.length > 0);
        return {};
      },
      document: '{ webhookAttempts(first: 1) { edges { node { attemptId delivery { endpoint { id } } } } } }',
      variables: () => ({}),
      answer: ({ endpointId }) => ({
        edges: [{ node: { attemptId: expect.any(String), delivery: { endpoint: { id: endpointId } } } }],
      }),
    },
    foreign: NAMES_NOTHING,
  },
  'query simulateWebhook': {
    behavior: {
      name: 'returns that an endpoint does not receive a type that it did not select',
      document: `query ($id: ID!) { simulateWebhook(endpointId: $id, type: RULE_CUSTOM) { wouldDeliver reason } }`,
      variables: ({ endpointId }) => ({ id: endpointId }),
      answer: () => ({ wouldDeliver: false, reason: 'TYPE_NOT_CHOSEN' }),
    },
    foreign: [
      {
        query:
          'query ($id: ID!) { simulateWebhook(endpointId: $id, type: ACCOUNT_UPDATED) { wouldDeliver } }',
        variables: ({ endpoint }) => ({ id: endpoint }),
      },
    ],
  },
  'mutation createWebhookEndpoint': {
    behavior: {
      name: 'creates an endpoint and returns its secret',
      document: withInput(
        'createWebhookEndpoint',
        'CreateWebhookEndpointInput',
        'secret endpoint { url eventTypes endpointState signatureFormat }',
      ),
      variables: ({ receiver }) => ({ input: { url: receiver.url('/new'), eventTypes: ['RULE_CUSTOM'] } }),
      answer: ({ receiver }) => ({
        secret: expect.stringMatching(/^whsec_/),
        endpoint: {
          ...{ url: receiver.url('/new'), eventTypes: ['RULE_CUSTOM'] },
          ...{ endpointState: 'ENABLED', signatureFormat: 'STANDARD' },
        },
      }),
    },
    foreign: NAMES_NOTHING,
    stored: {
      call: () => '(input: { url: "https://hooks.example.invalid/" }) { endpoint { id } }',
      isKept: true,
    },
  },
  'mutation updateWebhookEndpoint': {
    behavior: {
      name: 'pauses an endpoint',
      given: async (client, { receiver }) => ({ id: await newEndpoint(client, receiver.url()) }),
      document: withInput(
        'updateWebhookEndpoint',
        'UpdateWebhookEndpointInput',
        'endpoint { id endpointState description }',
      ),
      variables: ({ id }) => ({ input: { id, paused: true, description: 'Pausing' } }),
      answer: ({ id }) => ({ endpoint: { id, endpointState: 'PAUSED', description: 'Pausing' } }),
    },
    foreign: [
      foreignInput('UpdateWebhookEndpointInput', 'updateWebhookEndpoint', 'requestId', ({ endpoint }) => ({
        id: endpoint,
        paused: true,
      })),
    ],
    stored: {
      call: ({ session }) => `(input: { id: "${session}", paused: true }) { requestId }`,
      isRefused: true,
    },
  },
  'mutation rotateWebhookSecret': {
    behavior: {
      name: 'returns a new secret and keeps the previous one for a time',
      given: async (client, { receiver }) => ({ id: await newEndpoint(client, receiver.url()) }),
      document: withInput(
        'rotateWebhookSecret',
        'RotateWebhookSecretInput',
        'secret endpoint { id previousSecretUntil }',
      ),
      variables: ({ id }) => ({ input: { id } }),
      answer: ({ id }) => ({
        secret: expect.stringMatching(/^whsec_/),
        endpoint: { id, previousSecretUntil: expect.any(String) },
      }),
    },
    foreign: [
      foreignInput('RotateWebhookSecretInput', 'rotateWebhookSecret', 'requestId', ({ endpoint }) => ({
        id: endpoint,
      })),
    ],
    stored: {
      call: ({ session }) => `(input: { id: "${session}" }) { requestId }`,
      isRefused: true,
    },
  },
  'mutation deleteWebhookEndpoint': {
    behavior: {
      name: 'deletes an endpoint',
      given: async (client, { receiver }) => ({ id: await newEndpoint(client, receiver.url()) }),
      document: withInput('deleteWebhookEndpoint', 'DeleteWebhookEndpointInput', 'deletedId'),
      variables: ({ id }) => ({ input: { id } }),
      answer: ({ id }) => ({ deletedId: id }),
    },
    foreign: [
      foreignInput('DeleteWebhookEndpointInput', 'deleteWebhookEndpoint', 'requestId', ({ endpoint }) => ({
        id: endpoint,
      })),
    ],
    stored: {
      call: ({ session }) => `(input: { id: "${session}" }) { requestId }`,
      isRefused: true,
    },
  },
  'mutation sendTestWebhook': {
    behavior: {
      name: 'sends a test event at once and returns the response',
      document: withInput(
        'sendTestWebhook',
        'SendTestWebhookInput',
        'delivered status error endpoint { id }',
      ),
      variables: ({ endpointId }) => ({ input: { endpointId, type: 'RULE_CUSTOM' } }),
      answer: ({ endpointId }) => ({
        ...{ delivered: true, status: 200, error: null, endpoint: { id: endpointId } },
      }),
    },
    foreign: [
      {
        query:
          'mutation ($id: ID!) { sendTestWebhook(input: { endpointId: $id, type: ACCOUNT_UPDATED }) { requestId } }',
        variables: ({ endpoint }) => ({ id: endpoint }),
      },
    ],
    stored: {
      call: ({ session }) => `(input: { endpointId: "${session}", type: ACCOUNT_DELETED }) { requestId }`,
      isRefused: true,
    },
  },
  'mutation resendWebhookDelivery': {
    behavior: {
      name: 'sends a delivery again',
      given: (client, { receiver }) => delivered(client, receiver.url('/resent')),
      document: withInput(
        'resendWebhookDelivery',
        'ResendWebhookDeliveryInput',
        'delivery { id eventId endpoint { id } }',
      ),
      variables: ({ delivery }) => ({ input: { id: delivery.id } }),
      answer: ({ delivery, id }) => ({
        delivery: { id: delivery.id, eventId: delivery.eventId, endpoint: { id } },
      }),
    },
    foreign: [
      {
        query: 'mutation ($id: ID!) { resendWebhookDelivery(input: { id: $id }) { requestId } }',
        variables: ({ delivery }) => ({ id: delivery }),
      },
    ],
    stored: {
      call: ({ session }) => `(input: { id: "${session}" }) { requestId }`,
      isRefused: true,
    },
  },
  'mutation resendWebhooksSince': {
    behavior: {
      name: 'sends the deliveries since a time again and counts them',
      given: (client, { receiver }) => delivered(client, receiver.url('/resent-since')),
      document: withInput('resendWebhooksSince', 'ResendWebhooksSinceInput', 'count endCursor'),
      variables: ({ id }) => ({
        input: { endpointId: id, since: new Date(Date.now() - 3_600_000).toISOString() },
      }),
      answer: () => ({ count: 1, endCursor: null }),
    },
    foreign: [
      {
        query:
          'mutation ($id: ID!) { resendWebhooksSince(input: { endpointId: $id, since: "2020-01-01T00:00:00Z" }) { requestId } }',
        variables: ({ endpoint }) => ({ id: endpoint }),
      },
    ],
    stored: {
      call: ({ session }) =>
        `(input: { endpointId: "${session}", since: "2020-01-01T00:00:00Z" }) { requestId }`,
      isRefused: true,
    },
  },
};
