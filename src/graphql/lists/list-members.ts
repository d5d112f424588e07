import type { Account } from '../../domain/accounts/account.ts';
import { decryptReason } from '../../domain/lists/member-reason.ts';
import type { MemberSource } from '../../domain/model/member-source.ts';
import { assertMay } from '../../domain/projects/assert-may.ts';
import type { ListMember } from '../../storage/generated/prisma/client.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import {
  PAGE_ARGS,
  type PageArgs,
  pageCost,
  rangeOf,
  selectPage,
  toConnection,
} from '../kernel/connection.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { ListNode } from './list.ts';
import { ListMemberSource } from './member-source.ts';

type MemberEdge = { member: ListMember; node: Account };

const ListMemberConnection = builder.connectionObject(
  { type: AccountRef, name: 'ListMemberConnection', description: 'Page of the accounts on a list.' },
  {
    name: 'ListMemberEdge',
    description: 'Account on a list, with the reason of its membership.',
    fields: (t) => ({
      addedAt: t.field({
        type: 'DateTime',
        description: 'Time of addition.',
        resolve: (edge) => memberOf(edge).member.addedAt,
      }),
      reason: t.string({
        mask: 'text',
        nullable: true,
        description:
          'Reason of the membership, from the request or the name of the rule. Null without a reason.',
        resolve: (edge, _args, { viewer }) => {
          const { member, node } = memberOf(edge);
          return decryptReason(viewer.project.cipher, node.row.account_id, member.encryptedReason) || null;
        },
      }),
      actor: t.string({
        mask: 'none',
        nullable: true,
        description: 'Visible prefix of the key that added the account, or rule:NAME. Null if unknown.',
        resolve: (edge) => memberOf(edge).member.actor || null,
      }),
      source: t.field({
        type: ListMemberSource,
        description: 'Origin of the membership.',
        resolve: (edge) => memberOf(edge).member.source as MemberSource,
      }),
      expiresAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'End of the membership. Null if it has no end.',
        resolve: (edge) => memberOf(edge).member.expiresAt,
      }),
    }),
  },
);

/** Every edge of this connection is made below. */
function memberOf(edge: unknown): MemberEdge {
  return edge as MemberEdge;
}

async function memberPage(listId: string, args: PageArgs, context: GraphQLContext) {
  const { viewer, loaders } = context;
  assertMay(viewer, 'list.read');
  const page = selectPage(args, ['list members', listId], context);
  const rows = await loaders.listMembers(rangeOf(page)).load(listId);
  const connection = toConnection(rows, page, {
    context,
    position: ({ member }) => [member.addedAt.toISOString(), member.accountId],
    edge: (row) => row,
    total: () => loaders.listMembersUpTo.load(listId),
  });
  return { ...connection, edges: connection.edges.filter(hasAccount) };
}

/** False for an account that was erased after the page was read. */
const hasAccount = <Edge extends { node: Account | null }>(edge: Edge): edge is Edge & MemberEdge =>
  edge.node !== null;

builder.prismaObjectFields(ListNode, (t) => ({
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
  accountIds: t.idList({
    deprecationReason: 'Reads the whole list at once. Use members.',
    description: 'Ids of all accounts on the list, assigned by the client, the latest added first.',
    complexity: 1000,
    resolve: ({ listId }, _args, context) => context.loaders.listAccountIds.load(listId),
  }),
}));
