import type { ExportedRecord, ExportPage } from '../domain/accounts/export/export-account-service.ts';
import { EXPORT_SECTIONS, type ExportSection } from '../domain/model/export-sections.ts';
import { LIMITS } from '../platform/limits.ts';
import { builder } from './builder.ts';
import { valuesOf } from './enum-values.ts';

const AccountExportSection = builder.enumType('AccountExportSection', {
  description: 'Section of the export of an account, in the order of the export.',
  values: valuesOf(Object.keys(EXPORT_SECTIONS) as ExportSection[], EXPORT_SECTIONS),
});

const AccountExportRecord = builder.objectRef<ExportedRecord>('AccountExportRecord').implement({
  description: 'Record of the export of an account.',
  fields: (t) => ({
    section: t.field({
      type: AccountExportSection,
      description: 'Section.',
      resolve: ({ section }) => section,
    }),
    data: t.field({
      type: 'JSONObject',
      description:
        'Values as they are stored, decrypted; later versions can add some. Times are ISO 8601. Keyed hashes are hexadecimal ' +
        'digits. The ids of other accounts are pseudonyms, the same ones as in the audit log.',
      resolve: ({ data }) => ({ ...data }),
    }),
  }),
});

const ExportAccountInput = builder.inputType('ExportAccountInput', {
  description: 'Account to export, and the part of the export.',
  fields: (t) => ({
    accountId: t.string({ required: true, description: "The client's own id." }),
    first: t.int({
      description:
        `Number of records, 1 to ${LIMITS.exportedRecords}; ${LIMITS.exportedRecords} by default. A page of more than 1 MB ` +
        'ends earlier.',
    }),
    after: t.string({ description: 'endCursor of the page before; null or absent for the first page.' }),
  }),
});

type Payload = ExportPage & { requestId: string; accountId: string };

const ExportAccountPayload = builder.objectRef<Payload>('ExportAccountPayload').implement({
  description: 'Page of the export of an account.',
  fields: (t) => ({
    requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
    accountId: t.exposeString('accountId', { description: "The client's own id." }),
    records: t.field({
      type: [AccountExportRecord],
      description: 'Records, section by section.',
      resolve: ({ records }) => [...records],
    }),
    endCursor: t.exposeString('endCursor', {
      nullable: true,
      description: 'Cursor for the input of the next page. Null if the export is complete.',
    }),
  }),
});

builder.mutationField('exportAccount', (t) =>
  t.field({
    type: ExportAccountPayload,
    nullable: true,
    description:
      'Exports everything that is stored of an account, page by page, and records each page in the ' +
      'audit log. Pages are read one after another: changes meanwhile can be in later pages. An id that ' +
      'does not exist is exported as far as something waits for it. Never stored for an ' +
      'Idempotency-Key. Errors: `account.not_found`, `auth.forbidden` (below the role operator), ' +
      '`input.invalid`.',
    authScopes: { may: 'account.export' },
    complexity: 500,
    args: { input: t.arg({ type: ExportAccountInput, required: true, description: 'The account.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId, subjects }) => {
      subjects?.addTransient();
      const { accountId } = input;
      const asked = { accountId, first: input.first ?? LIMITS.exportedRecords, after: input.after ?? null };
      const page = await services.accountExports.exportAccount(viewer, requestId, asked);
      return { requestId, accountId, ...page };
    },
  }),
);
