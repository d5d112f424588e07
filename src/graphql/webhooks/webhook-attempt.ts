import { countAttemptsOf, listAttemptPage } from '../../domain/webhooks/attempt-read-service.ts';
import { builder } from '../kernel/builder.ts';
import { MAX_COUNTED, PAGE_ARGS, pageCost, selectPage, toConnection } from '../kernel/connection.ts';
import { nodesQuery } from '../kernel/nodes-query.ts';
import { shownError, WebhookAttemptError } from '../kernel/webhook-enums.ts';
import { ATTEMPT_ERROR, RESPONSE_BODY } from './webhook-delivery.ts';

const WebhookAttemptObject = builder.prismaObject('WebhookAttempt', {
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Attempt of a delivery: one HTTP request to the receiver.',
  fields: (t) => ({
    attemptId: t.expose('attemptId', { type: 'UUID', description: 'Id of the attempt.' }),
    delivery: t.relation('delivery', {
      nullable: true,
      description: 'Delivery of the attempt. Null if it was deleted.',
      // Its attempts are up to a page again, and all levels are one statement.
      complexity: 20,
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Start of the request.' }),
    status: t.exposeInt('status', {
      nullable: true,
      description: 'HTTP status of the response. Null without a response.',
    }),
    durationMs: t.exposeInt('durationMs', { description: 'Duration in milliseconds.' }),
    error: t.field({
      type: WebhookAttemptError,
      nullable: true,
      description: ATTEMPT_ERROR,
      resolve: ({ error }) => shownError(error),
    }),
    responseBody: t.string({
      mask: 'text',
      nullable: true,
      description: RESPONSE_BODY,
      resolve: ({ attemptId, answer }, _args, { viewer }) =>
        answer && viewer.project.cipher.decryptJson<string>('webhook_attempts', attemptId, answer),
    }),
  }),
});

const WebhookAttemptConnection = builder.connectionObject(
  {
    type: WebhookAttemptObject,
    name: 'WebhookAttemptConnection',
    description: 'Page of webhook attempts.',
  },
  { name: 'WebhookAttemptEdge', description: 'Attempt in a page.' },
);

builder.queryField('webhookAttempts', (t) =>
  t.field({
    type: WebhookAttemptConnection,
    nullable: true,
    description:
      'Attempts of the deliveries of all webhook endpoints, the latest stored first. Gateways store ' +
      'attempts concurrently. To read new attempts, set since to a few seconds before the end of the ' +
      'latest received attempt, and ignore known attempts. Errors: `auth.forbidden`, `input.invalid`.',
    authScopes: { may: 'webhook.read' },
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      since: t.arg({
        type: 'DateTime',
        description: 'Earliest time at which the outcome was stored, inclusive. All attempts by default.',
      }),
    },
    resolve: async (_root, args, context, info) => {
      const { viewer } = context;
      const since = args.since ?? null;
      const page = selectPage(args, ['webhook attempts', since?.toISOString() ?? null], context);
      const rows = await listAttemptPage(viewer, since, page, nodesQuery(context, info));
      return toConnection(rows, page, {
        context,
        position: ({ attemptId }) => [attemptId],
        edge: (node) => ({ node }),
        total: () => countAttemptsOf(viewer, since, MAX_COUNTED + 1),
      });
    },
  }),
);
