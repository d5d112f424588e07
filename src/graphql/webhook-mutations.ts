import type { Delivery, Endpoint } from '../domain/webhooks/endpoint.ts';
import { endpointChangesShape, newEndpointShape } from '../domain/webhooks/endpoint-input.ts';
import type { Resent, Simulation, TestResult, WithSecret } from '../domain/webhooks/endpoint-service.ts';
import { builder } from './builder.ts';
import {
  ANSWER,
  ERROR,
  WebhookDeliveryType,
  WebhookEndpointType,
  WebhookSignatureFormat,
} from './webhook.ts';

const URL_RULE =
  'Where events are sent: https, a host on the internet, 2,000 characters at most, without user name, password and ' +
  'fragment. Sandbox projects may name http on loopback where WEBHOOK_ALLOW_LOOPBACK is set.';
const DESCRIPTION = 'What it is for, 1,024 characters at most.';
const TYPES = 'Types of events that it is told of, such as account.authenticated; empty for all.';
const RATE = 'Most attempts a minute, 60,000 at most; 0 for no limit.';
const ENDPOINT_ID = { required: true, description: 'Id of the endpoint.' } as const;

const CreateWebhookEndpointInput = builder.inputType('CreateWebhookEndpointInput', {
  description: 'A new webhook endpoint.',
  fields: (t) => ({
    url: t.string({ required: true, description: URL_RULE }),
    eventTypes: t.stringList({ description: `${TYPES} All by default.` }),
    description: t.string({ description: `${DESCRIPTION} Empty by default.` }),
    signatureFormat: t.field({
      type: WebhookSignatureFormat,
      description: 'How deliveries are signed; STANDARD by default.',
    }),
    ratePerMinute: t.int({ description: `${RATE} No limit by default.` }),
  }),
  validate: newEndpointShape,
});

const UpdateWebhookEndpointInput = builder.inputType('UpdateWebhookEndpointInput', {
  description: 'Changes of a webhook endpoint. Null and absent fields leave what there is.',
  fields: (t) => ({
    id: t.id(ENDPOINT_ID),
    url: t.string({ description: URL_RULE }),
    eventTypes: t.stringList({ description: `Replaces all of them. ${TYPES}` }),
    description: t.string({ description: DESCRIPTION }),
    signatureFormat: t.field({ type: WebhookSignatureFormat, description: 'How deliveries are signed.' }),
    ratePerMinute: t.int({ description: RATE }),
    paused: t.boolean({
      description:
        'True: it rests. False: it is told again, also after it was disabled, of all that it missed.',
    }),
    resumeFrom: t.field({
      type: 'DateTime',
      description: 'With paused: false. What happened before is passed over; by default nothing is.',
    }),
  }),
  validate: endpointChangesShape,
});

const DeleteWebhookEndpointInput = builder.inputType('DeleteWebhookEndpointInput', {
  description: 'Which webhook endpoint is deleted.',
  fields: (t) => ({ id: t.id(ENDPOINT_ID) }),
});

const RotateWebhookSecretInput = builder.inputType('RotateWebhookSecretInput', {
  description: 'Which webhook endpoint is given a new secret.',
  fields: (t) => ({ id: t.id(ENDPOINT_ID) }),
});

type WithRequest = { requestId: string };
const REQUEST_ID = { type: 'UUID', description: 'Id of this request.' } as const;
const SECRET =
  'The secret that deliveries are signed with, whsec_ and 32 bytes as base64: keep it, it is not shown again.';

const withSecret = (name: string, description: string) =>
  builder.objectRef<WithRequest & WithSecret>(name).implement({
    description,
    fields: (t) => ({
      requestId: t.field({ ...REQUEST_ID, resolve: (p) => p.requestId }),
      endpoint: t.field({
        type: WebhookEndpointType,
        description: 'The endpoint.',
        resolve: (p) => p.endpoint,
      }),
      secret: t.exposeString('secret', { description: SECRET }),
    }),
  });

const CreateWebhookEndpointPayload = withSecret(
  'CreateWebhookEndpointPayload',
  'The endpoint that was made, with its secret.',
);
const RotateWebhookSecretPayload = withSecret(
  'RotateWebhookSecretPayload',
  'The endpoint with its new secret.',
);

const UpdateWebhookEndpointPayload = builder
  .objectRef<WithRequest & { endpoint: Endpoint }>('UpdateWebhookEndpointPayload')
  .implement({
    description: 'The endpoint after the changes.',
    fields: (t) => ({
      requestId: t.field({ ...REQUEST_ID, resolve: (p) => p.requestId }),
      endpoint: t.field({
        type: WebhookEndpointType,
        description: 'The endpoint as it is now.',
        resolve: (p) => p.endpoint,
      }),
    }),
  });

const DeleteWebhookEndpointPayload = builder
  .objectRef<WithRequest & { deletedId: string }>('DeleteWebhookEndpointPayload')
  .implement({
    description: 'The endpoint that was deleted.',
    fields: (t) => ({
      requestId: t.field({ ...REQUEST_ID, resolve: (p) => p.requestId }),
      deletedId: t.id({ description: 'Its id.', resolve: (p) => p.deletedId }),
    }),
  });

const ResendWebhookDeliveryPayload = builder
  .objectRef<WithRequest & { delivery: Delivery }>('ResendWebhookDeliveryPayload')
  .implement({
    description: 'A delivery that is sent again.',
    fields: (t) => ({
      requestId: t.field({ ...REQUEST_ID, resolve: (p) => p.requestId }),
      delivery: t.field({
        type: WebhookDeliveryType,
        description: 'The delivery, which waits for its first attempt anew.',
        resolve: (p) => p.delivery,
      }),
    }),
  });

const ResendWebhooksSincePayload = builder
  .objectRef<WithRequest & Resent>('ResendWebhooksSincePayload')
  .implement({
    description: 'Deliveries that are sent again.',
    fields: (t) => ({
      requestId: t.field({ ...REQUEST_ID, resolve: (p) => p.requestId }),
      count: t.exposeInt('count', { description: 'How many; what was erased meanwhile is left out.' }),
      endCursor: t.exposeID('endCursor', {
        nullable: true,
        description: 'Give it as after, to go on behind what was looked at; null when there is nothing more.',
      }),
    }),
  });

const SimulateWebhookPayload = builder
  .objectRef<WithRequest & Simulation>('SimulateWebhookPayload')
  .implement({
    description: 'What would be sent. Nothing was.',
    fields: (t) => ({
      requestId: t.field({ ...REQUEST_ID, resolve: (p) => p.requestId }),
      wouldDeliver: t.exposeBoolean('wouldDeliver', {
        description: 'Whether the endpoint would be sent it.',
      }),
      reason: t.exposeString('reason', {
        description: 'Why: type_chosen, type_not_chosen, endpoint_paused or endpoint_disabled.',
      }),
      body: t.exposeString('body', {
        nullable: true,
        description:
          'The body that would be sent: of the event, or of the newest of the type; null when none of the type is ' +
          'among the newest 10,000.',
      }),
    }),
  });

const SendTestWebhookPayload = builder
  .objectRef<WithRequest & TestResult>('SendTestWebhookPayload')
  .implement({
    description: 'What the receiver made of a test event.',
    fields: (t) => ({
      requestId: t.field({ ...REQUEST_ID, resolve: (p) => p.requestId }),
      eventId: t.field({ type: 'UUID', description: 'Id of the test event.', resolve: (p) => p.eventId }),
      delivered: t.exposeBoolean('delivered', { description: 'Whether it was taken: answered 2xx.' }),
      status: t.int({
        nullable: true,
        description: 'HTTP status of the answer; null when none came.',
        resolve: ({ outcome }) => outcome.status,
      }),
      durationMs: t.int({
        description: 'How long it took, in milliseconds.',
        resolve: ({ outcome }) => outcome.durationMs,
      }),
      error: t.string({
        nullable: true,
        description: ERROR,
        resolve: ({ outcome }) => outcome.error || null,
      }),
      answer: t.string({
        nullable: true,
        description: ANSWER,
        resolve: ({ outcome }) => outcome.answer || null,
      }),
    }),
  });

builder.mutationFields((t) => ({
  createWebhookEndpoint: t.field({
    type: CreateWebhookEndpointPayload,
    description:
      'Makes an endpoint, which is told of what happens from now on; 100 in a project at most. Errors: ' +
      'webhook.too_many_endpoints, input.invalid.',
    authScopes: { may: 'webhook.manage' },
    args: {
      input: t.arg({ type: CreateWebhookEndpointInput, required: true, description: 'The endpoint.' }),
    },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      ...(await services.webhooks.create(viewer, requestId, input)),
    }),
  }),
  updateWebhookEndpoint: t.field({
    type: UpdateWebhookEndpointPayload,
    description:
      'Changes, pauses or resumes an endpoint. Without a change nothing is written. Errors: ' +
      'webhook.endpoint_not_found, input.invalid.',
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
      endpoint: await services.webhooks.update(viewer, requestId, String(id), changes),
    }),
  }),
  deleteWebhookEndpoint: t.field({
    type: DeleteWebhookEndpointPayload,
    description: 'Deletes an endpoint for good, with all its deliveries. Errors: webhook.endpoint_not_found.',
    authScopes: { may: 'webhook.manage' },
    args: { input: t.arg({ type: DeleteWebhookEndpointInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { id } }, { viewer, services, requestId }) => {
      await services.webhooks.remove(viewer, requestId, String(id));
      return { requestId, deletedId: String(id) };
    },
  }),
  rotateWebhookSecret: t.field({
    type: RotateWebhookSecretPayload,
    description:
      'Gives an endpoint a new secret. For 24 hours the one before signs besides, so that receivers can change over. ' +
      'Errors: webhook.endpoint_not_found.',
    authScopes: { may: 'webhook.manage' },
    args: { input: t.arg({ type: RotateWebhookSecretInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { id } }, { viewer, services, requestId }) => ({
      requestId,
      ...(await services.webhooks.rotate(viewer, requestId, String(id))),
    }),
  }),
}));

/** Deliveries of endpoints. */
builder.mutationFields((t) => ({
  resendWebhookDelivery: t.field({
    type: ResendWebhookDeliveryPayload,
    description:
      'Sends a delivery again, whatever became of it, with all attempts anew. Errors: webhook.delivery_not_found, ' +
      'webhook.event_not_found (erased, or too old), webhook.endpoint_not_enabled.',
    authScopes: { may: 'webhook.manage' },
    args: { id: t.arg.id({ required: true, description: 'Id of the delivery.' }) },
    resolve: async (_root, { id }, { viewer, services, requestId }) => ({
      requestId,
      delivery: await services.webhooks.resend(viewer, requestId, String(id)),
    }),
  }),
  resendWebhooksSince: t.field({
    type: ResendWebhooksSincePayload,
    description:
      'Sends again what an endpoint was told since a moment, the oldest first: all that was delivered or is dead. ' +
      'Looks at 10,000 at most a call: endCursor leads on. Errors: webhook.endpoint_not_found, webhook.endpoint_not_enabled, ' +
      'input.invalid.',
    authScopes: { may: 'webhook.manage' },
    args: {
      endpointId: t.arg.id(ENDPOINT_ID),
      since: t.arg({ type: 'DateTime', required: true, description: 'Events at this moment or later.' }),
      onlyDead: t.arg.boolean({ description: 'True: only what was never taken. False by default.' }),
      first: t.arg.int({ description: 'How many to look at, 1 to 10,000; 10,000 by default.' }),
      after: t.arg.id({ description: 'The endCursor of the call before, with the same arguments.' }),
    },
    resolve: async (
      _root,
      { endpointId, since, onlyDead, first, after },
      { viewer, services, requestId },
    ) => ({
      requestId,
      ...(await services.webhooks.resendSince(viewer, requestId, {
        endpointId: String(endpointId),
        since,
        onlyDead: onlyDead ?? false,
        first: first ?? undefined,
        after: after == null ? null : String(after),
      })),
    }),
  }),
  simulateWebhook: t.field({
    type: SimulateWebhookPayload,
    description:
      'Says whether an endpoint would be sent an event, why, and what. Sends and writes nothing. Errors: ' +
      'webhook.endpoint_not_found, webhook.event_not_found, input.invalid.',
    authScopes: { may: 'webhook.manage' },
    args: {
      endpointId: t.arg.id(ENDPOINT_ID),
      type: t.arg.string({ description: 'A type of event; this or eventId.' }),
      eventId: t.arg.id({ description: 'Id of an event; this or type.' }),
    },
    resolve: async (_root, { endpointId, type, eventId }, { viewer, services, requestId }) => ({
      requestId,
      ...(await services.webhooks.simulate(viewer, String(endpointId), {
        type,
        eventId: eventId == null ? null : String(eventId),
      })),
    }),
  }),
  sendTestWebhook: t.field({
    type: SendTestWebhookPayload,
    description:
      'Sends an endpoint a test event at once, whether or not it asked for the type: signed like any other, with a ' +
      'fresh id, and data that is {"test": true}. It is tried once. Errors: webhook.endpoint_not_found, input.invalid.',
    authScopes: { may: 'webhook.manage' },
    args: {
      endpointId: t.arg.id(ENDPOINT_ID),
      type: t.arg.string({ required: true, description: 'Type of the event.' }),
    },
    resolve: async (_root, { endpointId, type }, { viewer, services, requestId }) => ({
      requestId,
      ...(await services.webhooks.sendTest(viewer, requestId, String(endpointId), type)),
    }),
  }),
}));
