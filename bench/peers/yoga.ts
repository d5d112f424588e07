import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import { PrismaPg } from '@prisma/adapter-pg';
import { createYoga } from 'graphql-yoga';
import { announce, pool } from './connection.ts';
import type PrismaTypes from './generated/pothos-prisma.ts';
import { getDatamodel } from './generated/pothos-prisma.ts';
import { PrismaClient } from './generated/prisma/client.ts';

/* As the documents of Yoga, Pothos and Prisma put them together: default settings of all three. */
const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: 'peers' }) });
const builder = new SchemaBuilder<{ PrismaTypes: PrismaTypes }>({
  plugins: [PrismaPlugin],
  prisma: { client: prisma, dmmf: getDatamodel() },
});

builder.prismaObject('Session', {
  fields: (t) => ({
    sessionId: t.exposeID('sessionId'),
    startTime: t.string({ resolve: ({ startTime }) => startTime.toISOString() }),
    source: t.exposeString('source'),
  }),
});
builder.prismaObject('Membership', { fields: (t) => ({ name: t.exposeString('name') }) });
builder.prismaObject('Link', {
  fields: (t) => ({
    score: t.exposeFloat('score'),
    kinds: t.exposeInt('kinds'),
    firstSeen: t.string({ resolve: ({ firstSeen }) => firstSeen.toISOString() }),
    node: t.relation('linkedAccount'),
  }),
});
builder.prismaObject('Account', {
  fields: (t) => ({
    accountId: t.exposeID('accountId'),
    country: t.exposeString('country'),
    numSessions: t.exposeInt('numSessions'),
    lastSeen: t.string({ nullable: true, resolve: ({ lastSeen }) => lastSeen?.toISOString() ?? null }),
    lists: t.relation('lists', { query: { orderBy: { name: 'asc' } } }),
    lastSession: t.relation('lastSession', { nullable: true }),
    linkedAccounts: t.relation('links', {
      args: { first: t.arg.int({ required: true }) },
      query: ({ first }) => ({ take: first, orderBy: [{ score: 'desc' }, { linkedAccountId: 'desc' }] }),
    }),
  }),
});
builder.queryType({
  fields: (t) => ({
    account: t.prismaField({
      type: 'Account',
      nullable: true,
      args: { accountId: t.arg.id({ required: true }) },
      resolve: (query, _root, { accountId }) =>
        prisma.account.findUnique({ ...query, where: { accountId: String(accountId) } }),
    }),
  }),
});

const server = createServer(createYoga({ schema: builder.toSchema(), logging: false }));
server.listen(0, '127.0.0.1', () =>
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`),
);
