import type { EmailClaims } from '../domain/email/email-evidence.ts';
import {
  EMAIL_BATCH_STATUSES,
  EMAIL_CHECK_STATUSES,
  type EmailBatch,
  type EmailBatchStatus,
  type EmailCheck,
  type EmailCheckError,
  type EmailCheckStatus,
} from '../domain/email-checks/email-check.ts';
import { asCompleted, recordOf } from '../domain/email-checks/email-check-record.ts';
import { assertMay } from '../domain/projects/assert-may.ts';
import { decodeCursor } from '../platform/cursor.ts';
import { builder } from './builder.ts';
import { pageSize, toPage } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { EmailResult } from './email-result.ts';
import { valuesOf } from './enum-values.ts';

export const EmailCheckStatusType = builder.enumType('EmailCheckStatus', {
  description: 'Status of an email check.',
  values: valuesOf<EmailCheckStatus>(EMAIL_CHECK_STATUSES, {
    pending: 'The check is not completed.',
    success: 'The check has a result.',
    error: 'The check failed three times.',
  }),
});

const EmailBatchStatusType = builder.enumType('EmailBatchStatus', {
  description: 'Status of a batch of email checks.',
  values: valuesOf<EmailBatchStatus>(EMAIL_BATCH_STATUSES, {
    pending: 'No check was started.',
    processing: 'Checks are being completed.',
    completed: 'All checks are completed.',
  }),
});

const EmailCheckErrorType = builder.objectRef<EmailCheckError>('EmailCheckError').implement({
  description: 'Reason why a check has no result.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Stable code, such as email.check_failed.' }),
    message: t.exposeString('message', { description: 'Text that may change.' }),
  }),
});

const EmailClaimsType = builder.objectRef<EmailClaims>('EmailClaims').implement({
  description: 'Name, phone and country that the owner of the address is claimed to have.',
  fields: (t) => ({
    firstName: t.string({
      nullable: true,
      description: 'First name; null when not claimed.',
      resolve: ({ firstName }) => firstName || null,
    }),
    lastName: t.string({
      nullable: true,
      description: 'Last name; null when not claimed.',
      resolve: ({ lastName }) => lastName || null,
    }),
    phone: t.string({
      nullable: true,
      description: 'Phone; null when not claimed.',
      resolve: ({ phone }) => phone || null,
    }),
    country: t.field({
      type: 'CountryCode',
      nullable: true,
      description: 'Country; null when not claimed.',
      resolve: ({ country }) => country || null,
    }),
  }),
});

export const EmailCheckType = builder.objectRef<EmailCheck>('EmailCheck').implement({
  description: 'Check of one email address.',
  fields: (t) => ({
    id: t.id({
      description: 'Id of the check; outside of batches the id of the request that created it.',
      resolve: ({ checkId }) => checkId,
    }),
    batchId: t.id({
      nullable: true,
      description: 'Id of the batch; null outside of batches.',
      resolve: ({ batchId }) => batchId,
    }),
    position: t.exposeInt('position', {
      nullable: true,
      description: 'Place in the batch, from 0; null outside of batches.',
    }),
    status: t.field({ type: EmailCheckStatusType, description: 'Status.', resolve: ({ status }) => status }),
    email: t.string({
      nullable: true,
      description: 'Address as it was sent; null when the stored one cannot be decrypted.',
      resolve: ({ input }) => input?.email ?? null,
    }),
    claims: t.field({
      type: EmailClaimsType,
      nullable: true,
      description: 'Claims; null when nothing is claimed.',
      resolve: ({ input }) => input?.claims ?? null,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Creation time.',
      resolve: (check) => check.createdAt,
    }),
    completedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Completion time; null while pending.',
      resolve: (check) => check.completedAt,
    }),
    result: t.field({
      type: EmailResult,
      nullable: true,
      description: 'Result; null unless the status is SUCCESS.',
      resolve: ({ assessment }) => assessment,
    }),
    error: t.field({
      type: EmailCheckErrorType,
      nullable: true,
      description: 'Reason why there is no result; null unless the status is ERROR.',
      resolve: ({ error }) => error,
    }),
    record: t.field({
      type: 'JSONObject',
      nullable: true,
      description:
        'Completed check under the names of the REST interface: the data of its event; null while pending.',
      resolve: (check, _args, { viewer }) => {
        const completed = asCompleted(check);
        return completed && recordOf(viewer.project.projectId, completed);
      },
    }),
  }),
});

const EmailCheckConnection = builder.connectionObject(
  { type: EmailCheckType, name: 'EmailCheckConnection', description: 'A page of the checks of a batch.' },
  { name: 'EmailCheckEdge', description: 'A check in a page.' },
);

export const EmailBatchType = builder.objectRef<EmailBatch>('EmailBatch').implement({
  description: 'Batch of email checks.',
  fields: (t) => ({
    id: t.id({ description: 'Id of the batch.', resolve: ({ batchId }) => batchId }),
    name: t.string({
      nullable: true,
      description: 'Name; null when it was given none.',
      resolve: ({ name }) => name || null,
    }),
    status: t.field({ type: EmailBatchStatusType, description: 'Status.', resolve: ({ status }) => status }),
    totalCount: t.exposeInt('totalCount', { description: 'Number of checks, at most 1,000.' }),
    completedCount: t.exposeInt('completedCount', {
      description: 'Number of completed checks, those without a result included.',
    }),
    failedCount: t.exposeInt('failedCount', { description: 'Number of completed checks without a result.' }),
    importId: t.id({
      nullable: true,
      description: 'Id of the import that the batch is a part of; null for a batch of its own.',
      resolve: ({ importId }) => importId,
    }),
    identityIntelligence: t.exposeBoolean('identityIntelligence', {
      description: 'Whether results contain identity intelligence.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Creation time.',
      resolve: (batch) => batch.createdAt,
    }),
    startedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the first check was started; null before.',
      resolve: (batch) => batch.startedAt,
    }),
    completedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Completion time; null before.',
      resolve: (batch) => batch.completedAt,
    }),
    checks: t.field({
      type: EmailCheckConnection,
      description:
        'Checks in the order sent. Errors: input.invalid; auth.forbidden for browser tokens when the batch is a part of an import.',
      complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
      args: {
        first: t.arg.int({ description: 'Number of checks, 1 to 100; 20 by default.' }),
        after: t.arg.string({ description: 'Cursor of the check before the page.' }),
        completedOnly: t.arg.boolean({
          description: 'Whether pending checks are left out; false by default.',
        }),
      },
      resolve: (batch, args, context) => {
        if (batch.importId !== null) assertMay(context.viewer, 'email_check.read_row');
        return checksPage(batch.batchId, args, context);
      },
    }),
  }),
});

type ChecksArgs = { first?: number | null; after?: string | null; completedOnly?: boolean | null };

async function checksPage(batchId: string, args: ChecksArgs, context: GraphQLContext) {
  const size = pageSize(args.first, context);
  const isCompleted = args.completedOnly ?? false;
  const scope = JSON.stringify(['email checks', batchId, isCompleted]);
  const { cipher } = context.viewer.project;
  const after = args.after == null ? -1 : Number(decodeCursor(cipher, scope, args.after)[0]);
  const rows = await context.loaders.emailChecks({ after, isCompleted, limit: size + 1 }).load(batchId);
  return toPage(rows, size, {
    context,
    scope,
    hasPrevious: after >= 0,
    position: ({ position }) => [position ?? 0],
    edge: (node) => ({ node }),
  });
}

const EmailBatchConnection = builder.connectionObject(
  { type: EmailBatchType, name: 'EmailBatchConnection', description: 'A page of batches of email checks.' },
  { name: 'EmailBatchEdge', description: 'A batch in a page.' },
);

builder.queryFields((t) => ({
  emailCheck: t.field({
    type: EmailCheckType,
    nullable: true,
    description:
      'Email check by its id; null when it does not exist. Errors: auth.forbidden for browser tokens that are limited to ' +
      'an account or a session, and for all browser tokens when the check is a row of an import.',
    authScopes: { may: 'email_check.read' },
    args: { id: t.arg.id({ required: true, description: 'Id of the check.' }) },
    resolve: (_root, { id }, context) => context.services.emailChecks.find(context.viewer, String(id)),
  }),
  emailBatch: t.field({
    type: EmailBatchType,
    nullable: true,
    description:
      'Batch of email checks by its id; null when it does not exist. Errors: auth.forbidden for browser tokens that are ' +
      'limited to an account or a session.',
    authScopes: { may: 'email_check.read' },
    args: { id: t.arg.id({ required: true, description: 'Id of the batch.' }) },
    resolve: (_root, { id }, context) => context.services.emailChecks.findBatch(context.viewer, String(id)),
  }),
  emailBatches: t.field({
    type: EmailBatchConnection,
    description:
      'Batches of email checks, the newest first. Errors: input.invalid; auth.forbidden for browser tokens that are ' +
      'limited to an account or a session.',
    authScopes: { may: 'email_check.read' },
    complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
    args: {
      first: t.arg.int({ description: 'Number of batches, 1 to 100; 20 by default.' }),
      after: t.arg.string({ description: 'Cursor of the batch before the page.' }),
      status: t.arg({ type: EmailBatchStatusType, description: 'Only batches of this status.' }),
    },
    resolve: async (_root, args, context) => {
      const { viewer, services } = context;
      const size = pageSize(args.first, context);
      const status = args.status ?? null;
      const scope = JSON.stringify(['email batches', status]);
      const after =
        args.after == null ? null : String(decodeCursor(viewer.project.cipher, scope, args.after)[0]);
      const rows = await services.emailChecks.list(viewer, { after, status, limit: size + 1 });
      return toPage(rows, size, {
        context,
        scope,
        hasPrevious: after !== null,
        position: ({ batchId }) => [batchId],
        edge: (node) => ({ node }),
      });
    },
  }),
}));
