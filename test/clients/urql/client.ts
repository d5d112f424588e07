import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { type Cache, cacheExchange, type KeyingConfig, type Resolver } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { createClient } from 'graphql-sse';
import { graphqlUrl, headers } from '../support/sandbox.ts';
import { introspection, typesWithoutId } from '../support/schema.ts';

export type { KeyingConfig };

const KEYS: KeyingConfig = Object.fromEntries(typesWithoutId.map((name) => [name, () => null]));

/** Joins pages by the key of each edge. relayPagination drops edges without a node, which tokens of an account receive. */
const linkedAccounts: Resolver = (parent, args, cache, info) => {
  const byKey = Object.create(cache, {
    resolve: {
      value: (...[entity, field, of]: Parameters<Cache['resolve']>) =>
        (field === 'node' && cache.resolve(entity, 'key')) || cache.resolve(entity, field, of),
    },
  });
  return relayPagination()(parent, args, byKey, info);
};

/** A client as created by an application: a cache with the schema, subscriptions over server-sent events. */
export function makeClient(
  keys = KEYS,
  viewer: Record<string, string> = headers(),
): { client: Client; dispose(): void } {
  const stream = createClient({ url: graphqlUrl(), headers: viewer });
  const client = new Client({
    url: graphqlUrl(),
    preferGetMethod: false,
    fetchOptions: { headers: viewer },
    exchanges: [
      cacheExchange({
        schema: introspection,
        keys,
        resolvers: {
          Query: { accounts: relayPagination() },
          Account: { linkedAccounts },
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
