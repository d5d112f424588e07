import type { GraphQLResolveInfo } from 'graphql';
import { KEY_ROLES, type KeyRole } from '../../domain/projects/api-key.ts';
import { countApiKeys, listApiKeys } from '../../domain/projects/api-key-service.ts';
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
import { readableUuid } from '../kernel/node-loader.ts';
import { selectedNodes } from '../kernel/nodes-query.ts';

const ApiKeyRole = builder.enumType('ApiKeyRole', {
  description: 'Role of an API key. OPERATOR includes the access of SERVER, and SERVER that of READ.',
  values: valuesOf(KEY_ROLES, {
    read: 'Read access to data.',
    server: 'Read and write access to data of accounts, sessions, lists and checks.',
    operator: 'Write access to rules, settings and webhooks, and read access to the audit log.',
  }),
});

/** The columns that every query reads. Never the hash. */
const KEY = { projectId: true, keyId: true } as const;

const ApiKeyNode = builder.prismaNode('ApiKey', {
  tokenScopes: 'never',
  subjects: 'wide',
  mask: 'none',
  description: 'API key of the project. Only its creation shows the key itself.',
  select: KEY,
  id: { resolve: ({ keyId }) => keyId, description: 'Global id.' },
  nullable: true,
  findUnique: (keyId, { viewer }) => ({
    projectId_keyId: {
      projectId: viewer.project.projectId,
      keyId: readableUuid(viewer, 'api_key.read', keyId),
    },
  }),
  fields: (t) => ({
    keyId: t.expose('keyId', {
      type: 'UUID',
      description: 'Id of the key, as in the command line.',
    }),
    prefix: t.exposeString('prefix', { description: 'Visible prefix, which audit entries contain.' }),
    label: t.string({
      nullable: true,
      description: 'Label from the operator. Null if none.',
      select: { label: true },
      resolve: ({ label }) => label || null,
    }),
    role: t.field({
      type: ApiKeyRole,
      description: 'Role.',
      select: { role: true },
      resolve: ({ role }) => role as KeyRole,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the latest use, recorded at most once a minute. Null if it was never used.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time from which the key is rejected. Null if it does not expire.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the revocation. Null if it was not revoked.',
    }),
  }),
});

const ApiKeyConnection = builder.connectionObject(
  { type: ApiKeyNode, name: 'ApiKeyConnection', description: 'Page of API keys.' },
  { name: 'ApiKeyEdge', description: 'API key in a page.' },
);

async function keyPage(args: PageArgs, context: GraphQLContext, info: GraphQLResolveInfo) {
  const { viewer } = context;
  const page = selectPage(args, ['apiKeys'], context);
  const query = selectedNodes(context, info, KEY);
  const keys = await listApiKeys(viewer, page, query);
  return toConnection(keys, page, {
    context,
    position: ({ keyId }) => [keyId],
    edge: (node) => ({ node }),
    total: () => countApiKeys(viewer, MAX_COUNTED + 1),
  });
}

builder.queryField('apiKeys', (t) =>
  t.field({
    type: ApiKeyConnection,
    nullable: true,
    description:
      'API keys of the project, the newest first, including revoked and expired keys. Errors: ' +
      '`auth.forbidden` (below the role operator).',
    authScopes: { may: 'api_key.read' },
    complexity: pageCost(5),
    args: PAGE_ARGS,
    resolve: (_root, args, context, info) => keyPage(args, context, info),
  }),
);
