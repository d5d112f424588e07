import type { AttemptRow } from '../domain/webhooks/delivery-read-service.ts';
import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryState,
  ENDPOINT_STATES,
  type Endpoint,
  type EndpointState,
  MOST_ENDPOINTS,
} from '../domain/webhooks/endpoint.ts';
import { decodeCursor } from '../platform/cursor.ts';
import { isUuid } from '../platform/ids.ts';
import { LIMITS } from '../platform/limits.ts';
import { builder } from './builder.ts';
import { pageSize, toPage } from './connection.ts';
import type { GraphQLContext } from './context.ts';

export const WebhookSignatureFormat = builder.enumType('WebhookSignatureFormat', {
  description: 'How deliveries are signed.',
  values: {
    STANDARD: {
      value: 'standard',
      description:
        'As Standard Webhooks has it: the headers webhook-id, webhook-timestamp and webhook-signature.',
    },
    COMPAT: {
      value: 'compat',
      description: 'The same, and besides the older headers x-event-id, x-event-type and x-signature.',
    },
  } as const,
});

const STATE_DESCRIPTIONS: Record<EndpointState, string> = {
  enabled: 'It is told of events.',
  paused: 'It rests; what happens meanwhile is told when it is resumed.',
  disabled: 'It answered 410, or failed for five days; it can be resumed.',
};
const WebhookEndpointState = builder.enumType('WebhookEndpointState', {
  description: 'Whether an endpoint is told of events.',
  values: Object.fromEntries(
    ENDPOINT_STATES.map((value) => [value.toUpperCase(), { value, description: STATE_DESCRIPTIONS[value] }]),
  ) as Record<Uppercase<EndpointState>, { value: EndpointState; description: string }>,
});

const DELIVERY_DESCRIPTIONS: Record<DeliveryState, string> = {
  waiting: 'It waits for its first or next attempt.',
  delivered: 'The receiver took it: it answered 2xx.',
  dead: 'All attempts failed, or the receiver answered 410.',
  dropped:
    'It is not sent: its event was erased or is too old, or it was passed over when the endpoint was resumed.',
};
const WebhookDeliveryState = builder.enumType('WebhookDeliveryState', {
  description: 'What became of a delivery.',
  values: Object.fromEntries(
    DELIVERY_STATES.map((value) => [
      value.toUpperCase(),
      { value, description: DELIVERY_DESCRIPTIONS[value] },
    ]),
  ) as Record<Uppercase<DeliveryState>, { value: DeliveryState; description: string }>,
});

export const ANSWER =
  'Beginning of the body that the receiver answered, 1,024 bytes at most; null without one.';
export const ERROR =
  'Why the attempt failed where the status does not say it: timeout, dns, address_refused, tls, connection, redirect, ' +
  'invalid_answer; null otherwise.';

const WebhookAttempt = builder.objectRef<AttemptRow>('WebhookAttempt').implement({
  description: 'One request to a receiver.',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When it began.', resolve: ({ at }) => at }),
    status: t.int({
      nullable: true,
      description: 'HTTP status of the answer; null when none came.',
      resolve: ({ status }) => status,
    }),
    durationMs: t.int({ description: 'How long it took, in milliseconds.', resolve: (a) => a.duration_ms }),
    error: t.string({ nullable: true, description: ERROR, resolve: ({ error }) => error || null }),
    answer: t.string({
      nullable: true,
      description: ANSWER,
      resolve: ({ attempt_id, answer }, _args, { viewer }) =>
        answer && viewer.project.cipher.openJson<string>('webhook_attempts', attempt_id, answer),
    }),
  }),
});

export const WebhookDeliveryType = builder.objectRef<Delivery>('WebhookDelivery').implement({
  description: 'One event for one endpoint.',
  fields: (t) => ({
    id: t.id({ description: 'Id of the delivery.', resolve: (d) => d.deliveryId }),
    endpointId: t.id({ description: 'Id of the endpoint.', resolve: (d) => d.endpointId }),
    eventId: t.field({
      type: 'UUID',
      description: 'Id of the event; the header webhook-id of every attempt.',
      resolve: (d) => d.eventId,
    }),
    eventType: t.string({ description: 'Type of the event.', resolve: (d) => d.eventType }),
    state: t.field({
      type: WebhookDeliveryState,
      description: 'What became of it.',
      resolve: ({ state }) => state,
    }),
    attemptCount: t.int({
      description: 'Attempts since it was made, or last resent; 10 at most.',
      resolve: ({ attempts }) => attempts,
    }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the next attempt is due; null when none is.',
      resolve: (d) => d.nextAttemptAt,
    }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was made.', resolve: (d) => d.createdAt }),
    finishedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it waits.',
      resolve: (d) => d.finishedAt,
    }),
    attempts: t.field({
      type: [WebhookAttempt],
      description: `All its attempts, the newest first, ${LIMITS.pageSize} at most.`,
      complexity: { field: 2, multiplier: 5 },
      resolve: ({ deliveryId }, _args, { loaders }) => loaders.webhookAttempts.load(deliveryId),
    }),
  }),
});

const WebhookDeliveryConnection = builder.connectionObject(
  {
    type: WebhookDeliveryType,
    name: 'WebhookDeliveryConnection',
    description: 'A page of the deliveries of an endpoint.',
  },
  { name: 'WebhookDeliveryEdge', description: 'A delivery in a page.' },
);

export const WebhookEndpointType = builder.objectRef<Endpoint>('WebhookEndpoint').implement({
  description: 'Who is told of events over HTTP. Its secret is shown when it is made, and never again.',
  fields: (t) => ({
    id: t.id({ description: 'Id of the endpoint.', resolve: (e) => e.endpointId }),
    url: t.exposeString('url', { description: 'Where events are sent.' }),
    description: t.exposeString('description', { description: 'What it is for.' }),
    eventTypes: t.stringList({
      description: 'Types of events that it is told of; empty for all, and for those to come.',
      resolve: ({ eventTypes }) => [...eventTypes],
    }),
    signatureFormat: t.field({
      type: WebhookSignatureFormat,
      description: 'How deliveries are signed.',
      resolve: (e) => e.signatureFormat,
    }),
    ratePerMinute: t.int({
      nullable: true,
      description: 'Most attempts a minute; what is beyond waits. Null for no limit.',
      resolve: (e) => e.ratePerMinute,
    }),
    state: t.field({
      type: WebhookEndpointState,
      description: 'Whether it is told of events.',
      resolve: ({ state }) => state,
    }),
    disabledReason: t.string({
      nullable: true,
      description:
        'Why it is disabled: gone (it answered 410) or failing (for five days); null when it is not.',
      resolve: (e) => e.disabledReason || null,
    }),
    failingSince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when every attempt failed; null when the last ones did not.',
      resolve: (e) => e.failingSince,
    }),
    previousSecretUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Until when the secret before the present one signs besides; null when none does.',
      resolve: ({ previousSecretUntil: until }, _args, { services }) =>
        until !== null && until > services.clock.now() ? until : null,
    }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was made.', resolve: (e) => e.createdAt }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When it was last changed.',
      resolve: (e) => e.updatedAt,
    }),
    deliveries: t.field({
      type: WebhookDeliveryConnection,
      description: 'What it is told, the newest first. Errors: input.invalid.',
      complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
      args: {
        first: t.arg.int({ description: 'How many, 100 at most; 20 by default.' }),
        after: t.arg.string({ description: 'Cursor to go on behind.' }),
        state: t.arg({ type: WebhookDeliveryState, description: 'In this state only.' }),
      },
      resolve: ({ endpointId }, args, context) => deliveryPage(endpointId, args, context),
    }),
  }),
});

type DeliveryArgs = { first?: number | null; after?: string | null; state?: DeliveryState | null };

async function deliveryPage(endpointId: string, args: DeliveryArgs, context: GraphQLContext) {
  const { cipher } = context.viewer.project;
  const size = pageSize(args.first, context);
  const state = args.state ?? null;
  const scope = JSON.stringify(['webhook deliveries', endpointId, state]);
  const after = args.after == null ? null : String(decodeCursor(cipher, scope, args.after)[0]);
  const rows = await context.loaders.deliveryPages({ state, after, limit: size + 1 }).load(endpointId);
  return toPage(rows, size, {
    context,
    scope,
    hasPrevious: after !== null,
    position: ({ deliveryId }) => [deliveryId],
    edge: (node) => ({ node }),
  });
}

builder.queryFields((t) => ({
  webhookEndpoints: t.field({
    type: [WebhookEndpointType],
    description: `All webhook endpoints, the oldest first; ${MOST_ENDPOINTS} at most. Errors: auth.forbidden.`,
    authScopes: { may: 'webhook.read' },
    resolve: (_root, _args, { viewer, services }) => services.webhooks.list(viewer),
  }),
  webhookEndpoint: t.field({
    type: WebhookEndpointType,
    nullable: true,
    description: 'A webhook endpoint by its id; null when there is none. Errors: auth.forbidden.',
    authScopes: { may: 'webhook.read' },
    args: { id: t.arg.id({ required: true, description: 'Id of the endpoint.' }) },
    resolve: (_root, { id }, { viewer, services }) =>
      isUuid(String(id)) ? services.webhooks.find(viewer, String(id)) : null,
  }),
}));
