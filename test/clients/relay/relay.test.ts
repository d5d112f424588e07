import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requestSubscription } from 'relay-runtime';
import { expect, inject, it, onTestFinished } from 'vitest';
import { until } from '../../acceptance/gateway-process.ts';
import accountQuery from '../generated/relay/DocumentsAccountQuery.graphql.ts';
import accountsFragment from '../generated/relay/DocumentsAccounts_query.graphql.ts';
import accountsQuery from '../generated/relay/DocumentsAccountsQuery.graphql.ts';
import deliveriesFragment from '../generated/relay/DocumentsDeliveries_endpoint.graphql.ts';
import endpointQuery from '../generated/relay/DocumentsEndpointQuery.graphql.ts';
import eventsSubscription, {
  type DocumentsEventsSubscription,
} from '../generated/relay/DocumentsEventsSubscription.graphql.ts';
import lastAccountsFragment from '../generated/relay/DocumentsLastAccounts_query.graphql.ts';
import lastAccountsQuery from '../generated/relay/DocumentsLastAccountsQuery.graphql.ts';
import linksFragment from '../generated/relay/DocumentsLinks_account.graphql.ts';
import matchesFragment from '../generated/relay/DocumentsMatches_rule.graphql.ts';
import ruleQuery from '../generated/relay/DocumentsRuleQuery.graphql.ts';
import { authenticate, collectWarnings, execute, unique } from '../support/sandbox.ts';
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

it('keeps the record of an account when an old event is replayed', async () => {
  const warnings = collectWarnings();
  const accountId = unique('replay');
  const { events } = await execute<{ events: { headCursor: string } }>('{ events(first: 1) { headCursor } }');
  await authenticate({ id: accountId, username: 'before' });
  await execute('mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { requestId } }', {
    input: { accountId, username: 'after' },
  });
  const { environment, dispose } = makeEnvironment();
  onTestFinished(dispose);
  const { account } = await load(environment, accountQuery, { accountId });
  const { id } = account as { id: string };
  const before = environment.getStore().getSource().get(id);

  const event = await new Promise<DocumentsEventsSubscription['response']['events']>((resolve, reject) => {
    const subscription = requestSubscription<DocumentsEventsSubscription>(environment, {
      subscription: eventsSubscription,
      variables: { accountId, after: events.headCursor },
      onNext: (response) => resolve(response!.events),
      onError: reject,
    });
    onTestFinished(() => subscription.dispose());
  });
  expect(event).toMatchObject({ account: { username: 'after' }, accountSnapshot: { username: 'before' } });
  expect(environment.getStore().getSource().get(id)).toEqual(before);
  expect(warnings).toEqual([]);
});

/** A receiver of webhooks that accepts everything. */
async function startReceiver(): Promise<string> {
  const server = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('pages deliveries through the node of their endpoint', async () => {
  const warnings = collectWarnings();
  const created = await execute<{ createWebhookEndpoint: { endpoint: { id: string } } }>(
    `mutation ($url: String!) {
      createWebhookEndpoint(input: { url: $url, eventTypes: [LIST_ACCOUNT_ADDED] }) { endpoint { id } }
    }`,
    { url: await startReceiver() },
  );
  const { id } = created.createWebhookEndpoint.endpoint;
  const name = unique('list');
  const accountIds = ['a', 'b', 'c', 'd', 'e'].map((suffix) => `${name}-${suffix}`);
  for (const accountId of accountIds) await authenticate({ id: accountId });
  await execute('mutation ($name: String!) { createList(input: { name: $name }) { requestId } }', { name });
  await execute(
    `mutation ($name: String!, $accountIds: [String!]!) {
      addAccountsToList(input: { list: $name, accountIds: $accountIds }) { requestId }
    }`,
    { name, accountIds },
  );
  const count = () =>
    execute<{ webhookEndpoint: { deliveries: { totalCount: { value: number } } } }>(
      'query ($id: ID!) { webhookEndpoint(id: $id) { deliveries { totalCount { value } } } }',
      { id },
    );
  await until(
    'the deliveries',
    async () => (await count()).webhookEndpoint.deliveries.totalCount.value === 5,
  );

  const { environment } = makeEnvironment();
  const { webhookEndpoint } = await load(environment, endpointQuery, { id });
  const deliveries = () =>
    read(environment, deliveriesFragment, webhookEndpoint!).data.deliveries as Connection<{ id: string }>;
  expect(deliveries().edges).toHaveLength(2);
  await loadMore(environment, deliveriesFragment, webhookEndpoint!, 'forward', 2);
  await loadMore(environment, deliveriesFragment, webhookEndpoint!, 'forward', 2);
  expect(new Set(deliveries().edges.map(({ node }) => node.id)).size).toBe(5);
  expect(deliveries().pageInfo.hasNextPage).toBe(false);
  expect(warnings).toEqual([]);
});

it('pages matches through the node of their rule', async () => {
  const warnings = collectWarnings();
  const name = unique('rule');
  const created = await execute<{ createRule: { rule: { id: string } } }>(
    `mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }`,
    {
      input: {
        name,
        expression: `account.group = "${name}"`,
        trigger: 'ANY_SESSION',
        state: 'ENABLED',
        actions: [{ raiseFlag: 'clients' }],
      },
    },
  );
  const { id } = created.createRule.rule;
  const accountIds = ['a', 'b', 'c'].map((suffix) => `${name}-${suffix}`);
  for (const accountId of accountIds) await authenticate({ id: accountId, group: name });

  const { environment } = makeEnvironment();
  const { rule } = await load(environment, ruleQuery, { id });
  const matches = () =>
    read(environment, matchesFragment, rule!).data.matches as Connection<{ accountId: string }>;
  expect(matches().edges).toHaveLength(2);
  await loadMore(environment, matchesFragment, rule!, 'forward', 2);
  expect(
    matches()
      .edges.map(({ node }) => node.accountId)
      .sort(),
  ).toEqual(accountIds);
  expect(matches().pageInfo.hasNextPage).toBe(false);
  expect(warnings).toEqual([]);
});
