import { endpointChangesShape, newEndpointShape } from '@vouchgraph/events/webhooks';
import { EventTypeEnum } from '../events/event-type.ts';
import { builder } from '../kernel/builder.ts';
import { inputFrom } from '../kernel/input-from.ts';

const ENDPOINT_ID = {
  required: true,
  description: 'Global id of the endpoint, or its endpointId.',
} as const;

export const CreateWebhookEndpointInput = inputFrom(newEndpointShape);
export const UpdateWebhookEndpointInput = inputFrom(endpointChangesShape);

export const DeleteWebhookEndpointInput = builder.inputType('DeleteWebhookEndpointInput', {
  description: 'Webhook endpoint to delete.',
  fields: (t) => ({ id: t.id(ENDPOINT_ID) }),
});

export const RotateWebhookSecretInput = builder.inputType('RotateWebhookSecretInput', {
  description: 'Webhook endpoint whose secret is replaced.',
  fields: (t) => ({ id: t.id(ENDPOINT_ID) }),
});

export const ResendWebhookDeliveryInput = builder.inputType('ResendWebhookDeliveryInput', {
  description: 'Delivery to resend.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Global id of the delivery, or its deliveryId.' }),
  }),
});

export const ResendWebhooksSinceInput = builder.inputType('ResendWebhooksSinceInput', {
  description: 'Deliveries to resend.',
  fields: (t) => ({
    endpointId: t.id(ENDPOINT_ID),
    since: t.field({ type: 'DateTime', required: true, description: 'Earliest time of the events.' }),
    onlyDead: t.boolean({ description: 'Whether only dead deliveries are resent. False by default.' }),
    first: t.int({ description: 'Maximum number of deliveries, 1 to 10,000. 10,000 by default.' }),
    after: t.string({ description: 'endCursor of the previous call with the same input.' }),
  }),
});

export const SendTestWebhookInput = builder.inputType('SendTestWebhookInput', {
  description: 'Test event to send.',
  fields: (t) => ({
    endpointId: t.id(ENDPOINT_ID),
    type: t.field({ type: EventTypeEnum, required: true, description: 'Type of the event.' }),
  }),
});
