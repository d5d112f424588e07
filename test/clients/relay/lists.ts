import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConcreteRequest, ReaderFragment, Variables } from 'relay-runtime';
import { onTestFinished } from 'vitest';
import { until } from '../../acceptance/gateway-process.ts';
import accountQuery from '../generated/relay/DocumentsAccountQuery.graphql.ts';
import accountsFragment from '../generated/relay/DocumentsAccounts_query.graphql.ts';
import accountsPageQuery from '../generated/relay/DocumentsAccountsPageQuery.graphql.ts';
import accountsQuery from '../generated/relay/DocumentsAccountsQuery.graphql.ts';
import deliveriesFragment from '../generated/relay/DocumentsDeliveries_endpoint.graphql.ts';
import deliveriesPageQuery from '../generated/relay/DocumentsDeliveriesPageQuery.graphql.ts';
import endpointQuery from '../generated/relay/DocumentsEndpointQuery.graphql.ts';
import linksFragment from '../generated/relay/DocumentsLinks_account.graphql.ts';
import linksPageQuery from '../generated/relay/DocumentsLinksPageQuery.graphql.ts';
import matchesFragment from '../generated/relay/DocumentsMatches_rule.graphql.ts';
import matchesPageQuery from '../generated/relay/DocumentsMatchesPageQuery.graphql.ts';
import ruleQuery from '../generated/relay/DocumentsRuleQuery.graphql.ts';
import { authenticate, authenticateLinked, execute, unique } from '../support/sandbox.ts';

/** A connection of five objects, with the documents that page it. */
export type List = {
  query: ConcreteRequest;
  fragment: ReaderFragment;
  /** The query of `@refetchable`. */
  pageQuery: ConcreteRequest;
  /** The field of the query that contains the connection; null where the query itself does. */
  owner: string | null;
  connection: string;
  /** Creates the five objects, and returns the variables that select them. */
  prepare(): Promise<Variables>;
};

const LETTERS = ['a', 'b', 'c', 'd', 'e'];

/** A receiver of webhooks that accepts everything. */
async function startReceiver(): Promise<string> {
  const server = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function prepareAccounts(): Promise<Variables> {
  const group = unique('group');
  for (const letter of LETTERS) await authenticate({ id: `${group}-${letter}`, group });
  return { group };
}

async function prepareLinks(): Promise<Variables> {
  const [accountId] = await authenticateLinked(6);
  return { accountId };
}

async function prepareDeliveries(): Promise<Variables> {
  const created = await execute<{ createWebhookEndpoint: { endpoint: { id: string } } }>(
    `mutation ($url: String!) {
      createWebhookEndpoint(input: { url: $url, eventTypes: [LIST_ACCOUNT_ADDED] }) { endpoint { id } }
    }`,
    { url: await startReceiver() },
  );
  const { id } = created.createWebhookEndpoint.endpoint;
  const name = unique('list');
  const accountIds = LETTERS.map((letter) => `${name}-${letter}`);
  for (const accountId of accountIds) await authenticate({ id: accountId });
  await execute('mutation ($name: String!) { createList(input: { name: $name }) { requestId } }', { name });
  await execute(
    `mutation ($name: String!, $accountIds: [ID!]!) {
      addAccountsToList(input: { list: $name, accountIds: $accountIds }) { requestId }
    }`,
    { name, accountIds },
  );
  const read = () =>
    execute<{ webhookEndpoint: { deliveries: { totalCount: { value: number } } } }>(
      'query ($id: ID!) { webhookEndpoint(id: $id) { deliveries { totalCount { value } } } }',
      { id },
    );
  await until(
    'the deliveries',
    async () => (await read()).webhookEndpoint.deliveries.totalCount.value === LETTERS.length,
  );
  return { id };
}

async function prepareMatches(): Promise<Variables> {
  const name = unique('rule');
  const created = await execute<{ createRule: { rule: { id: string } } }>(
    'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }',
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
  for (const letter of LETTERS) await authenticate({ id: `${name}-${letter}`, group: name });
  return { id: created.createRule.rule.id };
}

export const LISTS: Record<string, List> = {
  accounts: {
    query: accountsQuery,
    fragment: accountsFragment,
    pageQuery: accountsPageQuery,
    owner: null,
    connection: 'accounts',
    prepare: prepareAccounts,
  },
  'linked accounts': {
    query: accountQuery,
    fragment: linksFragment,
    pageQuery: linksPageQuery,
    owner: 'account',
    connection: 'linkedAccounts',
    prepare: prepareLinks,
  },
  deliveries: {
    query: endpointQuery,
    fragment: deliveriesFragment,
    pageQuery: deliveriesPageQuery,
    owner: 'webhookEndpoint',
    connection: 'deliveries',
    prepare: prepareDeliveries,
  },
  'rule matches': {
    query: ruleQuery,
    fragment: matchesFragment,
    pageQuery: matchesPageQuery,
    owner: 'rule',
    connection: 'matches',
    prepare: prepareMatches,
  },
};
