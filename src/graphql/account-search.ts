import type { GraphQLResolveInfo } from 'graphql';
import { Account } from '../domain/accounts/account.ts';
import { ACCOUNT_ORDERS } from '../domain/accounts/account-order.ts';
import { countAccounts, listAccounts } from '../domain/accounts/account-read-service.ts';
import { idNumberKey } from '../domain/identifiers/id-number.ts';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../domain/identifiers/identifier-kinds.ts';
import { contactValues } from '../domain/linking/account-identifiers.ts';
import { isLimited } from '../domain/projects/assert-may.ts';
import { Session } from '../domain/sessions/session.ts';
import { firstLinkPage, wantedNeighbours } from './account-neighbours.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { MAX_COUNTED, PAGE_ARGS, type PageArgs, pageCost, selectPage, toConnection } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { IdNumberInput } from './id-number.ts';
import { OrderDirection } from './session.ts';

const AccountFilter = builder.inputType('AccountFilter', {
  description: 'Conditions of accounts, all of which an account meets.',
  fields: (t) => ({
    email: t.string({ description: 'Value that is equal after normalising.' }),
    phone: t.string({ description: 'Number with country code that is equal after normalising.' }),
    username: t.string({ description: 'Value that is equal after normalising.' }),
    idNumber: t.field({
      type: IdNumberInput,
      description:
        'Id number of equal type and country, and normalised value: a number that the client sent, or that of a bound ' +
        'document. Placeholders such as 000000000 find nothing. Errors: input.invalid.',
    }),
    countryCode: t.field({ type: 'CountryCode', description: 'Country of the latest session.' }),
    group: t.string({ description: 'Group; empty for accounts without one.' }),
    list: t.string({ description: 'Name of a list that contains the accounts.' }),
    lastSeenAfter: t.field({ type: 'DateTime', description: 'Last seen at or after.' }),
    lastSeenBefore: t.field({ type: 'DateTime', description: 'Last seen before.' }),
  }),
});

const AccountOrderField = builder.enumType('AccountOrderField', {
  description: 'Key of the order of accounts.',
  values: {
    CREATED_AT: { description: 'Creation time.' },
    LAST_SEEN: { description: 'Start of the latest session; accounts without a session are left out.' },
    NUM_SESSIONS: { description: 'Number of sessions.' },
  } as const,
});

const AccountOrder = builder.inputType('AccountOrder', {
  description: 'Order of accounts.',
  fields: (t) => ({
    field: t.field({
      type: AccountOrderField,
      required: true,
      description: 'Value that accounts are ordered by.',
    }),
    direction: t.field({ type: OrderDirection, required: true, description: 'Direction of the order.' }),
  }),
});

const AccountConnection = builder.connectionObject(
  { type: AccountRef, name: 'AccountConnection', description: 'A page of accounts.' },
  { name: 'AccountEdge', description: 'An account in a page.' },
);

function searchedIdentifiers(context: GraphQLContext, filter: (typeof AccountFilter)['$inferInput']) {
  const { cipher } = context.viewer.project;
  const fields = {
    email: filter.email ?? '',
    phone: filter.phone ?? '',
    username: filter.username ?? '',
    firstName: '',
    lastName: '',
  };
  const values = contactValues(fields, []);
  const byField = (['email', 'phone', 'username'] as const)
    .filter((field) => fields[field] !== '')
    .map((field) => {
      const kinds: readonly IdentifierKind[] = SEARCHED_KINDS[field];
      // A value without a normal form is looked for as it is, and found nowhere.
      const value = kinds.flatMap((kind) => values.get(kind) ?? [])[0] ?? '';
      return kinds.map((kind) => ({ kind: IDENTIFIER_KINDS[kind], hash: cipher.blindIndex(kind, value) }));
    });
  return filter.idNumber ? [...byField, [searchedIdNumber(context, filter.idNumber)]] : byField;
}

/** The hash of a placeholder is the one of no number. */
function searchedIdNumber({ viewer }: GraphQLContext, number: (typeof IdNumberInput)['$inferInput']) {
  const hash = viewer.project.cipher.blindIndex('id_number', idNumberKey(number));
  return { kind: IDENTIFIER_KINDS.id_number, hash };
}

/** The kinds that a value of a field is stored as: one, and another one by the rules of earlier versions. */
const SEARCHED_KINDS = {
  email: ['email', 'role_email', 'placeholder_email'],
  phone: ['phone', 'placeholder_phone'],
  username: ['username', 'placeholder_username'],
} as const;

async function findAccount(
  context: GraphQLContext,
  id: string,
  info: GraphQLResolveInfo,
): Promise<Account | null> {
  const { viewer, services, loaders } = context;
  const wanted = isLimited(viewer) ? null : wantedNeighbours(info, context);
  if (!wanted) return services.accounts.find(viewer, id);
  const found = await services.accounts.findWithNeighbours(viewer, id, wanted);
  if (!found) return null;
  firstLinkPage(context, wanted).prime(found.account.id, found.links);
  if (found.session)
    loaders.session.prime(found.session.session_id, new Session(viewer.project, found.session));
  return new Account(viewer.project, found.account);
}

type AccountPageArgs = PageArgs & {
  filter?: (typeof AccountFilter)['$inferInput'] | null;
  orderBy?: (typeof AccountOrder)['$inferInput'] | null;
};

async function accountPage(context: GraphQLContext, args: AccountPageArgs) {
  const given = args.filter ?? {};
  const { field: order, direction } = args.orderBy ?? { field: 'CREATED_AT', direction: 'DESC' };
  const page = selectPage(args, ['accounts', given, order, direction], context);
  const filter = {
    identifiers: searchedIdentifiers(context, given),
    country: given.countryCode,
    group: given.group,
    list: given.list,
    lastSeenAfter: given.lastSeenAfter,
    lastSeenBefore: given.lastSeenBefore,
    order,
  } as const;
  const { column } = ACCOUNT_ORDERS[order];
  return toConnection(await listAccounts(context.viewer, { ...filter, direction, page }), page, {
    context,
    position: ({ row }) => {
      const value = row[column];
      return [value instanceof Date ? value.toISOString() : (value ?? 0), row.id];
    },
    edge: (node) => ({ node }),
    total: () => countAccounts(context.viewer, filter, MAX_COUNTED + 1),
  });
}

builder.queryFields((t) => ({
  account: t.field({
    type: AccountRef,
    nullable: true,
    description:
      "An account by the client's own id; null when it does not exist, or the viewer may not read it.",
    authScopes: { may: 'account.read' },
    args: { accountId: t.arg.id({ required: true, description: "The client's own id of the account." }) },
    resolve: (_root, { accountId }, context, info) => findAccount(context, String(accountId), info),
  }),
  accounts: t.field({
    type: AccountConnection,
    nullable: true,
    description: 'Accounts of the project, the newest first by default. Errors: input.invalid.',
    authScopes: { may: 'account.search' },
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      filter: t.arg({ type: AccountFilter, description: 'Conditions that the accounts meet.' }),
      orderBy: t.arg({ type: AccountOrder, description: 'Order; CREATED_AT, DESC by default.' }),
    },
    resolve: (_root, args, context) => accountPage(context, args),
  }),
}));
