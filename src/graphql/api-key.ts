import { KEY_ROLES } from '../domain/projects/api-key.ts';
import { countApiKeys, listApiKeys, type ShownKey } from '../domain/projects/api-key-service.ts';
import { builder } from './builder.ts';
import { MAX_COUNTED, PAGE_ARGS, type PageArgs, pageCost, selectPage, toConnection } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { valuesOf } from './enum-values.ts';
import { nodeLoader } from './node-loader.ts';

const ApiKeyRole = builder.enumType('ApiKeyRole', {
  description: 'Role of an API key. Each role includes the one before it.',
  values: valuesOf(KEY_ROLES, {
    read: 'Reads data.',
    server: 'Reads and writes data of accounts, sessions, lists and checks.',
    operator: 'Also changes rules, settings and webhooks, and reads the audit log.',
  }),
});

const ApiKeyRef = builder.objectRef<ShownKey>('ApiKey');

builder.node(ApiKeyRef, {
  description: 'API key of the project. The key itself is shown only when it is created.',
  id: { resolve: (key) => key.key_id, description: 'Global id.' },
  loadMany: nodeLoader('api_key.read', ({ apiKey }) => apiKey),
  fields: (t) => ({
    keyId: t.field({
      type: 'UUID',
      description: 'Id of the key, as the command line shows it and takes it for revocation.',
      resolve: (key) => key.key_id,
    }),
    prefix: t.exposeString('prefix', { description: 'Visible prefix, by which audit entries name the key.' }),
    label: t.string({
      nullable: true,
      description: 'Label that the operator chose; null without one.',
      resolve: (key) => key.label || null,
    }),
    role: t.field({ type: ApiKeyRole, description: 'Role.', resolve: (key) => key.role }),
    createdAt: t.field({ type: 'DateTime', description: 'Creation time.', resolve: (key) => key.created_at }),
    lastUsedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of the latest use, recorded at most once a minute; null when it was never used.',
      resolve: (key) => key.last_used_at,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time from which it is rejected; null when it does not expire.',
      resolve: (key) => key.expires_at,
    }),
    revokedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of the revocation; null before.',
      resolve: (key) => key.revoked_at,
    }),
  }),
});

const ApiKeyConnection = builder.connectionObject(
  { type: ApiKeyRef, name: 'ApiKeyConnection', description: 'Page of API keys.' },
  { name: 'ApiKeyEdge', description: 'API key in a page.' },
);

async function keyPage(args: PageArgs, context: GraphQLContext) {
  const { viewer } = context;
  const page = selectPage(args, ['apiKeys'], context);
  const keys = await listApiKeys(viewer, page);
  return toConnection(keys, page, {
    context,
    position: ({ key_id }) => [key_id],
    edge: (node) => ({ node }),
    total: () => countApiKeys(viewer, MAX_COUNTED + 1),
  });
}

builder.queryField('apiKeys', (t) =>
  t.field({
    type: ApiKeyConnection,
    nullable: true,
    description:
      'API keys of the project, revoked and expired ones included, the newest first. Errors: auth.forbidden below the ' +
      'role operator.',
    authScopes: { may: 'api_key.read' },
    complexity: pageCost(5),
    args: PAGE_ARGS,
    resolve: (_root, args, context) => keyPage(args, context),
  }),
);
