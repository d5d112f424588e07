import { type ApolloClient, gql, InMemoryCache } from '@apollo/client';
import { loadDevMessages, loadErrorMessages } from '@apollo/client/dev';
import { expect, it, onTestFinished } from 'vitest';
import {
  AccountDocument,
  AccountEventsDocument,
  type AccountEventsSubscription,
  AccountsDocument,
  HeadCursorDocument,
  LinkEventsDocument,
  type LinkEventsSubscription,
  LinkedAccountsDocument,
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
import { makeClient } from './client.ts';

loadDevMessages();
loadErrorMessages();

const device = (cpu_cores: number) => ({ device: { cpu_cores } });

const open = (viewer?: Record<string, string>) => {
  const { client, dispose } = makeClient(viewer);
  onTestFinished(dispose);
  return client;
};

it('appends pages of accounts to one list', async () => {
  const warnings = collectWarnings();
  const client = open();
  const group = unique('group');
  for (const name of ['a', 'b', 'c', 'd', 'e']) await authenticate({ id: `${group}-${name}`, group });
  const list = { query: AccountsDocument, variables: { group, first: 2 } };
  let page = (await client.query(list)).data!.accounts!;
  const accounts = client.watchQuery(list);
  const subscription = accounts.subscribe(() => {});
  onTestFinished(() => subscription.unsubscribe());
  while (page.pageInfo.hasNextPage)
    page = (await accounts.fetchMore({ variables: { after: page.pageInfo.endCursor } })).data!.accounts!;
  const all = client.readQuery(list)!.accounts!;
  expect(all.edges.map(({ node }) => node.accountId).sort()).toEqual(
    ['a', 'b', 'c', 'd', 'e'].map((name) => `${group}-${name}`),
  );
  expect(warnings).toEqual([]);
});

it('appends pages of linked accounts to the list of their account', async () => {
  const warnings = collectWarnings();
  const client = open();
  const [accountId, ...linked] = await authenticateLinked(6);
  const one = { query: AccountDocument, variables: { accountId: accountId!, first: 2 } };
  let page = (await client.query(one)).data!.account!.linkedAccounts;
  const account = client.watchQuery(one);
  const subscription = account.subscribe(() => {});
  onTestFinished(() => subscription.unsubscribe());
  let pages = 1;
  for (; page.pageInfo.hasNextPage; pages += 1)
    page = (await account.fetchMore({ variables: { after: page.pageInfo.endCursor } })).data!.account!
      .linkedAccounts;
  const { linkedAccounts } = client.readQuery(one)!.account!;
  expect(linkedAccounts.edges.map(({ node }) => node?.accountId).sort()).toEqual(linked.sort());
  expect(linkedAccounts.pageInfo.hasNextPage).toBe(false);
  expect(pages).toBe(3);
  expect(warnings).toEqual([]);
});

it('warns of an object that the cache cannot merge', () => {
  // Check of the warning: the same account without its id, twice.
  const warnings = collectWarnings();
  const cache = new InMemoryCache();
  const write = (field: string) =>
    cache.writeQuery({
      query: gql`{ account(accountId: "a") { ${field} } }`,
      data: { account: { __typename: 'Account', [field]: null } },
    });
  write('username');
  write('decision');
  expect(warnings.join()).toContain('Cache data may be lost');
});

it('shows a mutation in every query that read its account', async () => {
  const warnings = collectWarnings();
  const client = open();
  const [group, username] = [unique('group'), unique('user')];
  await authenticate({ id: group, group });
  const list = { query: AccountsDocument, variables: { group, first: 2 } };
  const one = { query: AccountDocument, variables: { accountId: group, first: 2 } };
  await client.query(list);
  await client.query(one);
  await client.mutate({
    mutation: UpdateAccountDocument,
    variables: { input: { accountId: group, username } },
  });
  expect(client.readQuery(list)!.accounts!.edges.map(({ node }) => node.username)).toEqual([username]);
  expect(client.readQuery(one)!.account!.username).toBe(username);
  expect(warnings).toEqual([]);
});

it('keeps the cached account when an old event is replayed', async () => {
  const warnings = collectWarnings();
  const client = open();
  const accountId = unique('replay');
  const { data: head } = await client.query({ query: HeadCursorDocument });
  const [before, after] = [`before@${accountId}.com`, `after@${accountId}.com`];
  await authenticate({ id: accountId, username: `${accountId}-before`, email: before }, device(2));
  await authenticate({ id: accountId }, device(16));
  const input = { accountId, username: `${accountId}-after`, email: after };
  await client.mutate({ mutation: UpdateAccountDocument, variables: { input } });
  await client.query({ query: AccountDocument, variables: { accountId, first: 2 } });
  const cached = () => {
    const entries = Object.entries(client.extract() as Record<string, { id?: string; accountId?: string }>);
    const account = entries.filter(([, value]) => value.accountId === accountId);
    return [...account, ...entries.filter(([key]) => key.startsWith('Session:'))];
  };
  const earlier = cached();
  expect(earlier).toMatchObject([
    [`Account:${earlier[0]![1].id}`, { emailFacts: { email: after }, uniqueDevices: { oneDay: 2 } }],
    [expect.stringMatching(/^Session:/), { device: { cpuCores: 16 } }],
  ]);

  const event = await new Promise<NonNullable<AccountEventsSubscription['events']>>((resolve, reject) => {
    const variables = { accountId, after: head!.events!.headCursor };
    const subscription = client.subscribe({ query: AccountEventsDocument, variables }).subscribe({
      next: ({ data, error }) => (data ? resolve(data.events!) : reject(error)),
      error: reject,
    });
    onTestFinished(() => subscription.unsubscribe());
  });
  expect(event).toMatchObject({
    type: 'ACCOUNT_AUTHENTICATED',
    account: { username: `${accountId}-after` },
    accountSnapshot: {
      username: `${accountId}-before`,
      emailFacts: { __typename: 'EmailFacts', email: before },
      uniqueDevices: { __typename: 'RecentCounts', oneDay: 1 },
    },
    sessionSnapshot: { device: { __typename: 'SessionDevice', cpuCores: 2 } },
  });
  expect(cached()).toEqual(earlier);
  expect(warnings).toEqual([]);

  // The check notices a snapshot that is the account itself.
  if (!('accountSnapshot' in event)) throw new Error(event.type);
  const __typename = 'Account';
  client.cache.writeFragment({
    id: client.cache.identify({ id: event.account!.id, __typename }),
    fragment: gql`fragment Earlier on Account { username emailFacts { email domainType emailScore trustSignals riskSignals } }`,
    data: { ...event.accountSnapshot, __typename },
  });
  expect(cached()).not.toEqual(earlier);
});

it('appends pages of linked accounts for a token of the account, which reads no linked account', async () => {
  const warnings = collectWarnings();
  const [accountId, ...linked] = await authenticateLinked(6);
  const client = open(await tokenHeaders(accountId!, ['LINKS', 'EVENTS']));
  const one = { query: LinkedAccountsDocument, variables: { accountId: accountId!, first: 2 } };
  let page = (await client.query(one)).data!.account!.linkedAccounts;
  const account = client.watchQuery(one);
  const subscription = account.subscribe(() => {});
  onTestFinished(() => subscription.unsubscribe());
  while (page.pageInfo.hasNextPage)
    page = (await account.fetchMore({ variables: { after: page.pageInfo.endCursor } })).data!.account!
      .linkedAccounts;
  const { edges } = client.readQuery(one)!.account!.linkedAccounts;
  expect(edges.map(({ node }) => node)).toEqual(linked.map(() => null));
  expect(new Set(edges.map(({ key }) => key)).size).toBe(linked.length);
  expect(warnings).toEqual([]);
});

it('receives a link with its edge for a token that does not read the id of the account', async () => {
  const after = await headCursor();
  const [, accountId] = await authenticateLinked(2);
  const client = open(await tokenHeaders(accountId!, ['LINKS', 'EVENTS']));
  const { data, error } = await new Promise<ApolloClient.SubscribeResult<LinkEventsSubscription>>(
    (resolve, reject) => {
      const subscription = client
        .subscribe({ query: LinkEventsDocument, variables: { after }, errorPolicy: 'all' })
        .subscribe({ next: resolve, error: reject });
      onTestFinished(() => subscription.unsubscribe());
    },
  );
  const { key, linkedAccountEdge, accountId: id } = data!.accountLinked!;
  expect([linkedAccountEdge, id]).toMatchObject([{ key, node: null }, null]);
  expect(String(error)).toContain('requires a browser token with the scope ACCOUNT');
});
