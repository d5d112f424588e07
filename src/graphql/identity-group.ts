import { Account } from '../domain/accounts/account.ts';
import {
  type IdentityChangeRow,
  type IdentityGroupRow,
  readIdentityGroup,
} from '../domain/linking/identity-group-service.ts';
import { decodeCursor } from '../platform/cursor.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { pageSize, toPage } from './connection.ts';

type Change = IdentityChangeRow;

const IdentityChangeType = builder.objectRef<Change>('IdentityGroupChange').implement({
  description: 'What became of an identity group at one time.',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When.', resolve: ({ at }) => at }),
    action: t.exposeString('action', {
      description:
        'created, grown, shrunk, merged (another came into it), split (it came out of another) or dissolved.',
    }),
    otherGroupId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The group that was merged into it, or that it was split from.',
      resolve: ({ other_group_id }) => other_group_id,
    }),
    size: t.exposeInt('size', { description: 'Its accounts afterwards.' }),
  }),
});

const IdentityMemberConnection = builder.connectionObject(
  {
    type: AccountRef,
    name: 'IdentityMemberConnection',
    description: 'A page of the accounts of an identity group.',
  },
  { name: 'IdentityMemberEdge', description: 'An account of an identity group.' },
);

export const IdentityGroup = builder.objectRef<IdentityGroupRow>('IdentityGroup').implement({
  description:
    'Accounts that are one person: all that are connected by links of 0.7 at least, not counting what more than 100 accounts share.',
  fields: (t) => ({
    groupId: t.field({
      type: 'UUID',
      description: 'Stays while accounts come and go; of groups that merge the one of the larger stays.',
      resolve: ({ group_id }) => group_id,
    }),
    size: t.exposeInt('size', { description: 'How many accounts it has, 2 at least.' }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was first seen.',
      resolve: (g) => g.created_at,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When it last changed.',
      resolve: (g) => g.updated_at,
    }),
    accounts: t.field({
      type: IdentityMemberConnection,
      description: 'Its accounts, the oldest first.',
      complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
      args: {
        first: t.arg.int({ description: 'How many, 100 at most; 20 by default.' }),
        after: t.arg.string({ description: 'Cursor to go on behind.' }),
      },
      resolve: async ({ group_id }, args, context) => {
        const { project } = context.viewer;
        const size = pageSize(args.first, context);
        const scope = `identity:${group_id}`;
        const after = args.after == null ? null : decodeCursor(project.cipher, scope, args.after);
        const rows = await context.loaders
          .identityMembers(after && String(after[0]), size + 1)
          .load(group_id);
        return toPage(rows, size, {
          context,
          scope,
          hasPrevious: after !== null,
          position: (row) => [row.id],
          edge: (row) => ({ node: new Account(project, row) }),
        });
      },
    }),
    history: t.field({
      type: [IdentityChangeType],
      description: 'What became of it, the latest first.',
      complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
      args: { first: t.arg.int({ description: 'How many, 100 at most; 20 by default.' }) },
      resolve: ({ group_id }, { first }, context) =>
        context.loaders.identityChanges(pageSize(first, context)).load(group_id),
    }),
  }),
});

builder.objectField(AccountRef, 'identityGroup', (t) =>
  t.field({
    type: IdentityGroup,
    nullable: true,
    description:
      'The person that it belongs to; null when it is alone. Follows changes within about a second.',
    resolve: (account, _args, { loaders }) => loaders.identityGroup.load(account.row.id),
  }),
);

builder.queryFields((t) => ({
  identityGroup: t.field({
    type: IdentityGroup,
    nullable: true,
    description:
      'An identity group by its id, also by one that it had before it was merged; null when there is none.',
    authScopes: { may: 'identity_group.read' },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the group.' }) },
    resolve: (_root, { id }, { viewer }) => readIdentityGroup(viewer, id),
  }),
}));
