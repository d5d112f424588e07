import { AppError } from '@vouchgraph/platform/errors';
import { LIMITS } from '@vouchgraph/platform/limits';
import {
  always,
  at,
  checked,
  described,
  each,
  found,
  lowerCase,
  object,
  pageLimit,
  propertyOf,
  required,
  text,
} from '@vouchgraph/rest';
import { documentOf, fieldsOf } from '../documents.ts';
import type { RestGetListQuery } from '../generated/operations.ts';
import { type Part, type Route, route } from '../route.ts';
import { listBody, moveAccountsBody, updateListBody } from './shapes.ts';
import { NEXT_CURSOR, REQUEST_ID } from './shared-parts.ts';

type OfList = { list: { name: string } };
type OfMember = OfList & { results: readonly { outcome: string }[] };

/** The answer of a change, with a message about it. */
const done = <Data>(message: (data: Data) => string): Part<Data> =>
  object('ListDone', {
    request_id: REQUEST_ID,
    message: { value: message, schema: () => described(text, 'Result of the request, for people.') },
    success: always(true),
  });

const LIST = object('List', fieldsOf('ListBody'));

const MOVE_RESULT = object(
  'MoveResult',
  fieldsOf('MoveResultBody', { outcome: { outcome: lowerCase('outcome') } }),
);

type Members = NonNullable<RestGetListQuery['list']>;

/** All accounts of a list, or those of a page. */
const MEMBERS: Part<Members> = {
  value: ({ accounts, members }) => accounts ?? members!.edges.map(({ node }) => node.account_id),
  schema: (selected) => required(propertyOf(selected, 'accounts')),
};

/** A page when one is asked for, otherwise the whole list. */
function pageOf(query: Readonly<Record<string, string>>) {
  const cursor = query.cursor || null;
  const isWhole = !query.limit && cursor === null;
  return { isWhole, limit: isWhole ? null : pageLimit(query.limit, LIMITS.accountsPerListCall), cursor };
}

const accountNotFound = () => new AppError('account.not_found', 'not_found', 'Account not found.');

/** List and account of a path. An id that is too long does not exist. */
function memberOfPath({ list_name, account_id }: Readonly<Record<string, string>>) {
  if ([...account_id!].length > LIMITS.accountIdLength) throw accountNotFound();
  return { list: list_name!, accountIds: [account_id!] };
}

/** Throws for an unknown list or account of a call that names one account. */
function checkFound(results: readonly { outcome: string }[]): void {
  if (results[0]!.outcome === 'NOT_FOUND') throw accountNotFound();
}

/** Lists and the accounts on them. */
export const LIST_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/list',
    operation: 'list.all',
    summary: 'Get all lists',
    description: 'Lists of the project by name.',
    access: 'key',
    body: null,
    query: {},
    document: documentOf('RestLists'),
    variables: () => ({}),
    answer: at(
      'lists',
      object('Lists', { request_id: REQUEST_ID, lists: at('edges', each(at('node', LIST))) }),
    ),
  }),
  route({
    method: 'GET',
    path: '/list/{list_name}',
    operation: 'list.get',
    summary: 'Get a list',
    description:
      'Accounts on the list, the latest added first. All accounts without limit and cursor, otherwise a ' +
      'page.',
    access: 'key',
    body: null,
    query: {
      limit: {
        type: 'integer',
        description: 'Number of accounts, 1 to 1,000. 100 by default if cursor is sent.',
      },
      cursor: { type: 'string', description: 'next_cursor of the previous page.' },
    },
    document: documentOf('RestGetList'),
    variables: ({ params, query }) => ({ name: params.list_name!, ...pageOf(query) }),
    answer: checked(
      'list',
      (list) => found(list, 'list.not_found', 'List not found'),
      object('ListMembers', {
        request_id: REQUEST_ID,
        ...fieldsOf('ListMembersBody', {
          accounts: { accounts: MEMBERS },
          members: { next_cursor: at('members', at('page_info', NEXT_CURSOR)) },
        }),
      }),
    ),
  }),
  route({
    method: 'POST',
    path: '/list/{list_name}',
    operation: 'list.create',
    summary: 'Create a list',
    description: 'Creates a list. The name has 1 to 128 printable characters without /, URL-encoded.',
    access: 'key',
    body: listBody,
    isBodyOptional: true,
    query: {},
    document: documentOf('RestCreateList'),
    variables: ({ params, body }) => ({ input: { name: params.list_name!, ...body } }),
    answer: at(
      'create_list',
      done(({ list }: OfList) => `List ${list.name} created`),
    ),
  }),
  route({
    method: 'PATCH',
    path: '/list/{list_name}',
    operation: 'list.update',
    summary: 'Update the description of a list',
    description: 'Changes the description of a list. A body without a description changes nothing.',
    access: 'key',
    body: updateListBody,
    isBodyOptional: true,
    query: {},
    document: documentOf('RestUpdateList'),
    variables: ({ params, body }) => ({
      input: { name: params.list_name!, description: body.list_description ?? body.description },
    }),
    answer: at(
      'update_list',
      done(({ list }: OfList) => `List ${list.name} updated`),
    ),
  }),
  route({
    method: 'DELETE',
    path: '/list/{list_name}',
    operation: 'list.delete',
    summary: 'Delete a list',
    description:
      'Deletes a list. Its accounts are not deleted. The lists block, allow and main_account, and lists ' +
      'in rules, cannot be deleted.',
    access: 'key',
    body: null,
    query: {},
    document: documentOf('RestDeleteList'),
    variables: ({ params }) => ({ input: { name: params.list_name! } }),
    answer: at(
      'delete_list',
      done(({ name }: { name: string }) => `List ${name} deleted`),
    ),
  }),
  // Before the row with an account in the place of `move`.
  route({
    method: 'POST',
    path: '/list/{list_name}/account/move',
    operation: 'list.move',
    summary: 'Move accounts to another list',
    description:
      'Moves accounts in one transaction. conflict: the account is already on the target, or the target ' +
      'is a standard list and the account is on a standard list other than the source. not_found: the ' +
      'account does not exist or is not on the source. A request without a body, or with {}, adds the ' +
      'account with the id move to the list instead.',
    access: 'key',
    body: moveAccountsBody,
    requiresBody: true,
    query: {},
    document: documentOf('RestMoveAccounts'),
    variables: ({ params, body }) => ({ input: { sourceList: params.list_name!, ...body } }),
    answer: at(
      'move_accounts',
      object('MovedAccounts', {
        request_id: REQUEST_ID,
        success: always(true),
        ...fieldsOf('MovedAccountsBody', { results: { results: at('results', each(MOVE_RESULT)) } }),
      }),
    ),
  }),
  route({
    method: 'POST',
    path: '/list/{list_name}/account/{account_id}',
    operation: 'list.add_account',
    summary: 'Add an account to a list',
    description:
      'Adds an account to a list. Adding it to block, allow or main_account removes it from the other ' +
      'two. A repeated request changes nothing.',
    access: 'key',
    body: null,
    query: {},
    document: documentOf('RestAddToList'),
    variables: ({ params }) => ({ input: memberOfPath(params) }),
    answer: at(
      'add_accounts_to_list',
      done(({ list, results }: OfMember) => {
        checkFound(results);
        return `Account added to ${list.name}`;
      }),
    ),
  }),
  route({
    method: 'DELETE',
    path: '/list/{list_name}/account/{account_id}',
    operation: 'list.remove_account',
    summary: 'Remove an account from a list',
    description: 'Removes an account from a list. A repeated request changes nothing.',
    access: 'key',
    body: null,
    query: {},
    document: documentOf('RestRemoveFromList'),
    variables: ({ params }) => ({ input: memberOfPath(params) }),
    answer: at(
      'remove_accounts_from_list',
      done(({ list, results }: OfMember) => {
        checkFound(results);
        return `Account removed from ${list.name}`;
      }),
    ),
  }),
];
