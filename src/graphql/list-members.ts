import { Account } from '../domain/accounts/account.ts';
import type { ListMemberRow, MemberPosition } from '../domain/lists/list-read-service.ts';
import { decryptReason } from '../domain/lists/member-reason.ts';
import { assertMay } from '../domain/projects/assert-may.ts';
import { decodeCursor } from '../platform/cursor.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { pageSize, toPage } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { ListNode } from './list.ts';

type Membership = { member: ListMemberRow };

const ListMemberConnection = builder.connectionObject(
  { type: AccountRef, name: 'ListMemberConnection', description: 'A page of the accounts on a list.' },
  {
    name: 'ListMemberEdge',
    description: 'An account on a list, and how it came there.',
    fields: (t) => ({
      addedAt: t.field({
        type: 'DateTime',
        description: 'Since when it is on the list.',
        resolve: (edge) => memberOf(edge).member_added_at,
      }),
      reason: t.string({
        description: 'Why, as whoever added it said; empty when nothing was said.',
        resolve: (edge, _args, { viewer }) => {
          const { account_id, member_reason, member_sealed_reason } = memberOf(edge);
          const stored = { reason: member_reason, sealedReason: member_sealed_reason };
          return decryptReason(viewer.project.cipher, account_id, stored);
        },
      }),
      actor: t.string({
        description: 'Who added it: the visible prefix of a key, or the name of a rule.',
        resolve: (edge) => memberOf(edge).member_actor,
      }),
      source: t.string({
        description: 'By what way: api, rule, import or console.',
        resolve: (edge) => memberOf(edge).member_source,
      }),
      expiresAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it ends by itself; null: it stays.',
        resolve: (edge) => memberOf(edge).member_expires_at,
      }),
    }),
  },
);

/** Every edge of this connection is made below, with its row. */
function memberOf(edge: unknown): ListMemberRow {
  return (edge as Membership).member;
}

async function memberPage(
  listId: string,
  args: { first?: number | null; after?: string | null },
  context: GraphQLContext,
) {
  assertMay(context.viewer, 'list.read');
  const { project } = context.viewer;
  const size = pageSize(args.first, context);
  const scope = `list:${listId}`;
  const after = args.after == null ? null : decodeCursor(project.cipher, scope, args.after);
  const behind: MemberPosition | null = after && [String(after[0]), String(after[1])];
  const rows = await context.loaders.listMembers(behind, size + 1).load(listId);
  return toPage(rows, size, {
    context,
    scope,
    hasPrevious: after !== null,
    position: (row) => [row.member_added_at.toISOString(), row.id],
    edge: (row) => ({ node: new Account(project, row), member: row }),
  });
}

builder.objectFields(ListNode, (t) => ({
  memberCount: t.int({
    description: 'How many accounts are on it. Those whose time is over do not count.',
    complexity: 2,
    resolve: ({ listId }, _args, context) => context.loaders.listMemberCount.load(listId),
  }),
  members: t.field({
    type: ListMemberConnection,
    description: 'The accounts on it, the latest added first, without those whose time is over.',
    complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
    args: {
      first: t.arg.int({ description: 'How many, 100 at most; 20 by default.' }),
      after: t.arg.string({ description: 'Cursor to go on behind.' }),
    },
    resolve: ({ listId }, args, context) => memberPage(listId, args, context),
  }),
  accountIds: t.stringList({
    description:
      "The client's ids of all accounts on it at once, the latest added first. Of large lists ask for members.",
    complexity: 1000,
    resolve: ({ listId }, _args, context) => context.loaders.listAccountIds.load(listId),
  }),
}));
