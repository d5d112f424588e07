import Fastify from 'fastify';
import mercurius from 'mercurius';
import { accountOf, accountsOf, linksOf, listsOf, type Row, SCHEMA, sessionsOf } from './batches.ts';
import { announce } from './connection.ts';

type Queries<Params = unknown> = { obj: Row; params: Params }[];
const app = Fastify();
await app.register(mercurius, {
  schema: SCHEMA,
  jit: 1,
  resolvers: {
    Query: { account: (_root: unknown, { accountId }: { accountId: string }) => accountOf(accountId) },
  },
  loaders: {
    Account: {
      lists: (queries: Queries) => listsOf(queries.map(({ obj }) => obj.id)),
      lastSession: (queries: Queries) => sessionsOf(queries.map(({ obj }) => obj.lastSessionId as string)),
      linkedAccounts: (queries: Queries<{ first: number }>) =>
        linksOf(
          queries.map(({ obj }) => obj.id),
          queries[0]!.params.first,
        ),
    },
    LinkedAccount: {
      node: (queries: Queries) => accountsOf(queries.map(({ obj }) => obj.linkedAccountId as string)),
    },
  },
} as never);
announce(`${await app.listen({ port: 0, host: '127.0.0.1' })}/graphql`);
