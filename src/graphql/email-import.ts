import { EMAIL_IMPORT_STATUSES, type EmailImport } from '../domain/email-checks/import/import-record.ts';
import type { PlacedProblem } from '../domain/email-checks/import/import-service.ts';
import { decodeCursor } from '../platform/cursor.ts';
import { builder } from './builder.ts';
import { pageSize, toPage } from './connection.ts';

const STATUS_DESCRIPTIONS = {
  receiving:
    'Rows are being received, or the upload was interrupted: sending the same file again continues it.',
  processing: 'All rows are stored, and some are not checked yet.',
  completed: 'All rows are checked.',
} as const;

const EmailImportStatus = builder.enumType('EmailImportStatus', {
  description: 'Progress of an import of email addresses.',
  values: Object.fromEntries(
    EMAIL_IMPORT_STATUSES.map((value) => [
      value.toUpperCase(),
      { value, description: STATUS_DESCRIPTIONS[value] },
    ]),
  ) as Record<Uppercase<EmailImport['status']>, { value: EmailImport['status']; description: string }>,
});

const EmailImportProblem = builder.objectRef<PlacedProblem>('EmailImportProblem').implement({
  description: 'Row of an import that has no result.',
  fields: (t) => ({
    line: t.exposeInt('line', { description: 'Line of the file on which the row begins, from 1.' }),
    code: t.exposeString('code', { description: 'Stable code of the reason, such as email_missing.' }),
    message: t.exposeString('message', { description: 'Reason as a sentence, which may change.' }),
  }),
});

const EmailImportType = builder.objectRef<EmailImport>('EmailImport').implement({
  description:
    'File of email addresses that is checked in batches of up to 1,000 rows. Files are uploaded by REST.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', description: 'Id of the import.', resolve: ({ importId }) => importId }),
    name: t.string({
      nullable: true,
      description: 'Name that the client gave; null without one.',
      resolve: ({ description }) => description.name || null,
    }),
    status: t.field({
      type: EmailImportStatus,
      description: 'Progress of the import.',
      resolve: ({ status }) => status,
    }),
    columns: t.stringList({
      description: 'Names of all columns, in the order of the file; column_1, column_2 … without a header.',
      resolve: ({ description }) => [...description.columns.names],
    }),
    emailColumn: t.string({
      description: 'Name of the column of addresses.',
      resolve: ({ description: { columns } }) => columns.names[columns.email]!,
    }),
    rowsReceived: t.exposeInt('rowsReceived', { description: 'Number of rows that are stored, from 0.' }),
    completedCount: t.exposeInt('completedCount', {
      description: 'Number of rows that are checked, those without a result included, from 0.',
    }),
    badRows: t.exposeInt('badRows', { description: 'Number of rows that ended without a result, from 0.' }),
    totalCount: t.int({
      nullable: true,
      description: 'Number of rows of the file; null while it is being received.',
      resolve: ({ status, rowsReceived }) => (status === 'receiving' ? null : rowsReceived),
    }),
    batchCount: t.int({ description: 'Number of batches, from 0.', resolve: ({ batches }) => batches }),
    createdAt: t.field({ type: 'DateTime', description: 'Creation time.', resolve: (e) => e.createdAt }),
    completedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Completion time; null before.',
      resolve: (e) => e.completedAt,
    }),
    problems: t.field({
      type: [EmailImportProblem],
      description:
        'First rows without a result, in the order of the file; REST pages through all of them. Errors: input.invalid.',
      args: { first: t.arg.int({ description: 'Number of rows, 1 to 100; 20 by default.' }) },
      complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
      resolve: ({ importId }, { first }, context) =>
        context.services.emailImports.problems(context.viewer, importId, null, pageSize(first, context)),
    }),
  }),
});

const EmailImportConnection = builder.connectionObject(
  {
    type: EmailImportType,
    name: 'EmailImportConnection',
    description: 'A page of the imports of email addresses.',
  },
  { name: 'EmailImportEdge', description: 'An import in a page.' },
);

const SCOPE = 'email imports';

builder.queryFields((t) => ({
  emailImport: t.field({
    type: EmailImportType,
    nullable: true,
    description:
      'Import of email addresses by its id; null when it does not exist. Errors: auth.forbidden for browser tokens.',
    authScopes: { may: 'email_import.read' },
    args: { id: t.arg.id({ required: true, description: 'Id of the import.' }) },
    resolve: (_root, { id }, { viewer, services }) => services.emailImports.findOrNull(viewer, String(id)),
  }),
  emailImports: t.field({
    type: EmailImportConnection,
    description:
      'Imports of email addresses, the newest first. Errors: input.invalid; auth.forbidden for browser tokens.',
    authScopes: { may: 'email_import.read' },
    complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
    args: {
      first: t.arg.int({ description: 'Number of imports, 1 to 100; 20 by default.' }),
      after: t.arg.string({ description: 'Cursor of the import before the page.' }),
    },
    resolve: async (_root, args, context) => {
      const { viewer, services } = context;
      const size = pageSize(args.first, context);
      const after =
        args.after == null ? null : String(decodeCursor(viewer.project.cipher, SCOPE, args.after)[0]);
      const rows = await services.emailImports.list(viewer, after, size + 1);
      return toPage(rows, size, {
        context,
        scope: SCOPE,
        hasPrevious: after !== null,
        position: ({ importId }) => [importId],
        edge: (node) => ({ node }),
      });
    },
  }),
}));
