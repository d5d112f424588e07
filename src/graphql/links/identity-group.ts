import { isUuid } from '@vouchgraph/platform/ids';
import { Account } from '../../domain/accounts/account.ts';
import {
  IDENTITY_ACTIONS,
  type IdentityChangeRow,
  type IdentityGroupRow,
} from '../../domain/linking/identity-group-service.ts';
import { refusalOf } from '../../domain/projects/assert-may.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import { PAGE_ARGS, pageCost, selectPage, toConnection } from '../kernel/connection.ts';
import { valuesOf } from '../kernel/enum-values.ts';
import { internalIdOf } from '../kernel/node-id.ts';

const IdentityActionEnum = builder.enumType('IdentityGroupAction', {
  description: 'Kind of change of an identity group.',
  values: valuesOf(IDENTITY_ACTIONS, {
    created: 'Creation of the group.',
    grown: 'Addition of accounts.',
    shrunk: 'Removal of accounts.',
    merged: 'Merge of another group into the group.',
    split: 'Split from another group.',
    dissolved: 'Dissolution of the group. It no longer exists.',
  }),
});

const IdentityChangeType = builder.objectRef<IdentityChangeRow>('IdentityGroupChange').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Change of an identity group.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'Time of the change.' }),
    action: t.expose('action', { type: IdentityActionEnum, description: 'Kind of change.' }),
    otherGroupId: t.expose('other_group_id', {
      type: 'UUID',
      nullable: true,
      description:
        'Id of the group that was merged into this group, or that this group was split from. Null for ' +
        'other changes.',
    }),
    size: t.exposeInt('size', { description: 'Number of accounts after the change.' }),
  }),
});

const IdentityChangeConnection = builder.connectionObject(
  {
    type: IdentityChangeType,
    name: 'IdentityGroupChangeConnection',
    description: 'Page of the changes of an identity group.',
  },
  { name: 'IdentityGroupChangeEdge', description: 'Change in a page.' },
);

const IdentityMemberConnection = builder.connectionObject(
  {
    type: AccountRef,
    name: 'IdentityMemberConnection',
    description: 'Page of the accounts of an identity group.',
  },
  { name: 'IdentityMemberEdge', description: 'Account in a page.' },
);

/** A class, so that the interface Node can recognize its objects. */
class IdentityGroup {
  readonly row: IdentityGroupRow;

  constructor(row: IdentityGroupRow) {
    this.row = row;
  }
}

/** A group as the IdentityGroup type reads it. */
export const identityGroupOf = (row: IdentityGroupRow | null) => row && new IdentityGroup(row);

export const IdentityGroupRef = builder.objectRef<IdentityGroup>('IdentityGroup');

builder.node(IdentityGroupRef, {
  tokenScopes: 'never',
  subjects: 'wide',
  description:
    'Accounts of one person, connected by links with a score of 0.7 or more. Identifiers that more than ' +
    '100 accounts share do not count.',
  id: { resolve: ({ row }) => row.group_id, description: 'Global id.' },
  isTypeOf: (value) => value instanceof IdentityGroup,
  loadMany: async (ids, { viewer, loaders }) => {
    if (refusalOf(viewer, 'identity_group.read')) return ids.map(() => null);
    const rows = await Promise.all(
      ids.map((id) => (isUuid(id) ? loaders.identityGroupById.load(id.toLowerCase()) : null)),
    );
    return rows.map(identityGroupOf);
  },
  fields: (t) => ({
    groupId: t.field({
      type: 'UUID',
      description:
        'Id of the group. Additions and removals of accounts do not change it. Merged groups keep the ' +
        'id of the larger group.',
      resolve: ({ row }) => row.group_id,
    }),
    size: t.int({ description: 'Number of accounts, 2 or more.', resolve: ({ row }) => row.size }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Creation time.',
      resolve: ({ row }) => row.created_at,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'Time of the latest change.',
      resolve: ({ row }) => row.updated_at,
    }),
    accounts: t.field({
      type: IdentityMemberConnection,
      description: 'Accounts of the group, the oldest first.',
      complexity: pageCost(5),
      args: PAGE_ARGS,
      resolve: async ({ row: { group_id } }, args, context) => {
        const { viewer, loaders } = context;
        const page = selectPage(args, ['identity.accounts', group_id], context);
        return toConnection(await loaders.identityMembers(page).load(group_id), page, {
          context,
          position: ({ id }) => [id],
          edge: (row) => ({ node: new Account(viewer.project, row) }),
          total: () => loaders.identityMemberCount.load(group_id),
        });
      },
    }),
    history: t.field({
      type: IdentityChangeConnection,
      description:
        'Changes of the group, the latest first. Merges are stored permanently, other changes for a year.',
      complexity: pageCost(5),
      args: PAGE_ARGS,
      resolve: async ({ row: { group_id } }, args, context) => {
        const { loaders } = context;
        const page = selectPage(args, ['identity.history', group_id], context);
        return toConnection(await loaders.identityChanges(page).load(group_id), page, {
          context,
          position: ({ at, change_id }) => [at.toISOString(), change_id],
          edge: (node) => ({ node }),
          total: () => loaders.identityChangeCount.load(group_id),
        });
      },
    }),
  }),
});

builder.objectField(AccountRef, 'identityGroup', (t) =>
  t.field({
    tokenScopes: 'never',
    type: IdentityGroupRef,
    nullable: true,
    description:
      'Identity group of the account. Null without a link with a score of 0.7 or more. Updated within ' +
      'about a second.',
    resolve: async (account, _args, { loaders }) =>
      identityGroupOf(await loaders.identityGroup.load(account.row.id)),
  }),
);

builder.queryFields((t) => ({
  identityGroup: t.field({
    type: IdentityGroupRef,
    nullable: true,
    description:
      'Identity group by its id, or by the id of a group that was merged into it. Null if it ' +
      'does not exist.',
    authScopes: { may: 'identity_group.read' },
    args: { id: t.arg.id({ required: true, description: 'Global id of the group, or its groupId.' }) },
    resolve: async (_root, { id }, { loaders }) =>
      identityGroupOf(await loaders.renamedIdentityGroup.load(internalIdOf('IdentityGroup', id) ?? '')),
  }),
}));
