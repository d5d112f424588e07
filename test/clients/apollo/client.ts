import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { relayStylePagination } from '@apollo/client/utilities';
import { OperationTypeNode } from 'graphql';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { graphqlUrl, headers, socketUrl } from '../support/sandbox.ts';
import { possibleTypes } from '../support/schema.ts';

/**
 * A client as created by an application: normalized cache, lists by Relay's connections, subscriptions over
 * graphql-ws.
 */
export function makeClient(viewer: Record<string, string> = headers()): {
  client: ApolloClient;
  dispose(): Promise<void>;
} {
  const socket = createClient({ url: socketUrl(), webSocketImpl: WebSocket, connectionParams: viewer });
  const client = new ApolloClient({
    cache: new InMemoryCache({
      possibleTypes,
      typePolicies: {
        Query: { fields: { accounts: relayStylePagination(['filter', 'orderBy']) } },
        Account: { fields: { linkedAccounts: relayStylePagination(['matchTypes', 'minScore', 'orderBy']) } },
      },
    }),
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      new GraphQLWsLink(socket),
      new HttpLink({ uri: graphqlUrl(), headers: viewer }),
    ),
  });
  const dispose = async () => {
    client.stop();
    await socket.dispose();
  };
  return { client, dispose };
}
