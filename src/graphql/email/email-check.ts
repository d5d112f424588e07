import type { EmailClaims } from '@vouchgraph/email';
import {
  CHECK_FAILED,
  EMAIL_CHECK_STATUSES,
  type EmailCheck,
  type EmailCheckError,
  type EmailCheckErrorCode,
  type EmailCheckStatus,
} from '@vouchgraph/email/checks';
import { ROW_PROBLEMS, type RowProblem } from '@vouchgraph/email/files';
import { documentedData } from '@vouchgraph/events';
import { isUuid } from '@vouchgraph/platform/ids';
import { asCompleted, checkSnapshot } from '../../domain/email-checks/email-check-snapshot.ts';
import { refusalOf } from '../../domain/projects/assert-may.ts';
import { builder } from '../kernel/builder.ts';
import { valuesOf } from '../kernel/enum-values.ts';
import { internalIdOf } from '../kernel/node-id.ts';
import { EmailBatchType, EmailCheckType } from './email-refs.ts';
import { EmailResult } from './email-result.ts';

const EmailCheckStatusType = builder.enumType('EmailCheckStatus', {
  description: 'Status of an email check.',
  values: valuesOf<EmailCheckStatus>(EMAIL_CHECK_STATUSES, {
    pending: 'Check that is not completed.',
    success: 'Completed check with a result.',
    error: 'Completed check without a result. error contains the reason.',
  }),
});

export const EmailCheckErrorCodeType = builder.enumType('EmailCheckErrorCode', {
  description:
    'Reason why an email check has no result. Codes other than CHECK_FAILED occur only in imports.',
  values: {
    CHECK_FAILED: { description: 'Check that failed three times.', value: CHECK_FAILED },
    ...valuesOf<RowProblem>(Object.keys(ROW_PROBLEMS) as RowProblem[], {
      row_too_long: 'Row of more than 65,536 bytes.',
      invalid_encoding: 'Row with bytes that are invalid in the encoding of the file.',
      malformed_quotes:
        'Row with a quote that is not closed, a quote inside an unquoted field, or text after a closing quote.',
      wrong_field_count: 'Row with more or fewer fields than the header.',
      email_missing: 'Row with an empty address.',
      email_too_long: 'Row with an address of more than 320 characters.',
      forbidden_characters: 'Row with NUL characters.',
    }),
  } as Record<string, { description: string; value: EmailCheckErrorCode }>,
});

const EmailCheckErrorType = builder.objectRef<EmailCheckError>('EmailCheckError').implement({
  tokenScopes: 'never',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Reason why a check has no result.',
  fields: (t) => ({
    code: t.expose('code', { type: EmailCheckErrorCodeType, description: 'Code.' }),
    message: t.exposeString('message', {
      mask: 'sentence',
      description: 'Message for people. Its wording may change.',
    }),
  }),
});

const EmailClaimsType = builder.objectRef<EmailClaims>('EmailClaims').implement({
  tokenScopes: 'never',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Claimed name, phone number and country of the owner of the address.',
  fields: (t) => ({
    firstName: t.string({
      mask: 'name',
      nullable: true,
      description: 'First name. Null if not claimed.',
      resolve: ({ firstName }) => firstName || null,
    }),
    lastName: t.string({
      mask: 'name',
      nullable: true,
      description: 'Last name. Null if not claimed.',
      resolve: ({ lastName }) => lastName || null,
    }),
    phone: t.string({
      mask: 'phone',
      nullable: true,
      description: 'Phone number. Null if not claimed.',
      resolve: ({ phone }) => phone || null,
    }),
    country: t.field({
      type: 'CountryCode',
      nullable: true,
      description: 'Country. Null if not claimed.',
      resolve: ({ country }) => country || null,
    }),
  }),
});

builder.node(EmailCheckType, {
  tokenScopes: 'never',
  subjects: ({ checkId, accountId }, subjects) => {
    subjects.addEmailCheck(checkId);
    if (accountId !== null) subjects.addAccount(accountId);
  },
  revealedBy: ({ checkId }) => ({ emailCheck: checkId }),
  description: 'Check of one email address.',
  id: { resolve: ({ checkId }) => checkId, description: 'Global id.' },
  isTypeOf: (value) => typeof (value as Partial<EmailCheck>).checkId === 'string',
  loadMany: (ids, { viewer, loaders }) => {
    const mayRead = refusalOf(viewer, 'email_check.read') === null;
    return Promise.all(ids.map((id) => (mayRead && isUuid(id) ? loaders.emailCheck.load(id) : null)));
  },
  fields: (t) => ({
    checkId: t.expose('checkId', {
      type: 'UUID',
      description: 'Id of the check. Outside of batches it is the id of the request that created it.',
    }),
    batch: t.field({
      type: EmailBatchType,
      nullable: true,
      description: 'Batch. Null outside of batches.',
      resolve: ({ batchId }, _args, { loaders }) =>
        batchId === null ? null : loaders.emailBatch.load(batchId),
    }),
    batchPosition: t.exposeInt('position', {
      nullable: true,
      description: 'Position in the batch, from 0. Null outside of batches.',
    }),
    checkStatus: t.expose('status', { type: EmailCheckStatusType, description: 'Status.' }),
    email: t.string({
      mask: 'email',
      nullable: true,
      description: 'Address as it was sent. Null if the stored address cannot be decrypted.',
      resolve: ({ input }) => input?.email ?? null,
    }),
    claims: t.field({
      type: EmailClaimsType,
      nullable: true,
      description: 'Claims. Null if there are none.',
      resolve: ({ input }) => input?.claims ?? null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Completion time. Null if not completed.',
    }),
    emailResult: t.expose('assessment', {
      type: EmailResult,
      nullable: true,
      description: 'Result. Null unless checkStatus is SUCCESS.',
    }),
    error: t.expose('error', {
      type: EmailCheckErrorType,
      nullable: true,
      description: 'Reason why there is no result. Null unless checkStatus is ERROR.',
    }),
    record: t.field({
      mask: 'json',
      type: 'JSONObject',
      nullable: true,
      description:
        'Completed check under the names of the REST interface: the data of its event. Null if not ' +
        'completed.',
      resolve: (check, _args, { viewer }) => {
        const completed = asCompleted(check);
        return completed && documentedData(checkSnapshot(viewer.project.projectId, completed));
      },
    }),
  }),
});

builder.queryField('emailCheck', (t) =>
  t.field({
    type: EmailCheckType,
    nullable: true,
    description:
      'Email check by its id. Null if it does not exist. Errors: `auth.forbidden` (browser tokens).',
    authScopes: { may: 'email_check.read' },
    args: { id: t.arg.id({ required: true, description: 'Global id of the check, or its checkId.' }) },
    resolve: (_root, { id }, { viewer, services }) => {
      const checkId = internalIdOf('EmailCheck', id);
      return checkId === null ? null : services.emailChecks.find(viewer, checkId);
    },
  }),
);
