import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import DataLoader from 'dataloader';
import { accountOf, accountsOf, linksOf, listsOf, type Row, SCHEMA, sessionsOf } from './batches.ts';
import { announce } from './connection.ts';

type Context = ReturnType<typeof createLoaders>;
function createLoaders() {
  const links = new Map<number, DataLoader<string, unknown[]>>();
  return {
    accounts: new DataLoader((ids: readonly string[]) => accountsOf(ids)),
    sessions: new DataLoader((ids: readonly string[]) => sessionsOf(ids)),
    lists: new DataLoader((ids: readonly string[]) => listsOf(ids)),
    links(first: number) {
      const known = links.get(first) ?? new DataLoader((ids: readonly string[]) => linksOf(ids, first));
      links.set(first, known);
      return known;
    },
  };
}

const server = new ApolloServer<Context>({
  typeDefs: SCHEMA,
  introspection: false,
  resolvers: {
    Query: { account: (_root: unknown, { accountId }: { accountId: string }) => accountOf(accountId) },
    Account: {
      lists: ({ id }: Row, _args: unknown, { lists }: Context) => lists.load(id),
      lastSession: ({ lastSessionId }: Row, _args: unknown, { sessions }: Context) =>
        lastSessionId === null ? null : sessions.load(lastSessionId as string),
      linkedAccounts: ({ id }: Row, { first }: { first: number }, { links }: Context) =>
        links(first).load(id),
    },
    LinkedAccount: {
      node: ({ linkedAccountId }: Row, _args: unknown, { accounts }: Context) =>
        accounts.load(linkedAccountId as string),
    },
  },
});
const { url } = await startStandaloneServer(server, {
  context: async () => createLoaders(),
  listen: { port: 0, host: '127.0.0.1' },
});
announce(url);
