import { Account } from '../domain/accounts/account.ts';
import type { ListMemberRow } from '../domain/lists/list-read-service.ts';
import { decryptReason } from '../domain/lists/member-reason.ts';
import type { MemberSource } from '../domain/model/member-source.ts';
import { assertMay } from '../domain/projects/assert-may.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { PAGE_ARGS, type PageArgs, pageCost, rangeOf, selectPage, toConnection } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { ListNode } from './list.ts';
import { ListMemberSource } from './member-source.ts';

type Membership = { member: ListMemberRow };

const ListMemberConnection = builder.connectionObject(
  { type: AccountRef, name: 'ListMemberConnection', description: 'Page of the accounts on a list.' },
  {
    name: 'ListMemberEdge',
    description: 'Account on a list, with the reason of its membership.',
    fields: (t) => ({
      addedAt: t.field({
        type: 'DateTime',
        description: 'Time of addition.',
        resolve: (edge) => memberOf(edge).member_added_at,
      }),
      reason: t.string({
        nullable: true,
        description: 'Reason in the request that added it. Null if none was sent.',
        resolve: (edge, _args, { viewer }) => {
          const { account_id, member_reason, member_sealed_reason } = memberOf(edge);
          const stored = { reason: member_reason, sealedReason: member_sealed_reason };
          return decryptReason(viewer.project.cipher, account_id, stored) || null;
        },
      }),
      actor: t.string({
        nullable: true,
        description: 'Visible prefix of the key that added it, or rule:NAME. Null if unknown.',
        resolve: (edge) => memberOf(edge).member_actor || null,
      }),
      source: t.field({
        type: ListMemberSource,
        description: 'Way of addition.',
        resolve: (edge) => memberOf(edge).member_source as MemberSource,
      }),
      expiresAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'End of the membership. Null if it has no end.',
        resolve: (edge) => memberOf(edge).member_expires_at,
      }),
    }),
  },
);

/** Every edge of this connection is made below, with its row. */
function memberOf(edge: unknown): ListMemberRow {
  return (edge as Membership).member;
}

async function memberPage(listId: string, args: PageArgs, context: GraphQLContext) {
  assertMay(context.viewer, 'list.read');
  const { project } = context.viewer;
  const page = selectPage(args, ['list members', listId], context);
  const rows = await context.loaders.listMembers(rangeOf(page)).load(listId);
  return toConnection(rows, page, {
    context,
    position: (row) => [row.member_added_at.toISOString(), row.id],
    edge: (row) => ({ node: new Account(project, row), member: row }),
    total: () => context.loaders.listMembersUpTo.load(listId),
  });
}

builder.objectFields(ListNode, (t) => ({
  memberCount: t.int({
    description: 'Number of accounts on the list, without expired memberships.',
    complexity: 2,
    resolve: ({ listId }, _args, context) => context.loaders.listMemberCount.load(listId),
  }),
  members: t.field({
    type: ListMemberConnection,
    description: 'Accounts on the list, the latest added first, without expired memberships.',
    complexity: pageCost(5),
    args: PAGE_ARGS,
    resolve: ({ listId }, args, context) => memberPage(listId, args, context),
  }),
  accountIds: t.stringList({
    deprecationReason: 'Reads the whole list at once. Use members.',
    description: 'Ids of all accounts on the list, assigned by the client, the latest added first.',
    complexity: 1000,
    resolve: ({ listId }, _args, context) => context.loaders.listAccountIds.load(listId),
  }),
}));
