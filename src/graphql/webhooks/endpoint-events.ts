import { shownFacts } from '@vouchgraph/events';
import { liveNode } from '../events/event.ts';
import { objectType } from '../events/event-objects.ts';
import { builder } from '../kernel/builder.ts';
import { asText } from '../kernel/stored-facts.ts';
import { WebhookEndpointNode } from './webhook.ts';

builder.objectFields(objectType('webhook.endpoint_disabled'), (t) => ({
  webhookEndpoint: t.field({
    type: WebhookEndpointNode,
    nullable: true,
    description: 'Current state of the endpoint. Null if it was deleted or the viewer may not read it.',
    complexity: 3,
    resolve: (event, _args, { viewer, services }) => {
      const endpointId = asText(shownFacts(viewer, event).endpointId);
      return liveNode(endpointId, (id) => services.webhooks.find(viewer, id));
    },
  }),
}));
