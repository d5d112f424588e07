import {
  type AccountVerbResult,
  countAllPendingMembers,
  listPendingMembers,
  type PendingMemberRow,
} from '../domain/lists/account-verbs-service.ts';
import { allowAccountShape, blockAccountShape, clearAccountShape } from '../domain/lists/list-input.ts';
import { decryptReason } from '../domain/lists/member-reason.ts';
import type { MemberSource } from '../domain/model/member-source.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { MAX_COUNTED, PAGE_ARGS, type PageArgs, pageCost, selectPage, toConnection } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { inputFrom } from './input-from.ts';
import { ListNode, listOf } from './list.ts';
import { ListMemberSource } from './member-source.ts';

const BlockAccountInput = inputFrom(blockAccountShape);
const AllowAccountInput = inputFrom(allowAccountShape);
const ClearAccountInput = inputFrom(clearAccountShape);

type VerbPayload = { requestId: string; accountId: string; result: AccountVerbResult };

/** The account after a verb; null while it does not exist. */
const accountOf = ({ result: { id } }: VerbPayload, { loaders }: GraphQLContext) =>
  id === null ? null : loaders.account.load(id);

const verbPayload = (name: string, description: string) =>
  builder.objectRef<VerbPayload>(name).implement({
    description,
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      accountId: t.exposeString('accountId', { description: "The client's own id, as it was sent." }),
      account: t.field({
        type: AccountRef,
        nullable: true,
        description: 'Account after the change; null while it does not exist.',
        resolve: (payload, _args, context) => accountOf(payload, context),
      }),
      isPending: t.boolean({
        description: 'Whether the membership waits for the account, which does not exist yet.',
        resolve: ({ result }) => result.pending !== null,
      }),
      lists: t.field({
        type: [ListNode],
        description:
          'Lists that contain the account after the change, by name; while it does not exist, the list that waits for it.',
        resolve: async (payload, _args, context) => {
          const { projectId } = context.viewer.project;
          const { pending } = payload.result;
          const account = await accountOf(payload, context);
          const lists = pending === null ? (account?.row.lists ?? []) : [pending];
          return lists.map((list) => listOf(projectId, list));
        },
      }),
      removedFrom: t.stringList({
        description:
          'Names of the standard lists that the account, or the membership that waited for it, was removed from.',
        resolve: ({ result }) => [...result.removedFrom],
      }),
    }),
  });

const BlockAccountPayload = verbPayload('BlockAccountPayload', 'Blocked account.');
const AllowAccountPayload = verbPayload('AllowAccountPayload', 'Allowed account.');
const ClearAccountPayload = verbPayload('ClearAccountPayload', 'Account without block and allow.');

const UNKNOWN =
  'An unknown account is accepted: the membership waits, and applies to the decision of the request ' +
  'that first stores the account. Repeating it changes nothing but a reason or end in the input. ' +
  'Errors: `input.invalid` (also an expiresAt in the past).';

builder.mutationFields((t) => ({
  blockAccount: t.field({
    type: BlockAccountPayload,
    nullable: true,
    description: `Adds an account to the standard list block and removes it from allow and main_account. ${UNKNOWN}`,
    authScopes: { may: 'list.change_members' },
    args: { input: t.arg({ type: BlockAccountInput, required: true, description: 'The account.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => {
      const result = await services.lists.putOnStandardList(viewer, requestId, 'block', input);
      return { requestId, accountId: input.accountId, result };
    },
  }),
  allowAccount: t.field({
    type: AllowAccountPayload,
    nullable: true,
    description: `Adds an account to the standard list allow and removes it from block and main_account. ${UNKNOWN}`,
    authScopes: { may: 'list.change_members' },
    args: { input: t.arg({ type: AllowAccountInput, required: true, description: 'The account.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => {
      const result = await services.lists.putOnStandardList(viewer, requestId, 'allow', input);
      return { requestId, accountId: input.accountId, result };
    },
  }),
  clearAccount: t.field({
    type: ClearAccountPayload,
    nullable: true,
    description:
      'Removes an account from the standard lists block and allow, and deletes the membership that ' +
      'waits for an unknown account. Undoes blockAccount and allowAccount; other lists, also those that ' +
      'block or allow, stay. Repeating it changes nothing. Errors: `account.not_found` (keepOff for an ' +
      'unknown account), `input.invalid`.',
    authScopes: { may: 'list.change_members' },
    args: { input: t.arg({ type: ClearAccountInput, required: true, description: 'The account.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => {
      const result = await services.lists.clearStandardLists(viewer, requestId, input);
      return { requestId, accountId: input.accountId, result };
    },
  }),
}));

const PendingListMember = builder.objectRef<PendingMemberRow>('PendingListMember').implement({
  description: 'Membership that waits for an account which does not exist yet.',
  fields: (t) => ({
    accountId: t.exposeString('accountId', { description: "The client's own id of the account." }),
    list: t.field({
      type: ListNode,
      description: 'List that the account will be on.',
      resolve: (row, _args, { viewer }) => listOf(viewer.project.projectId, row),
    }),
    reason: t.string({
      nullable: true,
      description: 'Reason of the request that added it; null without one.',
      resolve: ({ accountId, sealedReason }, _args, { viewer }) =>
        decryptReason(viewer.project.cipher, accountId, { reason: '', sealedReason }) || null,
    }),
    actor: t.exposeString('actor', { description: 'Visible prefix of the key that added it.' }),
    source: t.field({
      type: ListMemberSource,
      description: 'Way by which it was added.',
      resolve: ({ source }) => source as MemberSource,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time at which it was added.',
      resolve: (row) => row.pendingSince,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time at which it ends, before or after the account exists. Null if it does not.',
      resolve: (row) => row.expiresAt,
    }),
  }),
});

const PendingListMemberConnection = builder.connectionObject(
  {
    type: PendingListMember,
    name: 'PendingListMemberConnection',
    description: 'Page of memberships that wait for accounts.',
  },
  { name: 'PendingListMemberEdge', description: 'Waiting membership in a page.' },
);

const PendingListMemberFilter = builder.inputType('PendingListMemberFilter', {
  description: 'Conditions on waiting memberships; all of them apply.',
  fields: (t) => ({
    accountId: t.string({ description: "The client's own id of the account." }),
    list: t.string({ description: 'Name of the list.' }),
  }),
});

type PendingArgs = PageArgs & { filter?: (typeof PendingListMemberFilter)['$inferInput'] | null };

async function pendingPage({ filter, ...args }: PendingArgs, context: GraphQLContext) {
  const { viewer, services } = context;
  const search = { accountId: filter?.accountId ?? null, list: filter?.list ?? null };
  const page = selectPage(args, ['pendingListMembers', search], context);
  const now = services.clock.now();
  const rows = await listPendingMembers(viewer, search, page, now);
  return toConnection(rows, page, {
    context,
    position: (row) => [row.pendingSince.toISOString(), row.accountId],
    edge: (node) => ({ node }),
    total: () => countAllPendingMembers(viewer, search, now, MAX_COUNTED + 1),
  });
}

builder.queryField('pendingListMembers', (t) =>
  t.field({
    type: PendingListMemberConnection,
    nullable: true,
    description:
      'Memberships of block and allow that wait for accounts which do not exist yet, the latest added ' +
      'first, without expired ones. Errors: `input.invalid`.',
    authScopes: { may: 'list.read' },
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      filter: t.arg({ type: PendingListMemberFilter, description: 'Conditions on waiting memberships.' }),
    },
    resolve: (_root, args, context) => pendingPage(args, context),
  }),
);
