import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { AnyVariables, OperationResult } from '@urql/core';
import { expect, it, onTestFinished } from 'vitest';
import {
  AccountDocument,
  AccountEventsDocument,
  type AccountEventsSubscription,
  type AccountQuery,
  type AccountQueryVariables,
  AccountsDocument,
  HeadCursorDocument,
  LinkEventsDocument,
  type LinkEventsSubscription,
  LinkedAccountsDocument,
  type LinkedAccountsQuery,
  UpdateAccountDocument,
} from '../generated/typed/graphql.ts';
import {
  authenticate,
  authenticateLinked,
  collectWarnings,
  headCursor,
  tokenHeaders,
  unique,
} from '../support/sandbox.ts';
import { type KeyingConfig, makeClient } from './client.ts';

type Page = {
  edges: { node: { accountId: string } }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
};

const open = (keys?: KeyingConfig, viewer?: Record<string, string>) => {
  const { client, dispose } = makeClient(keys, viewer);
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
  const [before, after] = [`before@${accountId}.com`, `after@${accountId}.com`];
  const device = (cpu_cores: number) => ({ device: { cpu_cores } });
  await authenticate({ id: accountId, username: `${accountId}-before`, email: before }, device(2));
  await authenticate({ id: accountId }, device(16));
  const input = { accountId, username: `${accountId}-after`, email: after };
  await client.mutation(UpdateAccountDocument, { input });
  const earlier = await query(AccountDocument, { accountId, first: 2 });
  expect(earlier.account).toMatchObject({
    emailFacts: { email: after },
    uniqueDevices: { oneDay: 2 },
    lastSession: { device: { cpuCores: 16 } },
  });

  const event = await new Promise<NonNullable<AccountEventsSubscription['events']>>((resolve, reject) => {
    const { unsubscribe } = client
      .subscription(AccountEventsDocument, { accountId, after: events!.headCursor })
      .subscribe(({ data, error }) => (data ? resolve(data.events!) : reject(error)));
    onTestFinished(unsubscribe);
  });
  expect(event).toMatchObject({
    type: 'ACCOUNT_AUTHENTICATED',
    account: { username: `${accountId}-after` },
    accountSnapshot: {
      username: `${accountId}-before`,
      emailFacts: { email: before },
      uniqueDevices: { oneDay: 1 },
    },
    sessionSnapshot: { device: { cpuCores: 2 } },
  });
  expect(await query(AccountDocument, { accountId, first: 2 }, 'cache-only')).toEqual(earlier);
  expect(warnings).toEqual([]);
});

it('appends pages of linked accounts for a token of the account, which reads no linked account', async () => {
  const warnings = collectWarnings();
  const [accountId, ...linked] = await authenticateLinked(6);
  const { query } = open(undefined, await tokenHeaders(accountId!, ['LINKS', 'EVENTS']));
  let after: string | null = null;
  let keys: string[] = [];
  do {
    const data: LinkedAccountsQuery = await query(LinkedAccountsDocument, {
      accountId: accountId!,
      first: 2,
      after,
    });
    const { edges, pageInfo }: NonNullable<LinkedAccountsQuery['account']>['linkedAccounts'] =
      data.account!.linkedAccounts;
    expect(edges.map(({ node }) => node)).toEqual(edges.map(() => null));
    keys = edges.map(({ key }) => key);
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null);
  expect(new Set(keys).size).toBe(linked.length);
  expect(keys).toHaveLength(linked.length);
  expect(warnings).toEqual([]);
});

it('receives a link with its edge for a token that does not read the id of the account', async () => {
  const after = await headCursor();
  const [, accountId] = await authenticateLinked(2);
  const { client } = open(undefined, await tokenHeaders(accountId!, ['LINKS', 'EVENTS']));
  const { data, error } = await new Promise<OperationResult<LinkEventsSubscription>>((resolve) => {
    const { unsubscribe } = client.subscription(LinkEventsDocument, { after }).subscribe(resolve);
    onTestFinished(unsubscribe);
  });
  const { key, linkedAccountEdge, accountId: id } = data!.accountLinked!;
  expect([linkedAccountEdge, id]).toMatchObject([{ key, node: null }, null]);
  expect(error!.graphQLErrors.map(({ path }) => path)).toEqual([['accountLinked', 'accountId']]);
});
