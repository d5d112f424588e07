import type { GraphQLResolveInfo } from 'graphql';
import { countFound, listFoundDeliveries } from '../../domain/webhooks/delivery-read-service.ts';
import { EventTypeEnum } from '../events/event-type.ts';
import { builder } from '../kernel/builder.ts';
import {
  MAX_COUNTED,
  PAGE_ARGS,
  type PageArgs,
  pageCost,
  selectPage,
  toConnection,
} from '../kernel/connection.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { internalIdOf } from '../kernel/node-id.ts';
import { nodesQuery } from '../kernel/nodes-query.ts';
import { WebhookDeliveryState } from '../kernel/webhook-enums.ts';
import { WebhookDeliveryConnection } from './webhook-delivery.ts';

const WebhookDeliveryFilterInput = builder.inputType('WebhookDeliveryFilter', {
  description: 'Conditions on deliveries. A delivery must meet all of them.',
  fields: (t) => ({
    state: t.field({ type: WebhookDeliveryState, description: 'State. DEAD selects failed deliveries.' }),
    endpointId: t.id({ description: 'Global id of the endpoint, or its endpointId.' }),
    eventType: t.field({ type: EventTypeEnum, description: 'Type of the event.' }),
    since: t.field({ type: 'DateTime', description: 'Earliest creation time, inclusive.' }),
    until: t.field({ type: 'DateTime', description: 'Latest creation time, exclusive.' }),
  }),
});

type SearchArgs = PageArgs & { filter?: (typeof WebhookDeliveryFilterInput)['$inferInput'] | null };

async function foundPage(args: SearchArgs, context: GraphQLContext, info: GraphQLResolveInfo) {
  const { viewer } = context;
  const given = args.filter ?? {};
  const endpointId = given.endpointId == null ? null : internalIdOf('WebhookEndpoint', given.endpointId);
  const filter = { ...given, endpointId };
  // An endpoint that cannot exist has no deliveries.
  const isNone = given.endpointId != null && endpointId === null;
  const page = selectPage(args, ['all webhook deliveries', filter], context);
  const query = nodesQuery(context, info);
  return toConnection(isNone ? [] : await listFoundDeliveries(viewer, filter, page, query), page, {
    context,
    position: ({ deliveryId }) => [deliveryId],
    edge: (node) => ({ node }),
    total: async () => (isNone ? 0 : countFound(viewer, filter, MAX_COUNTED + 1)),
  });
}

builder.queryFields((t) => ({
  webhookDeliveries: t.field({
    type: WebhookDeliveryConnection,
    nullable: true,
    description:
      'Deliveries to all webhook endpoints, the newest first. Errors: `auth.forbidden`, `input.invalid`.',
    authScopes: { may: 'webhook.read' },
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      filter: t.arg({ type: WebhookDeliveryFilterInput, description: 'Conditions on deliveries.' }),
    },
    resolve: (_root, args, context, info) => foundPage(args, context, info),
  }),
}));
