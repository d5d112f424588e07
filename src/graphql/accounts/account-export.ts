import { LIMITS } from '@vouchgraph/platform/limits';
import type { ExportedRecord, ExportPage } from '../../domain/accounts/export/export-account-service.ts';
import { EXPORT_SECTIONS, type ExportSection } from '../../domain/model/export-sections.ts';
import { builder } from '../kernel/builder.ts';
import { valuesOf } from '../kernel/enum-values.ts';
import { payloadType } from '../kernel/payload.ts';

const AccountExportSection = builder.enumType('AccountExportSection', {
  description: 'Section of the export of an account.',
  values: valuesOf(Object.keys(EXPORT_SECTIONS) as ExportSection[], EXPORT_SECTIONS),
});

const AccountExportRecord = builder.objectRef<ExportedRecord>('AccountExportRecord').implement({
  tokenScopes: 'never',
  subjects: 'none',
  description: 'Record of the export of an account.',
  fields: (t) => ({
    section: t.expose('section', { type: AccountExportSection, description: 'Section.' }),
    data: t.field({
      mask: 'json',
      type: 'JSONObject',
      description:
        'Stored values, decrypted. Later versions can add values. Times are ISO 8601. Keyed hashes are ' +
        'hexadecimal. Ids of other accounts are pseudonyms, equal to those in the audit log.',
      resolve: ({ data }) => ({ ...data }),
    }),
  }),
});

const ExportAccountInput = builder.inputType('ExportAccountInput', {
  description: 'Account to export, and the part of the export.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'Id of the account, assigned by the client.' }),
    first: t.int({
      description:
        `Number of records, 1 to ${LIMITS.exportedRecords}. ${LIMITS.exportedRecords} by default. A ` +
        'page that reaches 1 MB ends earlier.',
    }),
    after: t.string({ description: 'endCursor of the previous page. Null or absent for the first page.' }),
  }),
});

type Payload = ExportPage & { accountId: string };

const ExportAccountPayload = payloadType<Payload>(
  'ExportAccountPayload',
  'Page of the export of an account.',
  { subjects: 'none' },
  (t) => ({
    accountId: t.exposeID('accountId', { description: 'Id of the account, assigned by the client.' }),
    records: t.field({
      type: [AccountExportRecord],
      description: `Records by section, in this order: ${Object.keys(EXPORT_SECTIONS).join(', ').toUpperCase()}.`,
      resolve: ({ records }) => [...records],
    }),
    endCursor: t.exposeString('endCursor', {
      mask: 'none',
      nullable: true,
      description: 'Cursor of the next page. Null if the export is complete.',
    }),
  }),
);

builder.mutationField('exportAccount', (t) =>
  t.field({
    isIdempotent: true,
    type: ExportAccountPayload,
    nullable: true,
    description:
      'Exports all stored data of an account in pages. Each page is recorded in the audit log. Changes ' +
      'during the export can appear in later pages. An account that does not exist is exported if it ' +
      'has data, such as a pending membership. Responses are not stored for an Idempotency-Key. Errors: ' +
      '`account.not_found`, `auth.forbidden` (below the role operator), `input.invalid`.',
    authScopes: { may: 'account.export' },
    complexity: 500,
    args: { input: t.arg({ type: ExportAccountInput, required: true, description: 'Account to export.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId, subjects }) => {
      subjects?.addTransient();
      const { accountId } = input;
      const asked = { accountId, first: input.first ?? LIMITS.exportedRecords, after: input.after ?? null };
      const page = await services.accountExports.exportAccount(viewer, requestId, asked);
      return { requestId, accountId, ...page };
    },
  }),
);
