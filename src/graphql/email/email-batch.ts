import { EMAIL_BATCH_STATUSES, type EmailBatch, type EmailBatchStatus } from '@vouchgraph/email/checks';
import { isUuid } from '@vouchgraph/platform/ids';
import { assertMay, refusalOf } from '../../domain/projects/assert-may.ts';
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
import { valuesOf } from '../kernel/enum-values.ts';
import { internalIdOf } from '../kernel/node-id.ts';
import { EmailBatchType, EmailCheckType, EmailImportType } from './email-refs.ts';

const EmailBatchStatusType = builder.enumType('EmailBatchStatus', {
  description: 'Status of a batch of email checks.',
  values: valuesOf<EmailBatchStatus>(EMAIL_BATCH_STATUSES, {
    pending: 'Batch without a started check.',
    processing: 'Batch whose checks are in progress.',
    completed: 'Batch whose checks are all completed.',
  }),
});

const EmailBatchCounts = builder.objectRef<EmailBatch>('EmailBatchCounts').implement({
  tokenScopes: 'never',
  subjects: 'none',
  description: 'Numbers of checks of a batch, including erased checks.',
  fields: (t) => ({
    total: t.exposeInt('totalCount', { description: 'Number of checks, 1 to 1,000.' }),
    completed: t.exposeInt('completedCount', {
      description: 'Number of completed checks, including those without a result.',
    }),
    failed: t.exposeInt('failedCount', {
      description: 'Number of completed checks without a result.',
    }),
  }),
});

const EmailCheckConnection = builder.connectionObject(
  {
    type: EmailCheckType,
    name: 'EmailCheckConnection',
    subjects: 'none',
    description: 'Page of the checks of a batch.',
    edgesField: { rest: { description: 'Completed checks in the order of the request.' } },
  },
  { name: 'EmailCheckEdge', subjects: 'none', description: 'Check in a page.' },
);

builder.node(EmailBatchType, {
  tokenScopes: 'never',
  subjects: 'none',
  description: 'Batch of email checks.',
  id: { resolve: ({ batchId }) => batchId, description: 'Global id.' },
  isTypeOf: (value) => typeof (value as Partial<EmailBatch>).emitsEach === 'boolean',
  loadMany: (ids, { viewer, loaders }) => {
    const mayRead = refusalOf(viewer, 'email_check.read') === null;
    return Promise.all(ids.map((id) => (mayRead && isUuid(id) ? loaders.emailBatch.load(id) : null)));
  },
  fields: (t) => ({
    batchId: t.expose('batchId', { type: 'UUID', description: 'Id of the batch.' }),
    batchName: t.string({
      mask: 'text',
      nullable: true,
      description: 'Name. Null if none.',
      resolve: ({ name }) => name || null,
    }),
    batchStatus: t.expose('status', { type: EmailBatchStatusType, description: 'Status.' }),
    counts: t.field({
      type: EmailBatchCounts,
      description: 'Numbers of checks.',
      resolve: (batch) => batch,
    }),
    import: t.field({
      type: EmailImportType,
      nullable: true,
      description: 'Import that contains the batch. Null for other batches.',
      resolve: ({ importId }, _args, { loaders }) =>
        importId === null ? null : loaders.emailImport.load(importId),
    }),
    identityIntelligence: t.exposeBoolean('identityIntelligence', {
      description: 'Whether results contain identity intelligence.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Start of the first check. Null if no check is started.',
    }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Completion time. Null if not completed.',
    }),
    checks: t.field({
      type: EmailCheckConnection,
      description: 'Checks in the order of the request. Errors: `input.invalid`.',
      complexity: pageCost(5),
      args: {
        ...PAGE_ARGS,
        completedOnly: t.arg.boolean({
          defaultValue: false,
          description: 'Whether pending checks are omitted.',
        }),
      },
      resolve: (batch, args, context) => {
        if (batch.importId !== null) assertMay(context.viewer, 'email_check.read_row');
        return checksPage(batch.batchId, args, context);
      },
    }),
  }),
});

async function checksPage(
  batchId: string,
  args: PageArgs & { completedOnly?: boolean | null },
  context: GraphQLContext,
) {
  const isCompleted = args.completedOnly ?? false;
  const page = selectPage(args, ['email checks', batchId, isCompleted], context);
  const { loaders } = context;
  const rows = await loaders.emailCheckPages({ isCompleted, page }).load(batchId);
  return toConnection(rows, page, {
    context,
    position: ({ position }) => [position ?? 0],
    edge: (node) => ({ node }),
    total: () => loaders.emailCheckCounts({ isCompleted, limit: MAX_COUNTED + 1 }).load(batchId),
  });
}

const EmailBatchConnection = builder.connectionObject(
  { type: EmailBatchType, name: 'EmailBatchConnection', description: 'Page of batches of email checks.' },
  { name: 'EmailBatchEdge', description: 'Batch in a page.' },
);

builder.queryFields((t) => ({
  emailBatch: t.field({
    type: EmailBatchType,
    nullable: true,
    description:
      'Batch of email checks by its id. Null if it does not exist. Errors: `auth.forbidden` ' +
      '(browser tokens).',
    authScopes: { may: 'email_check.read' },
    args: { id: t.arg.id({ required: true, description: 'Global id of the batch, or its batchId.' }) },
    resolve: (_root, { id }, { loaders }) => {
      const batchId = internalIdOf('EmailBatch', id);
      return batchId !== null && isUuid(batchId) ? loaders.emailBatch.load(batchId) : null;
    },
  }),
  emailBatches: t.field({
    type: EmailBatchConnection,
    nullable: true,
    description:
      'Batches of email checks, the newest first. Errors: `input.invalid`, `auth.forbidden` (browser ' +
      'tokens).',
    authScopes: { may: 'email_check.read' },
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      status: t.arg({ type: EmailBatchStatusType, description: 'Status. Any status by default.' }),
    },
    resolve: async (_root, args, context) => {
      const { viewer, services } = context;
      const status = args.status ?? null;
      const page = selectPage(args, ['email batches', status], context);
      return toConnection(await services.emailChecks.list(viewer, status, page), page, {
        context,
        position: ({ batchId }) => [batchId],
        edge: (node) => ({ node }),
        total: () => services.emailChecks.count(viewer, status, MAX_COUNTED + 1),
      });
    },
  }),
}));
