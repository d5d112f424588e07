import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { cacheExchange, type KeyingConfig } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { createClient } from 'graphql-sse';
import { graphqlUrl, headers } from '../support/sandbox.ts';
import { introspection, typesWithoutId } from '../support/schema.ts';

export type { KeyingConfig };

const KEYS: KeyingConfig = Object.fromEntries(typesWithoutId.map((name) => [name, () => null]));

/** A client as created by an application: a cache with the schema, subscriptions over server-sent events. */
export function makeClient(keys = KEYS): { client: Client; dispose(): void } {
  const stream = createClient({ url: graphqlUrl(), headers: headers() });
  const client = new Client({
    url: graphqlUrl(),
    preferGetMethod: false,
    fetchOptions: { headers: headers() },
    exchanges: [
      cacheExchange({
        schema: introspection,
        keys,
        resolvers: {
          Query: { accounts: relayPagination() },
          Account: { linkedAccounts: relayPagination() },
        },
      }),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: stream.subscribe(
              { query, variables: variables as Record<string, string> },
              sink as never,
            ),
          }),
        }),
      }),
    ],
  });
  return { client, dispose: () => stream.dispose() };
}
