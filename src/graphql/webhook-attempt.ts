import { countAttemptsOf, listAttemptPage } from '../domain/webhooks/attempt-read-service.ts';
import { builder } from './builder.ts';
import { MAX_COUNTED, PAGE_ARGS, pageCost, selectPage, toConnection } from './connection.ts';
import { ATTEMPT_ERROR, RESPONSE_BODY, WebhookAttemptType, WebhookDeliveryType } from './webhook-delivery.ts';
import { shownError, WebhookAttemptError } from './webhook-enums.ts';

builder.objectType(WebhookAttemptType, {
  description: 'Attempt of a delivery: one HTTP request to the receiver.',
  fields: (t) => ({
    attemptId: t.field({ type: 'UUID', description: 'Id of the attempt.', resolve: (a) => a.attempt_id }),
    delivery: t.field({
      type: WebhookDeliveryType,
      nullable: true,
      description: 'Delivery that the attempt is part of; null when it was deleted.',
      resolve: ({ delivery_id }, _args, { loaders }) => loaders.webhookDelivery.load(delivery_id),
    }),
    at: t.field({ type: 'DateTime', description: 'Start of the request.', resolve: ({ at }) => at }),
    status: t.int({
      nullable: true,
      description: 'HTTP status of the answer; null without an answer.',
      resolve: ({ status }) => status,
    }),
    durationMs: t.int({ description: 'Duration in milliseconds.', resolve: (a) => a.duration_ms }),
    error: t.field({
      type: WebhookAttemptError,
      nullable: true,
      description: ATTEMPT_ERROR,
      resolve: ({ error }) => shownError(error),
    }),
    responseBody: t.string({
      nullable: true,
      description: RESPONSE_BODY,
      resolve: ({ attempt_id, answer }, _args, { viewer }) =>
        answer && viewer.project.cipher.decryptJson<string>('webhook_attempts', attempt_id, answer),
    }),
  }),
});

const WebhookAttemptConnection = builder.connectionObject(
  {
    type: WebhookAttemptType,
    name: 'WebhookAttemptConnection',
    description: 'Page of the attempts of webhook deliveries.',
  },
  { name: 'WebhookAttemptEdge', description: 'Attempt in a page.' },
);

builder.queryField('webhookAttempts', (t) =>
  t.field({
    type: WebhookAttemptConnection,
    nullable: true,
    description:
      'Attempts of the deliveries of all webhook endpoints, the last stored first. To follow them, request those since ' +
      'a few seconds before the end of the last one received, and ignore known ones: gateways store attempts side by ' +
      'side. Errors: auth.forbidden, input.invalid.',
    authScopes: { may: 'webhook.read' },
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      since: t.arg({
        type: 'DateTime',
        description: 'Time at or after which the outcome was stored; all attempts by default.',
      }),
    },
    resolve: async (_root, args, context) => {
      const { viewer } = context;
      const since = args.since ?? null;
      const page = selectPage(args, ['webhook attempts', since?.toISOString() ?? null], context);
      return toConnection(await listAttemptPage(viewer, since, page), page, {
        context,
        position: ({ attempt_id }) => [attempt_id],
        edge: (node) => ({ node }),
        total: () => countAttemptsOf(viewer, since, MAX_COUNTED + 1),
      });
    },
  }),
);
