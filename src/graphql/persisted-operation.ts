import type { OperationRow } from '../domain/operations/operation-service.ts';
import { refusalOf } from '../domain/projects/assert-may.ts';
import { NIL_UUID } from '../platform/ids.ts';
import { LIMITS } from '../platform/limits.ts';
import { builder } from './builder.ts';
import { PAGE_ARGS, pageCost, selectPage, toConnection } from './connection.ts';
import { globalIdOf } from './node-id.ts';

const REQUEST_ID = { type: 'UUID', description: 'Id of this request.' } as const;
const MAX_OPERATIONS = LIMITS.operations.toLocaleString('en');

const PersistedOperationNode = builder.prismaNode('PersistedOperation', {
  description: 'Registered GraphQL document, executed by the SHA-256 of its text.',
  id: { resolve: ({ operationId }) => operationId, description: 'Global id.' },
  nullable: true,
  // Without the right to read operations, none exists.
  findUnique: (operationId, { viewer }) => ({
    projectId_operationId: {
      projectId: viewer.project.projectId,
      operationId: refusalOf(viewer, 'operation.read') ? NIL_UUID : operationId,
    },
  }),
  fields: (t) => ({
    sha256Hash: t.string({
      description: 'SHA-256 of the text, 64 hexadecimal digits in lower case.',
      resolve: ({ hash }) => Buffer.from(hash).toString('hex'),
    }),
    text: t.exposeString('text', { description: 'Text of the document.' }),
    operationNames: t.exposeStringList('operationNames', {
      description: 'Names of the operations of the document. Operations without a name are omitted.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time of registration.',
      resolve: ({ createdAt }) => createdAt,
    }),
  }),
});

/** A row as its type reads it. */
function shownOf(projectId: string, row: OperationRow) {
  return {
    projectId,
    operationId: row.operation_id,
    hash: new Uint8Array(row.hash),
    text: row.text,
    operationNames: row.operation_names,
    createdAt: row.created_at,
  };
}

const PersistedOperationConnection = builder.connectionObject(
  {
    type: PersistedOperationNode,
    name: 'PersistedOperationConnection',
    description: 'Page of registered documents.',
  },
  { name: 'PersistedOperationEdge', description: 'Registered document in a page.' },
);

builder.queryField('persistedOperations', (t) =>
  t.field({
    type: PersistedOperationConnection,
    nullable: true,
    description:
      'Registered documents, the newest first. Errors: `auth.forbidden` (below the role operator), ' +
      '`input.invalid`.',
    authScopes: { may: 'operation.read' },
    complexity: pageCost(5),
    args: PAGE_ARGS,
    resolve: async (_root, args, context) => {
      const { viewer, services } = context;
      const page = selectPage(args, ['persistedOperations'], context);
      const rows = await services.operations.list(viewer, page);
      return toConnection(rows, page, {
        context,
        position: ({ operation_id }) => [operation_id],
        edge: (row) => ({ node: shownOf(viewer.project.projectId, row) }),
        total: () => services.operations.count(viewer),
      });
    },
  }),
);

const OperationDocumentInput = builder.inputType('OperationDocumentInput', {
  description: 'Document to register.',
  fields: (t) => ({
    text: t.string({
      required: true,
      description: `Text of the document, at most ${LIMITS.operationBytes} bytes of UTF-8.`,
    }),
    sha256Hash: t.string({
      description:
        'SHA-256 of the text, 64 hexadecimal digits in lower case. The hash of another text is ' +
        'rejected. Computed if absent.',
    }),
  }),
});

const RegisterOperationsInput = builder.inputType('RegisterOperationsInput', {
  description: 'Documents to register.',
  fields: (t) => ({
    documents: t.field({
      type: [OperationDocumentInput],
      required: true,
      description: `Documents, 1 to ${MAX_OPERATIONS}. A registered document does not change.`,
    }),
  }),
});

const RegisterOperationsPayload = builder
  .objectRef<{ requestId: string; projectId: string; rows: OperationRow[] }>('RegisterOperationsPayload')
  .implement({
    description: 'Registered documents.',
    fields: (t) => ({
      requestId: t.field({ ...REQUEST_ID, resolve: ({ requestId }) => requestId }),
      operations: t.field({
        type: [PersistedOperationNode],
        description: 'Documents of the input in their order, each once.',
        resolve: ({ projectId, rows }) => rows.map((row) => shownOf(projectId, row)),
      }),
    }),
  });

const DeleteOperationsInput = builder.inputType('DeleteOperationsInput', {
  description: 'Registered documents to delete.',
  fields: (t) => ({
    sha256Hashes: t.stringList({
      required: true,
      description: `SHA-256 of the documents, 1 to ${MAX_OPERATIONS}. Hashes that are not registered are ignored.`,
    }),
  }),
});

const DeleteOperationsPayload = builder
  .objectRef<{ requestId: string; deletedIds: string[] }>('DeleteOperationsPayload')
  .implement({
    description: 'Deleted documents.',
    fields: (t) => ({
      requestId: t.field({ ...REQUEST_ID, resolve: ({ requestId }) => requestId }),
      deletedIds: t.idList({
        description: 'Global ids of the deleted documents.',
        resolve: ({ deletedIds }) => deletedIds.map((id) => globalIdOf('PersistedOperation', id)),
      }),
    }),
  });

builder.mutationFields((t) => ({
  registerOperations: t.field({
    type: RegisterOperationsPayload,
    nullable: true,
    description:
      'Registers documents in one transaction, so that they can be executed by their SHA-256. Each ' +
      'document is checked against the schema and its limits. A project can have at most ' +
      `${MAX_OPERATIONS} documents with ${LIMITS.operationsBytes / 2 ** 20} MiB of text. Errors: ` +
      '`operation.invalid_document`, `operation.too_many`, `input.invalid`.',
    authScopes: { may: 'operation.register' },
    args: {
      input: t.arg({ type: RegisterOperationsInput, required: true, description: 'Documents to register.' }),
    },
    resolve: async (_root, { input }, { viewer, requestId, services }) => ({
      requestId,
      projectId: viewer.project.projectId,
      rows: await services.operations.register(viewer, requestId, input.documents),
    }),
  }),
  deleteOperations: t.field({
    type: DeleteOperationsPayload,
    nullable: true,
    description:
      'Deletes registered documents. All gateways reject their hashes within a second. Running ' +
      'subscriptions continue. Errors: `input.invalid`.',
    authScopes: { may: 'operation.delete' },
    args: {
      input: t.arg({ type: DeleteOperationsInput, required: true, description: 'Documents to delete.' }),
    },
    resolve: async (_root, { input }, { viewer, requestId, services }) => ({
      requestId,
      deletedIds: await services.operations.remove(viewer, requestId, input.sha256Hashes),
    }),
  }),
}));
