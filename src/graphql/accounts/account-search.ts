import type { GraphQLResolveInfo } from 'graphql';
import { Account } from '../../domain/accounts/account.ts';
import { countAccounts, listAccounts } from '../../domain/accounts/account-read-service.ts';
import { isLimited } from '../../domain/projects/assert-may.ts';
import { Session } from '../../domain/sessions/session.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import { byProperties } from '../kernel/collect-subjects.ts';
import {
  MAX_COUNTED,
  PAGE_ARGS,
  type PageArgs,
  pageCost,
  selectPage,
  toConnection,
} from '../kernel/connection.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { OrderDirection } from '../sessions/session.ts';
import { AccountFilter, type AccountFilterInput, conditionsOf, STANDING_AGE } from './account-filter.ts';
import { accountSelection, firstLinkPage } from './account-selection.ts';

const AccountOrderField = builder.enumType('AccountOrderField', {
  description: 'Sort key of accounts.',
  values: {
    CREATED_AT: { description: 'Creation time.' },
    LAST_SEEN: { description: 'Start of the latest session. Accounts without a session are omitted.' },
    NUM_SESSIONS: { description: 'Number of sessions.' },
    SCORE: { description: `Value of accountScore. ${STANDING_AGE}` },
  } as const,
});

const AccountOrder = builder.inputType('AccountOrder', {
  description: 'Order of accounts.',
  fields: (t) => ({
    field: t.field({
      type: AccountOrderField,
      required: true,
      description: 'Sort key.',
    }),
    direction: t.field({ type: OrderDirection, required: true, description: 'Sort direction.' }),
  }),
});

const AccountConnection = builder.connectionObject(
  { type: AccountRef, name: 'AccountConnection', subjects: 'none', description: 'Page of accounts.' },
  { name: 'AccountEdge', subjects: byProperties, description: 'Account in a page.' },
);

async function findAccount(
  context: GraphQLContext,
  id: string,
  info: GraphQLResolveInfo,
): Promise<Account | null> {
  const { viewer, services, loaders } = context;
  const wanted = isLimited(viewer) ? null : accountSelection(info, context);
  if (!wanted) return services.accounts.find(viewer, id);
  const found = await services.accounts.findWithLinks(viewer, id, wanted);
  if (!found) return null;
  firstLinkPage(context, wanted).prime(found.account.id, found.links);
  if (found.session)
    loaders.session.prime(found.session.session_id, new Session(viewer.project, found.session));
  return new Account(viewer.project, found.account);
}

type AccountPageArgs = PageArgs & {
  filter?: AccountFilterInput | null;
  orderBy?: (typeof AccountOrder)['$inferInput'] | null;
};

async function accountPage(context: GraphQLContext, args: AccountPageArgs) {
  const given = args.filter ?? {};
  const { field: order, direction } = args.orderBy ?? { field: 'CREATED_AT', direction: 'DESC' };
  const page = selectPage(args, ['accounts', given, order, direction], context);
  const filter = { ...conditionsOf(context, given), order };
  return toConnection(await listAccounts(context.viewer, { ...filter, direction, page }), page, {
    context,
    position: ({ account, orderValue }) => [
      orderValue instanceof Date ? orderValue.toISOString() : orderValue,
      account.row.id,
    ],
    edge: ({ account }) => ({ node: account }),
    total: () => countAccounts(context.viewer, filter, MAX_COUNTED + 1),
  });
}

builder.queryFields((t) => ({
  account: t.field({
    type: AccountRef,
    nullable: true,
    description:
      'Account by its id, assigned by the client. Null if it does not exist or the viewer may not read it.',
    authScopes: { may: 'account.read' },
    args: {
      accountId: t.arg.id({ required: true, description: 'Id of the account, assigned by the client.' }),
    },
    resolve: (_root, { accountId }, context, info) => findAccount(context, String(accountId), info),
  }),
  accounts: t.field({
    type: AccountConnection,
    nullable: true,
    description: 'Accounts of the project, the newest first by default. Errors: `input.invalid`.',
    authScopes: { may: 'account.search' },
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      filter: t.arg({ type: AccountFilter, description: 'Conditions on accounts.' }),
      orderBy: t.arg({ type: AccountOrder, description: 'Order. CREATED_AT, DESC by default.' }),
    },
    resolve: (_root, args, context) => accountPage(context, args),
  }),
}));
