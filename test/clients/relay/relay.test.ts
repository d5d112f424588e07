import { expect, inject, it } from 'vitest';
import accountQuery from '../generated/relay/DocumentsAccountQuery.graphql.ts';
import accountsFragment from '../generated/relay/DocumentsAccounts_query.graphql.ts';
import accountsQuery from '../generated/relay/DocumentsAccountsQuery.graphql.ts';
import lastAccountsFragment from '../generated/relay/DocumentsLastAccounts_query.graphql.ts';
import lastAccountsQuery from '../generated/relay/DocumentsLastAccountsQuery.graphql.ts';
import linksFragment from '../generated/relay/DocumentsLinks_account.graphql.ts';
import { authenticate, collectWarnings, unique } from '../support/sandbox.ts';
import { type Connection, load, loadMore, makeEnvironment, read } from './environment.ts';

it('relay-compiler compiles every document without a warning', () => {
  const output = inject('relayCompilerOutput');
  expect(output).toMatch(/compiled documents: \d+ reader/);
  expect(output.split('\n').filter((line) => line && !line.includes('[INFO]'))).toEqual([]);
});

it('pages accounts', async () => {
  const warnings = collectWarnings();
  const group = unique('group');
  for (const name of ['a', 'b', 'c', 'd', 'e']) await authenticate({ id: `${group}-${name}`, group });
  const { environment } = makeEnvironment();
  const query = await load(environment, accountsQuery, { group, count: 2 });
  const accounts = () =>
    read(environment, accountsFragment, query).data.accounts as Connection<{ accountId: string }>;
  expect(accounts().edges).toHaveLength(2);
  await loadMore(environment, accountsFragment, query, 'forward', 2);
  expect(accounts().edges).toHaveLength(4);
  expect(accounts().pageInfo.hasNextPage).toBe(true);
  await loadMore(environment, accountsFragment, query, 'forward', 2);
  expect(accounts().pageInfo.hasNextPage).toBe(false);
  expect(new Set(accounts().edges.map(({ node }) => node.accountId)).size).toBe(5);
  expect(warnings).toEqual([]);
});

it('pages accounts backward from the last', async () => {
  const warnings = collectWarnings();
  const group = unique('group');
  for (const name of ['a', 'b', 'c', 'd', 'e']) await authenticate({ id: `${group}-${name}`, group });
  const { environment } = makeEnvironment();
  const all = await load(environment, accountsQuery, { group, count: 5 });
  const namesOf = (connection: unknown) =>
    (connection as Connection<{ accountId: string }>).edges.map(({ node }) => node.accountId);
  const forward = namesOf(read(environment, accountsFragment, all).data.accounts);

  const query = await load(environment, lastAccountsQuery, { group });
  const accounts = () => read(environment, lastAccountsFragment, query).data.accounts;
  expect(namesOf(accounts())).toEqual(forward.slice(-2));
  await loadMore(environment, lastAccountsFragment, query, 'backward', 2);
  expect(namesOf(accounts())).toEqual(forward.slice(-4));
  await loadMore(environment, lastAccountsFragment, query, 'backward', 2);
  expect(namesOf(accounts())).toEqual(forward);
  expect((accounts() as Connection<unknown>).pageInfo.hasPreviousPage).toBe(false);
  expect(warnings).toEqual([]);
});

it('pages linked accounts through the node of their account', async () => {
  const warnings = collectWarnings();
  const name = unique('linked');
  for (const suffix of ['a', 'b', 'c', 'd', 'e'])
    await authenticate({ id: `${name}-${suffix}`, email: `${name}@example.com` });
  const { environment } = makeEnvironment();
  const { account } = await load(environment, accountQuery, { accountId: `${name}-a`, count: 2 });
  const links = () =>
    read(environment, linksFragment, account!).data.linkedAccounts as Connection<{ accountId: string }>;
  expect(links().edges).toHaveLength(2);
  await loadMore(environment, linksFragment, account!, 'forward', 3);
  expect(
    links()
      .edges.map(({ node }) => node.accountId)
      .sort(),
  ).toEqual(['b', 'c', 'd', 'e'].map((suffix) => `${name}-${suffix}`));
  expect(warnings).toEqual([]);
});
