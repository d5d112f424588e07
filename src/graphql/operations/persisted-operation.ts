import { LIMITS } from '@vouchgraph/platform/limits';
import { hashOfBytes } from '../../domain/operations/operation.ts';
import { builder } from '../kernel/builder.ts';
import { PAGE_ARGS, pageCost, selectPage, toConnection } from '../kernel/connection.ts';
import { globalIdOf } from '../kernel/node-id.ts';
import { readableUuid } from '../kernel/node-loader.ts';
import { payloadType } from '../kernel/payload.ts';

const MAX_OPERATIONS = LIMITS.operations.toLocaleString('en');

const PersistedOperationNode = builder.prismaNode('PersistedOperation', {
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Registered GraphQL document, executed by the SHA-256 of its text.',
  id: { resolve: ({ operationId }) => operationId, description: 'Global id.' },
  nullable: true,
  findUnique: (operationId, { viewer }) => ({
    projectId_operationId: {
      projectId: viewer.project.projectId,
      operationId: readableUuid(viewer, 'operation.read', operationId),
    },
  }),
  fields: (t) => ({
    sha256Hash: t.string({
      description: 'SHA-256 of the text, 64 hexadecimal digits in lower case.',
      resolve: hashOfBytes,
    }),
    text: t.exposeString('text', { description: 'Text of the document.' }),
    operationNames: t.exposeStringList('operationNames', {
      description: 'Names of the operations of the document. Operations without a name are omitted.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of registration.' }),
  }),
});

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
        position: ({ operationId }) => [operationId],
        edge: (node) => ({ node }),
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
      description: `Text of the document, at most ${LIMITS.operationBytes.toLocaleString('en')} bytes of UTF-8.`,
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

const RegisterOperationsPayload = payloadType<{ operations: (typeof PersistedOperationNode.$inferType)[] }>(
  'RegisterOperationsPayload',
  'Registered documents.',
  { subjects: 'none' },
  (t) => ({
    operations: t.expose('operations', {
      type: [PersistedOperationNode],
      description: 'Documents of the input in their order, each once.',
    }),
  }),
);

const DeleteOperationsInput = builder.inputType('DeleteOperationsInput', {
  description: 'Registered documents to delete.',
  fields: (t) => ({
    sha256Hashes: t.stringList({
      required: true,
      description: `SHA-256 of the documents, 1 to ${MAX_OPERATIONS}. Hashes that are not registered are ignored.`,
    }),
  }),
});

const DeleteOperationsPayload = payloadType<{ deletedIds: string[] }>(
  'DeleteOperationsPayload',
  'Deleted documents.',
  { subjects: 'none' },
  (t) => ({
    deletedIds: t.idList({
      description: 'Global ids of the deleted documents.',
      resolve: ({ deletedIds }) => deletedIds.map((id) => globalIdOf('PersistedOperation', id)),
    }),
  }),
);

builder.mutationFields((t) => ({
  registerOperations: t.field({
    isIdempotent: true,
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
      operations: await services.operations.register(viewer, requestId, input.documents),
    }),
  }),
  deleteOperations: t.field({
    isIdempotent: true,
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
