import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { AnyVariables } from '@urql/core';
import { expect, it, onTestFinished } from 'vitest';
import {
  AccountDocument,
  AccountEventsDocument,
  type AccountEventsSubscription,
  type AccountQuery,
  type AccountQueryVariables,
  AccountsDocument,
  HeadCursorDocument,
  UpdateAccountDocument,
} from '../generated/typed/graphql.ts';
import { authenticate, authenticateLinked, collectWarnings, unique } from '../support/sandbox.ts';
import { type KeyingConfig, makeClient } from './client.ts';

type Page = {
  edges: { node: { accountId: string } }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
};

const open = (keys?: KeyingConfig) => {
  const { client, dispose } = makeClient(keys);
  onTestFinished(dispose);
  /** Data of a query; without a request where the policy is cache-only. */
  async function query<Data, Variables extends AnyVariables>(
    document: TypedDocumentNode<Data, Variables>,
    variables: Variables,
    requestPolicy: 'cache-first' | 'cache-only' = 'cache-first',
  ): Promise<Data> {
    const { data, error } = await client.query(document, variables, { requestPolicy }).toPromise();
    if (!data) throw error ?? new Error('The cache lacks a field of the query');
    return data;
  }
  return { client, query };
};

it('appends pages of accounts to one list', async () => {
  const warnings = collectWarnings();
  const { query } = open();
  const group = unique('group');
  for (const name of ['a', 'b', 'c', 'd', 'e']) await authenticate({ id: `${group}-${name}`, group });
  let after: string | null = null;
  let all: string[] = [];
  do {
    const { accounts }: { accounts: Page | null } = await query(AccountsDocument, { group, first: 2, after });
    all = accounts!.edges.map(({ node }) => node.accountId);
    after = accounts!.pageInfo.hasNextPage ? accounts!.pageInfo.endCursor : null;
  } while (after !== null);
  expect(all.sort()).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `${group}-${name}`));
  expect(warnings).toEqual([]);
});

it('appends pages of linked accounts to the list of their account', async () => {
  const warnings = collectWarnings();
  const { query } = open();
  const [accountId, ...linked] = await authenticateLinked(6);
  let after: string | null = null;
  let all: string[] = [];
  let pages = 0;
  do {
    const variables: AccountQueryVariables = { accountId: accountId!, first: 2, after };
    const data: AccountQuery = await query(AccountDocument, variables);
    const { edges, pageInfo }: NonNullable<AccountQuery['account']>['linkedAccounts'] =
      data.account!.linkedAccounts;
    all = edges.map(({ node }) => node!.accountId);
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    pages += 1;
  } while (after !== null);
  expect(all.sort()).toEqual(linked.sort());
  expect(pages).toBe(3);
  expect(warnings).toEqual([]);
});

it('warns of an object without a key', async () => {
  // Check of the warning: a cache without the types that have no id.
  const warnings = collectWarnings();
  const { query } = open({});
  const accountId = unique('keyless');
  await authenticate({ id: accountId });
  await query(AccountDocument, { accountId, first: 2 });
  expect(warnings.join()).toContain('no key could be generated');
});

it('shows a mutation in every query that read its account', async () => {
  const warnings = collectWarnings();
  const { client, query } = open();
  const [group, username] = [unique('group'), unique('user')];
  await authenticate({ id: group, group });
  await query(AccountsDocument, { group, first: 2 });
  await query(AccountDocument, { accountId: group, first: 2 });
  const { error } = await client.mutation(UpdateAccountDocument, { input: { accountId: group, username } });
  expect(error).toBeUndefined();
  const { accounts } = await query(AccountsDocument, { group, first: 2 }, 'cache-only');
  expect(accounts!.edges.map(({ node }) => node.username)).toEqual([username]);
  const { account } = await query(AccountDocument, { accountId: group, first: 2 }, 'cache-only');
  expect(account!.username).toBe(username);
  expect(warnings).toEqual([]);
});

it('keeps the cached account when an old event is replayed', async () => {
  const warnings = collectWarnings();
  const { client, query } = open();
  const accountId = unique('replay');
  const { events } = await query(HeadCursorDocument, {});
  await authenticate({ id: accountId, username: 'before' });
  await client.mutation(UpdateAccountDocument, { input: { accountId, username: 'after' } });
  const before = await query(AccountDocument, { accountId, first: 2 });

  const event = await new Promise<NonNullable<AccountEventsSubscription['events']>>((resolve, reject) => {
    const { unsubscribe } = client
      .subscription(AccountEventsDocument, { accountId, after: events!.headCursor })
      .subscribe(({ data, error }) => (data ? resolve(data.events!) : reject(error)));
    onTestFinished(unsubscribe);
  });
  expect(event).toMatchObject({
    type: 'ACCOUNT_AUTHENTICATED',
    account: { username: 'after' },
    accountSnapshot: { username: 'before' },
  });
  expect(await query(AccountDocument, { accountId, first: 2 }, 'cache-only')).toEqual(before);
  expect(warnings).toEqual([]);
});
