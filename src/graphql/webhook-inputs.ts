import { endpointChangesShape, newEndpointShape } from '../domain/webhooks/endpoint-input.ts';
import { builder } from './builder.ts';
import { EventTypeEnum } from './events/event-type.ts';
import { WebhookSignatureFormat } from './webhook-enums.ts';

const URL_RULE =
  'URL that events are sent to: https, a public host, at most 2,000 characters, without user name, password and ' +
  'fragment. In sandbox projects also http on loopback, where WEBHOOK_ALLOW_LOOPBACK is set.';
const DESCRIPTION = 'Description, at most 1,024 characters.';
const TYPES = 'Types of the events that it receives; empty for all.';
const RATE = 'Maximum number of attempts per minute, at most 60,000; 0 for no limit.';
const ENDPOINT_ID = { required: true, description: 'Global id of the endpoint.' } as const;
const REFERENCED_ENDPOINT = {
  required: true,
  description: 'Global id of the endpoint, or its endpointId.',
} as const;

export const CreateWebhookEndpointInput = builder.inputType('CreateWebhookEndpointInput', {
  description: 'New webhook endpoint.',
  fields: (t) => ({
    url: t.string({ required: true, description: URL_RULE }),
    eventTypes: t.field({ type: [EventTypeEnum], description: `${TYPES} All by default.` }),
    description: t.string({ description: `${DESCRIPTION} None by default.` }),
    signatureFormat: t.field({
      type: WebhookSignatureFormat,
      description: 'Format of the signatures; STANDARD by default.',
    }),
    ratePerMinute: t.int({ description: `${RATE} No limit by default.` }),
  }),
  validate: newEndpointShape,
});

export const UpdateWebhookEndpointInput = builder.inputType('UpdateWebhookEndpointInput', {
  description: 'Changes of a webhook endpoint. Null and absent fields are not changed.',
  fields: (t) => ({
    id: t.id(ENDPOINT_ID),
    url: t.string({ description: URL_RULE }),
    eventTypes: t.field({ type: [EventTypeEnum], description: `${TYPES} They replace the previous types.` }),
    description: t.string({ description: DESCRIPTION }),
    signatureFormat: t.field({ type: WebhookSignatureFormat, description: 'Format of the signatures.' }),
    payloadFormat: t.int({ description: 'Format of the bodies. 1 is the only one at present.' }),
    ratePerMinute: t.int({ description: RATE }),
    paused: t.boolean({
      description:
        'True: the endpoint is paused. False: it is resumed, also when it was disabled, and receives the missed events.',
    }),
    resumeFrom: t.field({
      type: 'DateTime',
      description: 'With paused: false. Earlier events are dropped; none by default.',
    }),
  }),
  validate: endpointChangesShape,
});

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
  fields: (t) => ({ id: t.id({ required: true, description: 'Global id of the delivery.' }) }),
});

export const ResendWebhooksSinceInput = builder.inputType('ResendWebhooksSinceInput', {
  description: 'Deliveries to resend.',
  fields: (t) => ({
    endpointId: t.id(REFERENCED_ENDPOINT),
    since: t.field({ type: 'DateTime', required: true, description: 'Earliest time of the events.' }),
    onlyDead: t.boolean({ description: 'True: only dead deliveries. False by default.' }),
    first: t.int({ description: 'Maximum number of deliveries, 1 to 10,000; 10,000 by default.' }),
    after: t.string({ description: 'endCursor of the previous call with the same input.' }),
  }),
});

export const SendTestWebhookInput = builder.inputType('SendTestWebhookInput', {
  description: 'Test event.',
  fields: (t) => ({
    endpointId: t.id(REFERENCED_ENDPOINT),
    type: t.field({ type: EventTypeEnum, required: true, description: 'Type of the event.' }),
  }),
});
