import { type EventType, fromOwnSide } from '@vouchgraph/events';
import type { DeliveryState } from '@vouchgraph/events/webhooks';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { GraphQLResolveInfo } from 'graphql';
import { EventRef } from '../events/event.ts';
import { EventTypeEnum } from '../events/event-type.ts';
import { builder } from '../kernel/builder.ts';
import { MAX_COUNTED, type PageArgs, rangeOf, selectPage, toConnection } from '../kernel/connection.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { readableUuid } from '../kernel/node-loader.ts';
import { nodesQuery } from '../kernel/nodes-query.ts';
import { WebhookDeliveryState } from '../kernel/webhook-enums.ts';

export const RESPONSE_BODY = 'First 1,024 bytes of the body of the response. Null without a response.';
export const ATTEMPT_ERROR = 'Reason of a failure that status does not show. Null otherwise.';

export const WebhookDeliveryNode = builder.prismaNode('WebhookDelivery', {
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Delivery of one event to one endpoint.',
  id: { resolve: (d) => d.deliveryId, description: 'Global id.' },
  nullable: true,
  findUnique: (deliveryId, { viewer }) => ({
    projectId_deliveryId: {
      projectId: viewer.project.projectId,
      deliveryId: readableUuid(viewer, 'webhook.read', deliveryId),
    },
  }),
  fields: (t) => ({
    deliveryId: t.expose('deliveryId', { type: 'UUID', description: 'Id of the delivery.' }),
    endpointId: t.expose('endpointId', { type: 'UUID', description: 'Id of the endpoint.' }),
    endpoint: t.relation('endpoint', { nullable: true, description: 'Endpoint. Null if it was deleted.' }),
    eventId: t.expose('eventId', {
      type: 'UUID',
      description: 'Id of the event, which is the header webhook-id of each attempt.',
    }),
    event: t.field({
      type: EventRef,
      nullable: true,
      description: 'Event. Null if it was erased or expired.',
      complexity: 2,
      resolve: async ({ eventId }, _args, { viewer, loaders }) => {
        const event = await loaders.event.load(eventId);
        return event ? fromOwnSide(viewer, event) : null;
      },
    }),
    eventType: t.field({
      type: EventTypeEnum,
      description: 'Type of the event.',
      resolve: (d) => d.eventType as EventType,
    }),
    deliveryState: t.field({
      type: WebhookDeliveryState,
      description: 'State.',
      resolve: ({ state }) => state as DeliveryState,
    }),
    attemptCount: t.exposeInt('attempts', {
      description: 'Number of attempts since the creation, or since the latest resend, at most 10.',
    }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'Earliest time of the next attempt. Null if none is pending. Null if an earlier delivery of the ' +
        'same account has no attempt.',
      resolve: ({ state, nextAttemptAt }) => (state === 'waiting' ? nextAttemptAt : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the delivery was delivered, dead or dropped. Null if it is waiting.',
    }),
    body: t.string({
      mask: 'json_text',
      nullable: true,
      description:
        'Body of the requests, which is the same in every attempt. Null if the event was ' +
        'erased or expired.',
      complexity: 2,
      resolve: ({ deliveryId }, _args, { loaders }) => loaders.webhookBody.load(deliveryId),
    }),
    attempts: t.relation('attemptRows', {
      description: `Attempts, the newest first, at most ${LIMITS.pageSize}.`,
      complexity: { field: 2, multiplier: 5 },
      query: { orderBy: { attemptId: 'desc' }, take: LIMITS.pageSize },
    }),
  }),
});

export const WebhookDeliveryConnection = builder.connectionObject(
  {
    type: WebhookDeliveryNode,
    name: 'WebhookDeliveryConnection',
    description: 'Page of webhook deliveries.',
  },
  { name: 'WebhookDeliveryEdge', description: 'Delivery in a page.' },
);

/** A page of the deliveries of an endpoint, the newest first. */
export async function deliveryPage(
  endpointId: string,
  args: PageArgs & { state?: DeliveryState | null },
  context: GraphQLContext,
  info: GraphQLResolveInfo,
) {
  const { loaders } = context;
  const state = args.state ?? null;
  const selected = selectPage(args, ['webhook deliveries', endpointId, state], context);
  const asked = { state, page: rangeOf(selected), query: nodesQuery(context, info) };
  const rows = await loaders.deliveryPages(asked).load(endpointId);
  return toConnection(rows, selected, {
    context,
    position: ({ deliveryId }) => [deliveryId],
    edge: (node) => ({ node }),
    total: () => loaders.deliveryCounts(state, MAX_COUNTED + 1).load(endpointId),
  });
}
