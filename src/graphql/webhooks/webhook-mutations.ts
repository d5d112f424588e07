import type { WithSecret } from '../../domain/webhooks/endpoint-service.ts';
import type { Resent } from '../../domain/webhooks/resend-service.ts';
import type { TestResult } from '../../domain/webhooks/simulation-service.ts';
import { builder } from '../kernel/builder.ts';
import { globalIdOf, internalIdOf } from '../kernel/node-id.ts';
import { payloadType } from '../kernel/payload.ts';
import { shownError, WebhookAttemptError } from '../kernel/webhook-enums.ts';
import { WebhookEndpointNode } from './webhook.ts';
import { ATTEMPT_ERROR, RESPONSE_BODY, WebhookDeliveryNode } from './webhook-delivery.ts';
import {
  CreateWebhookEndpointInput,
  DeleteWebhookEndpointInput,
  ResendWebhookDeliveryInput,
  ResendWebhooksSinceInput,
  RotateWebhookSecretInput,
  SendTestWebhookInput,
  UpdateWebhookEndpointInput,
} from './webhook-inputs.ts';

/** The id of an endpoint that an input names; '' when it is the id of none. */
const endpointOf = (given: string): string => internalIdOf('WebhookEndpoint', given) ?? '';

const SECRET = 'Secret of the signatures: whsec_ and 32 bytes in base64. Never returned again.';

const withSecret = (name: string, description: string) =>
  payloadType<WithSecret>(name, description, { subjects: 'none' }, (t) => ({
    endpoint: t.expose('endpoint', { type: WebhookEndpointNode, description: 'Endpoint.' }),
    secret: t.exposeString('secret', { mask: 'none', description: SECRET }),
  }));

const CreateWebhookEndpointPayload = withSecret(
  'CreateWebhookEndpointPayload',
  'Created endpoint with its secret.',
);
const RotateWebhookSecretPayload = withSecret('RotateWebhookSecretPayload', 'Endpoint with its new secret.');

const UpdateWebhookEndpointPayload = payloadType<{ endpoint: typeof WebhookEndpointNode.$inferType }>(
  'UpdateWebhookEndpointPayload',
  'Endpoint after the changes.',
  { subjects: 'none' },
  (t) => ({
    endpoint: t.expose('endpoint', { type: WebhookEndpointNode, description: 'Endpoint.' }),
  }),
);

const DeleteWebhookEndpointPayload = payloadType<{ deletedId: string }>(
  'DeleteWebhookEndpointPayload',
  'Deleted endpoint.',
  { subjects: 'none' },
  (t) => ({
    deletedId: t.exposeID('deletedId', { description: 'Global id of the deleted endpoint.' }),
  }),
);

const ResendWebhookDeliveryPayload = payloadType<{ delivery: typeof WebhookDeliveryNode.$inferType }>(
  'ResendWebhookDeliveryPayload',
  'Resent delivery.',
  { subjects: 'wide' },
  (t) => ({
    delivery: t.expose('delivery', {
      type: WebhookDeliveryNode,
      description: 'Delivery, waiting for its first attempt.',
    }),
  }),
);

const ResendWebhooksSincePayload = payloadType<Resent>(
  'ResendWebhooksSincePayload',
  'Resent deliveries.',
  { subjects: 'wide' },
  (t) => ({
    endpoint: t.expose('endpoint', { type: WebhookEndpointNode, description: 'Endpoint.' }),
    count: t.exposeInt('count', {
      description: 'Number of resent deliveries, without those of erased events.',
    }),
    endCursor: t.exposeString('endCursor', {
      mask: 'none',
      nullable: true,
      description: 'Value of after for the next call. Null if there are no further deliveries.',
    }),
  }),
);

const SendTestWebhookPayload = payloadType<TestResult>(
  'SendTestWebhookPayload',
  'Response of the receiver to a test event.',
  { subjects: 'wide' },
  (t) => ({
    endpoint: t.expose('endpoint', { type: WebhookEndpointNode, description: 'Endpoint.' }),
    eventId: t.expose('eventId', { type: 'UUID', description: 'Id of the test event.' }),
    delivered: t.exposeBoolean('delivered', { description: 'Whether the receiver answered 2xx.' }),
    status: t.int({
      nullable: true,
      description: 'HTTP status of the response. Null without a response.',
      resolve: ({ outcome }) => outcome.status,
    }),
    durationMs: t.int({
      description: 'Duration in milliseconds.',
      resolve: ({ outcome }) => outcome.durationMs,
    }),
    error: t.field({
      type: WebhookAttemptError,
      nullable: true,
      description: ATTEMPT_ERROR,
      resolve: ({ outcome }) => shownError(outcome.error),
    }),
    responseBody: t.string({
      mask: 'text',
      nullable: true,
      description: RESPONSE_BODY,
      resolve: ({ outcome }) => outcome.answer || null,
    }),
  }),
);

builder.mutationFields((t) => ({
  createWebhookEndpoint: t.field({
    isIdempotent: false,
    type: CreateWebhookEndpointPayload,
    nullable: true,
    description:
      'Creates an endpoint. It receives events emitted from now on. A project can have at most 100 ' +
      'endpoints. Errors: `webhook.too_many_endpoints`, `input.invalid`.',
    authScopes: { may: 'webhook.manage' },
    args: {
      input: t.arg({ type: CreateWebhookEndpointInput, required: true, description: 'Endpoint.' }),
    },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      ...(await services.webhooks.create(viewer, requestId, input)),
    }),
  }),
  updateWebhookEndpoint: t.field({
    isIdempotent: false,
    type: UpdateWebhookEndpointPayload,
    nullable: true,
    description:
      'Changes, pauses or resumes an endpoint. Errors: `webhook.endpoint_not_found`, `input.invalid`.',
    authScopes: { may: 'webhook.manage' },
    args: {
      input: t.arg({
        type: UpdateWebhookEndpointInput,
        required: true,
        description: 'Endpoint and changes.',
      }),
    },
    resolve: async (_root, { input: { id, ...changes } }, { viewer, services, requestId }) => ({
      requestId,
      endpoint: await services.webhooks.update(viewer, requestId, endpointOf(id), changes),
    }),
  }),
  deleteWebhookEndpoint: t.field({
    isIdempotent: false,
    type: DeleteWebhookEndpointPayload,
    nullable: true,
    description: 'Deletes an endpoint with all its deliveries. Errors: `webhook.endpoint_not_found`.',
    authScopes: { may: 'webhook.manage' },
    args: { input: t.arg({ type: DeleteWebhookEndpointInput, required: true, description: 'Endpoint.' }) },
    resolve: async (_root, { input: { id } }, { viewer, services, requestId }) => {
      const endpointId = endpointOf(id);
      await services.webhooks.remove(viewer, requestId, endpointId);
      return { requestId, deletedId: globalIdOf('WebhookEndpoint', endpointId) };
    },
  }),
  rotateWebhookSecret: t.field({
    isIdempotent: false,
    type: RotateWebhookSecretPayload,
    nullable: true,
    description:
      'Replaces the secret of an endpoint. Deliveries are signed with both secrets for 24 hours. ' +
      'Errors: `webhook.endpoint_not_found`.',
    authScopes: { may: 'webhook.manage' },
    args: { input: t.arg({ type: RotateWebhookSecretInput, required: true, description: 'Endpoint.' }) },
    resolve: async (_root, { input: { id } }, { viewer, services, requestId }) => ({
      requestId,
      ...(await services.webhooks.rotate(viewer, requestId, endpointOf(id))),
    }),
  }),
}));

/** Deliveries. */
builder.mutationFields((t) => ({
  resendWebhookDelivery: t.field({
    isIdempotent: false,
    type: ResendWebhookDeliveryPayload,
    nullable: true,
    description:
      'Resends a delivery in any state, with all attempts. Errors: `webhook.delivery_not_found`, ' +
      '`webhook.event_not_found` (erased, expired, or impossible to decrypt), `webhook.endpoint_not_enabled`.',
    authScopes: { may: 'webhook.manage' },
    args: {
      input: t.arg({ type: ResendWebhookDeliveryInput, required: true, description: 'Delivery to resend.' }),
    },
    resolve: async (_root, { input: { id } }, { viewer, services, requestId }) => ({
      requestId,
      delivery: await services.webhooks.resend(viewer, requestId, internalIdOf('WebhookDelivery', id) ?? ''),
    }),
  }),
  resendWebhooksSince: t.field({
    isIdempotent: false,
    type: ResendWebhooksSincePayload,
    nullable: true,
    description:
      'Resends the delivered and dead deliveries of an endpoint since a time, the oldest first, at most ' +
      '10,000 per call. Errors: `webhook.endpoint_not_found`, `webhook.endpoint_not_enabled`, ' +
      '`input.invalid`.',
    authScopes: { may: 'webhook.manage' },
    args: {
      input: t.arg({ type: ResendWebhooksSinceInput, required: true, description: 'Deliveries to resend.' }),
    },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      ...(await services.webhooks.resendSince(viewer, requestId, {
        endpointId: endpointOf(input.endpointId),
        since: input.since,
        onlyDead: input.onlyDead ?? false,
        first: input.first ?? undefined,
        after: input.after ?? null,
      })),
    }),
  }),
  sendTestWebhook: t.field({
    isIdempotent: false,
    type: SendTestWebhookPayload,
    nullable: true,
    description:
      'Sends a test event of any type to an endpoint, in one attempt. It is signed like other events. ' +
      'It contains the data of the example in docs/events.md and "test": true. No delivery is stored. ' +
      'The payload contains the response of the receiver. Errors: `webhook.endpoint_not_found`, ' +
      '`input.invalid`.',
    authScopes: { may: 'webhook.manage' },
    args: {
      input: t.arg({
        type: SendTestWebhookInput,
        required: true,
        description: 'Endpoint and type of the event.',
      }),
    },
    resolve: async (_root, { input: { endpointId, type } }, { viewer, services, requestId }) => ({
      requestId,
      ...(await services.webhooks.sendTest(viewer, requestId, endpointOf(endpointId), type)),
    }),
  }),
}));
