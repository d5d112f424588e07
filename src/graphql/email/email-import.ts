import { isUuid } from '@vouchgraph/platform/ids';
import { EMAIL_IMPORT_STATUSES, type EmailImport } from '../../domain/email-checks/import/import-record.ts';
import type { PlacedProblem } from '../../domain/email-checks/import/import-service.ts';
import { refusalOf } from '../../domain/projects/assert-may.ts';
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
import { EmailCheckErrorCodeType } from './email-check.ts';
import { EmailImportType } from './email-refs.ts';

const EmailImportStatus = builder.enumType('EmailImportStatus', {
  description: 'Progress of an import of email addresses.',
  values: valuesOf<EmailImport['status']>(EMAIL_IMPORT_STATUSES, {
    receiving:
      'Import whose rows are being received, or whose upload was interrupted. To continue it, send the ' +
      'same file again.',
    processing: 'Import whose rows are all stored, but not all checked.',
    completed: 'Import whose rows are all checked.',
  }),
});

const EmailImportProblem = builder.objectRef<PlacedProblem>('EmailImportProblem').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Row of an import without a result.',
  fields: (t) => ({
    line: t.exposeInt('line', { description: 'First line of the row in the file, from 1.' }),
    code: t.expose('code', { type: EmailCheckErrorCodeType, description: 'Reason.' }),
    message: t.exposeString('message', {
      mask: 'sentence',
      description: 'Message for people. Its wording may change.',
    }),
  }),
});

const EmailImportProblemConnection = builder.connectionObject(
  {
    type: EmailImportProblem,
    name: 'EmailImportProblemConnection',
    description: 'Page of the rows of an import without a result.',
  },
  { name: 'EmailImportProblemEdge', description: 'Row in a page.' },
);

const EmailImportCounts = builder.objectRef<EmailImport>('EmailImportCounts').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Numbers of rows and batches of an import.',
  fields: (t) => ({
    rows: t.int({
      nullable: true,
      description: 'Number of rows of the file. Null while it is being received.',
      resolve: ({ status, rowsReceived }) => (status === 'receiving' ? null : rowsReceived),
    }),
    received: t.exposeInt('rowsReceived', { description: 'Number of stored rows.' }),
    completed: t.exposeInt('completedCount', {
      description: 'Number of checked rows, including those without a result.',
    }),
    failed: t.exposeInt('badRows', { description: 'Number of rows without a result.' }),
    batches: t.exposeInt('batches', { description: 'Number of batches.' }),
  }),
});

builder.node(EmailImportType, {
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'File of email addresses, checked in batches of up to 1,000 rows. Files are uploaded by REST.',
  id: { resolve: ({ importId }) => importId, description: 'Global id.' },
  isTypeOf: (value) => typeof (value as Partial<EmailImport>).badRows === 'number',
  loadMany: (ids, { viewer, loaders }) => {
    const mayRead = refusalOf(viewer, 'email_import.read') === null;
    return Promise.all(ids.map((id) => (mayRead && isUuid(id) ? loaders.emailImport.load(id) : null)));
  },
  fields: (t) => ({
    importId: t.expose('importId', { type: 'UUID', description: 'Id of the import.' }),
    importName: t.string({
      mask: 'text',
      nullable: true,
      description: 'Name from the client. Null if none.',
      resolve: ({ description }) => description.name || null,
    }),
    importStatus: t.expose('status', { type: EmailImportStatus, description: 'Progress of the import.' }),
    columns: t.stringList({
      mask: 'sentence',
      description:
        'Names of all columns, in the order of the file. Without a header the names are column_1, ' +
        'column_2 and so on.',
      resolve: ({ description }) => [...description.columns.names],
    }),
    emailColumn: t.string({
      mask: 'sentence',
      description: 'Name of the column with the addresses.',
      resolve: ({ description: { columns } }) => columns.names[columns.email]!,
    }),
    counts: t.field({
      type: EmailImportCounts,
      description: 'Numbers of rows and batches.',
      resolve: (found) => found,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Completion time. Null if not completed.',
    }),
    problems: t.field({
      type: EmailImportProblemConnection,
      description: 'Rows without a result, in the order of the file. Errors: `input.invalid`.',
      args: PAGE_ARGS,
      complexity: pageCost(5),
      resolve: ({ importId }, args, context) => problemsPage(importId, args, context),
    }),
  }),
});

async function problemsPage(importId: string, args: PageArgs, context: GraphQLContext) {
  const page = selectPage(args, ['problems of email import', importId], context);
  const { loaders } = context;
  return toConnection(await loaders.importProblems(page).load(importId), page, {
    context,
    position: ({ place }) => place,
    edge: (node) => ({ node }),
    total: () => loaders.importProblemCounts(MAX_COUNTED + 1).load(importId),
  });
}

const EmailImportConnection = builder.connectionObject(
  {
    type: EmailImportType,
    name: 'EmailImportConnection',
    description: 'Page of the imports of email addresses.',
  },
  { name: 'EmailImportEdge', description: 'Import in a page.' },
);

builder.queryFields((t) => ({
  emailImport: t.field({
    type: EmailImportType,
    nullable: true,
    description:
      'Import of email addresses by its id. Null if it does not exist. Errors: `auth.forbidden` ' +
      '(browser tokens).',
    authScopes: { may: 'email_import.read' },
    args: { id: t.arg.id({ required: true, description: 'Global id of the import, or its importId.' }) },
    resolve: (_root, { id }, { loaders }) => {
      const importId = internalIdOf('EmailImport', id);
      return importId !== null && isUuid(importId) ? loaders.emailImport.load(importId) : null;
    },
  }),
  emailImports: t.field({
    type: EmailImportConnection,
    nullable: true,
    description:
      'Imports of email addresses, the newest first. Errors: `input.invalid`, `auth.forbidden` (browser ' +
      'tokens).',
    authScopes: { may: 'email_import.read' },
    complexity: pageCost(5),
    args: PAGE_ARGS,
    resolve: async (_root, args, context) => {
      const { viewer, services } = context;
      const page = selectPage(args, ['email imports'], context);
      return toConnection(await services.emailImports.list(viewer, page), page, {
        context,
        position: ({ importId }) => [importId],
        edge: (node) => ({ node }),
        total: () => services.emailImports.count(viewer, MAX_COUNTED + 1),
      });
    },
  }),
}));
