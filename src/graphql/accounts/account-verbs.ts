import type { GraphQLResolveInfo } from 'graphql';
import {
  type AccountVerbResult,
  countAllPendingMembers,
  listPendingMembers,
} from '../../domain/lists/account-verbs-service.ts';
import { allowAccountShape, blockAccountShape, clearAccountShape } from '../../domain/lists/list-input.ts';
import { decryptReason } from '../../domain/lists/member-reason.ts';
import type { MemberSource } from '../../domain/model/member-source.ts';
import { AccountRef } from '../kernel/account-ref.ts';
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
import type { CollectSubjects } from '../kernel/declared-facts.ts';
import { inputFrom } from '../kernel/input-from.ts';
import { nodesQuery } from '../kernel/nodes-query.ts';
import { payloadType } from '../kernel/payload.ts';
import { ListNode, listOf } from '../lists/list.ts';
import { ListMemberSource } from '../lists/member-source.ts';

const BlockAccountInput = inputFrom(blockAccountShape);
const AllowAccountInput = inputFrom(allowAccountShape);
const ClearAccountInput = inputFrom(clearAccountShape);

type VerbPayload = { accountId: string; result: AccountVerbResult };

/** The account after a verb; null while it does not exist. */
const accountOf = ({ result: { id } }: VerbPayload, { loaders }: GraphQLContext) =>
  id === null ? null : loaders.account.load(id);

/** The account may not exist yet. */
const byVerb: CollectSubjects<VerbPayload> = ({ accountId, result: { id } }, subjects) => {
  if (id === null) subjects.mentionAccountId(accountId);
  else subjects.addAccount(id);
};

const verbPayload = (name: string, description: string) =>
  payloadType<VerbPayload>(name, description, { subjects: byVerb, mask: 'none' }, (t) => ({
    accountId: t.exposeID('accountId', { description: 'Id of the account, assigned by the client.' }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description: 'Account after the change. Null if it does not exist.',
      resolve: (payload, _args, context) => accountOf(payload, context),
    }),
    isPending: t.boolean({
      description: 'Whether the membership is pending because the account does not exist yet.',
      resolve: ({ result }) => result.pending !== null,
    }),
    lists: t.field({
      type: [ListNode],
      description:
        'Lists that contain the account after the change, by name. For an account that does not exist: ' +
        'the list of its pending membership.',
      resolve: async (payload, _args, context) => {
        const { projectId } = context.viewer.project;
        const { pending } = payload.result;
        const account = await accountOf(payload, context);
        const lists = pending === null ? (account?.row.lists ?? []) : [pending];
        return lists.map((list) => listOf(projectId, list));
      },
    }),
    removedFrom: t.stringList({
      description: 'Names of the standard lists that the account or its pending membership was removed from.',
      resolve: ({ result }) => [...result.removedFrom],
    }),
  }));

const BlockAccountPayload = verbPayload('BlockAccountPayload', 'Blocked account.');
const AllowAccountPayload = verbPayload('AllowAccountPayload', 'Allowed account.');
const ClearAccountPayload = verbPayload(
  'ClearAccountPayload',
  'Account after its removal from block and allow.',
);

const UNKNOWN =
  'The account does not have to exist: a pending membership applies to the decision of the request that ' +
  'creates the account. A repeated call changes only the reason and the end, if the input contains ' +
  'them. Errors: `input.invalid` (also an expiresAt in the past).';

builder.mutationFields((t) => ({
  blockAccount: t.field({
    isIdempotent: true,
    type: BlockAccountPayload,
    nullable: true,
    description: `Adds an account to the standard list block and removes it from allow and main_account. ${UNKNOWN}`,
    authScopes: { may: 'list.change_members' },
    args: { input: t.arg({ type: BlockAccountInput, required: true, description: 'Account to block.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => {
      const result = await services.lists.putOnStandardList(viewer, requestId, 'block', input);
      return { requestId, accountId: input.accountId, result };
    },
  }),
  allowAccount: t.field({
    isIdempotent: true,
    type: AllowAccountPayload,
    nullable: true,
    description: `Adds an account to the standard list allow and removes it from block and main_account. ${UNKNOWN}`,
    authScopes: { may: 'list.change_members' },
    args: { input: t.arg({ type: AllowAccountInput, required: true, description: 'Account to allow.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => {
      const result = await services.lists.putOnStandardList(viewer, requestId, 'allow', input);
      return { requestId, accountId: input.accountId, result };
    },
  }),
  clearAccount: t.field({
    isIdempotent: true,
    type: ClearAccountPayload,
    nullable: true,
    description:
      'Removes an account, or its pending membership, from the standard lists block and allow. Undoes ' +
      'blockAccount and allowAccount. Memberships of other lists do not change, even if they block or ' +
      'allow. A repeated call changes nothing. Errors: `account.not_found` (keepOff for an account that ' +
      'does not exist), `input.invalid`.',
    authScopes: { may: 'list.change_members' },
    args: {
      input: t.arg({
        type: ClearAccountInput,
        required: true,
        description: 'Account to remove from block and allow.',
      }),
    },
    resolve: async (_root, { input }, { viewer, services, requestId }) => {
      const result = await services.lists.clearStandardLists(viewer, requestId, input);
      return { requestId, accountId: input.accountId, result };
    },
  }),
}));

const PendingListMember = builder.prismaObject('PendingListMember', {
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Pending membership of an account that does not exist yet.',
  fields: (t) => ({
    accountId: t.exposeID('accountId', { description: 'Id of the account, assigned by the client.' }),
    list: t.relation('list', { description: 'List that the account is added to.' }),
    reason: t.string({
      mask: 'text',
      nullable: true,
      description: 'Reason of the membership. Null without a reason.',
      resolve: ({ accountId, encryptedReason }, _args, { viewer }) =>
        decryptReason(viewer.project.cipher, accountId, encryptedReason) || null,
    }),
    actor: t.exposeString('actor', {
      mask: 'none',
      description: 'Visible prefix of the key that added the membership.',
    }),
    source: t.field({
      type: ListMemberSource,
      description: 'Origin of the membership.',
      resolve: ({ source }) => source as MemberSource,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of addition.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'End of the membership, before or after the creation of the account. Null if it has no end.',
    }),
  }),
});

const PendingListMemberConnection = builder.connectionObject(
  {
    type: PendingListMember,
    name: 'PendingListMemberConnection',
    description: 'Page of pending memberships.',
  },
  { name: 'PendingListMemberEdge', description: 'Pending membership in a page.' },
);

const PendingListMemberFilter = builder.inputType('PendingListMemberFilter', {
  description: 'Conditions on pending memberships. A membership must meet all of them.',
  fields: (t) => ({
    accountId: t.id({ description: 'Id of the account, assigned by the client.' }),
    list: t.string({ description: 'Name of the list.' }),
  }),
});

type PendingArgs = PageArgs & { filter?: (typeof PendingListMemberFilter)['$inferInput'] | null };

async function pendingPage(
  { filter, ...args }: PendingArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
) {
  const { viewer, services } = context;
  const search = { accountId: filter?.accountId ?? null, list: filter?.list ?? null };
  const page = selectPage(args, ['pendingListMembers', search], context);
  const now = services.clock.now();
  const rows = await listPendingMembers(viewer, search, page, now, nodesQuery(context, info));
  return toConnection(rows, page, {
    context,
    position: ({ createdAt, accountId }) => [createdAt.toISOString(), accountId],
    edge: (node) => ({ node }),
    total: () => countAllPendingMembers(viewer, search, now, MAX_COUNTED + 1),
  });
}

builder.queryField('pendingListMembers', (t) =>
  t.field({
    type: PendingListMemberConnection,
    nullable: true,
    description:
      'Pending memberships of block and allow, the latest added first, without expired ones. Errors: ' +
      '`input.invalid`.',
    authScopes: { may: 'list.read' },
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      filter: t.arg({ type: PendingListMemberFilter, description: 'Conditions on pending memberships.' }),
    },
    resolve: (_root, args, context, info) => pendingPage(args, context, info),
  }),
);
