import type { EventType } from '@vouchgraph/events';
import {
  type DisabledReason,
  type EndpointState,
  MAX_ENDPOINTS,
  previousSecretsOf,
  type SignatureFormat,
  type SignatureKey,
} from '@vouchgraph/events/webhooks';
import { countEndpointsOf, listEndpointPage } from '../../domain/webhooks/delivery-read-service.ts';
import type { Simulation } from '../../domain/webhooks/simulation-service.ts';
import { eventIdOf } from '../events/event-id.ts';
import { EventTypeEnum } from '../events/event-type.ts';
import { builder } from '../kernel/builder.ts';
import { PAGE_ARGS, pageCost, selectPage, toConnection } from '../kernel/connection.ts';
import { internalIdOf } from '../kernel/node-id.ts';
import { readableUuid } from '../kernel/node-loader.ts';
import {
  WebhookDeliveryState,
  WebhookDisabledReason,
  WebhookEndpointState,
  WebhookSignatureFormat,
  WebhookSignatureKey,
  WebhookSimulationReason,
} from '../kernel/webhook-enums.ts';
import { deliveryPage, WebhookDeliveryConnection } from './webhook-delivery.ts';

export const WebhookEndpointNode = builder.prismaNode('WebhookEndpoint', {
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'URL that receives events over HTTP. Only its creation returns its secret.',
  id: { resolve: (endpoint) => endpoint.endpointId, description: 'Global id.' },
  nullable: true,
  findUnique: (endpointId, { viewer }) => ({
    projectId_endpointId: {
      projectId: viewer.project.projectId,
      endpointId: readableUuid(viewer, 'webhook.read', endpointId),
    },
  }),
  fields: (t) => ({
    endpointId: t.expose('endpointId', { type: 'UUID', description: 'Id of the endpoint.' }),
    url: t.exposeString('url', { description: 'URL of the receiver.' }),
    description: t.string({
      nullable: true,
      description: 'Description. Null if none.',
      resolve: ({ description }) => description || null,
    }),
    eventTypes: t.field({
      type: [EventTypeEnum],
      description: 'Event types that the endpoint receives. Empty: all types, including future ones.',
      resolve: ({ eventTypes }) => eventTypes as EventType[],
    }),
    signatureFormat: t.field({
      type: WebhookSignatureFormat,
      description: 'Format of the signatures.',
      resolve: (e) => e.signatureFormat as SignatureFormat,
    }),
    signatureKey: t.field({
      type: WebhookSignatureKey,
      description: 'Key of the header x-signature. Only the format COMPAT has this header.',
      resolve: (e) => e.signatureKey as SignatureKey,
    }),
    payloadFormat: t.exposeInt('payloadFormat', {
      description:
        'Format of the bodies, as in their key format: 1, or 2, in which email.intelligence.completed is the object of ' +
        'GET /email/{request_id}, without the key format.',
    }),
    ratePerMinute: t.exposeInt('ratePerMinute', {
      nullable: true,
      description: 'Maximum number of attempts per minute. Further attempts wait. Null without a limit.',
    }),
    endpointState: t.field({
      type: WebhookEndpointState,
      description: 'State.',
      resolve: ({ state }) => state as EndpointState,
    }),
    disabledReason: t.field({
      type: WebhookDisabledReason,
      nullable: true,
      description: 'Reason why the endpoint is disabled. Null if it is not disabled.',
      resolve: (e) => (e.disabledReason as DisabledReason | '') || null,
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'Time since which all attempts failed. Null if the latest attempt succeeded.',
    }),
    previousSecretUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'Time until which the latest previous secret also signs. Null if no previous secret signs.',
      resolve: ({ previousSecretUntil: until }, _args, { services }) =>
        until !== null && until > services.clock.now() ? until : null,
    }),
    previousSecretsUntil: t.field({
      type: ['DateTime'],
      description: 'Times until which each of the previous secrets also signs, the latest first, at most 5.',
      resolve: ({ endpointId, previousSecret }, _args, { viewer, services }) =>
        previousSecretsOf(viewer.project.cipher, endpointId, previousSecret, services.clock.now()).map(
          ({ until }) => new Date(until),
        ),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the latest change.' }),
    deliveries: t.field({
      type: WebhookDeliveryConnection,
      description: 'Deliveries, the newest first. Errors: `input.invalid`.',
      complexity: pageCost(5),
      args: {
        ...PAGE_ARGS,
        state: t.arg({
          type: WebhookDeliveryState,
          description: 'State of the deliveries. All states by default.',
        }),
      },
      resolve: ({ endpointId }, args, context, info) => deliveryPage(endpointId, args, context, info),
    }),
  }),
});

const WebhookEndpointConnection = builder.connectionObject(
  {
    type: WebhookEndpointNode,
    name: 'WebhookEndpointConnection',
    description: 'Page of the webhook endpoints of the project.',
  },
  { name: 'WebhookEndpointEdge', description: 'Webhook endpoint in a page.' },
);

const WebhookSimulation = builder.objectRef<Simulation>('WebhookSimulation').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Simulated delivery of an event to an endpoint. Nothing is sent.',
  fields: (t) => ({
    wouldDeliver: t.exposeBoolean('wouldDeliver', {
      description: 'Whether the endpoint would receive the event.',
    }),
    reason: t.expose('reason', { type: WebhookSimulationReason, description: 'Reason.' }),
    body: t.exposeString('body', {
      mask: 'json_text',
      nullable: true,
      description:
        'Body with the event, or with the newest event of the type. Null if the newest 10,000 events ' +
        'contain none of the type.',
    }),
  }),
});

builder.queryFields((t) => ({
  webhookEndpoints: t.field({
    type: WebhookEndpointConnection,
    nullable: true,
    description:
      `Webhook endpoints, the oldest first. A project can have at most ${MAX_ENDPOINTS}. Errors: ` +
      '`auth.forbidden`, `input.invalid`.',
    authScopes: { may: 'webhook.read' },
    complexity: pageCost(5),
    args: PAGE_ARGS,
    resolve: async (_root, args, context) => {
      const { viewer } = context;
      const page = selectPage(args, ['webhook endpoints'], context);
      return toConnection(await listEndpointPage(viewer, page), page, {
        context,
        position: ({ endpointId }) => [endpointId],
        edge: (node) => ({ node }),
        total: () => countEndpointsOf(viewer),
      });
    },
  }),
  webhookEndpoint: t.field({
    type: WebhookEndpointNode,
    nullable: true,
    description: 'Webhook endpoint by its id. Null if it does not exist. Errors: `auth.forbidden`.',
    authScopes: { may: 'webhook.read' },
    args: { id: t.arg.id({ required: true, description: 'Global id of the endpoint, or its endpointId.' }) },
    resolve: (_root, { id }, { viewer, services }) => {
      const endpointId = internalIdOf('WebhookEndpoint', id);
      return endpointId === null ? null : services.webhooks.find(viewer, endpointId);
    },
  }),
  simulateWebhook: t.field({
    type: WebhookSimulation,
    nullable: true,
    description:
      'Body of an event for an endpoint, and whether the endpoint would receive it. Nothing is sent. ' +
      'Errors: `webhook.endpoint_not_found`, `webhook.event_not_found`, `input.invalid`.',
    authScopes: { may: 'webhook.read' },
    complexity: 5,
    args: {
      endpointId: t.arg.id({ required: true, description: 'Global id of the endpoint, or its endpointId.' }),
      type: t.arg({
        type: EventTypeEnum,
        description: 'Type of the event. Exactly one of type and eventId is required.',
      }),
      eventId: t.arg.id({ description: 'Global id of the event, or its eventId.' }),
    },
    resolve: (_root, { endpointId, type, eventId }, { viewer, services }) =>
      services.webhooks.simulate(viewer, internalIdOf('WebhookEndpoint', endpointId) ?? '', {
        type,
        eventId: eventId == null ? null : eventIdOf(eventId),
      }),
  }),
}));
