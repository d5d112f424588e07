import type { PrismaClient } from './generated/prisma/client.ts';
import type * as Clients from './prisma-clients.ts';
import type { PrismaClients, PrismaClientsOptions, PrismaTransactions } from './prisma-clients.ts';

/** The models of Prisma's client, bound to a project. Their methods start immediately and return plain promises. */
export type PrismaModels = {
  [Name in keyof PrismaClient as Name extends `$${string}` ? never : Name]: PrismaClient[Name];
};

/** Loads Prisma, which takes some tenths of a second: a gateway does so while it starts, a command with its first query. */
export function loadPrisma(): Promise<typeof Clients> {
  return import('./prisma-clients.ts');
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;
type Models = Record<string, Record<string, Method>>;

export type PrismaQuery = (models: PrismaModels) => Promise<unknown>;

/** Clients that are created for the first query. */
export function prismaClients(options: PrismaClientsOptions): PrismaClients {
  let clients: Promise<PrismaClients> | undefined;
  const create = async () => (await loadPrisma()).createPrismaClients(options);
  return {
    async run(projectId, query) {
      clients ??= create();
      return (await clients).run(projectId, query);
    },
  };
}

/** Transactions whose client is created for the first query of one. */
export function prismaTransactions(): PrismaTransactions {
  let transactions: Promise<PrismaTransactions> | undefined;
  const create = async () => (await loadPrisma()).createPrismaTransactions();
  return {
    async open(lent) {
      transactions ??= create();
      return (await transactions).open(lent);
    },
  };
}

/** Prisma's models whose queries `run` executes. */
export function modelsOf(run: (query: PrismaQuery) => Promise<unknown>): PrismaModels {
  return objectOf((model) =>
    objectOf(
      (method): Method =>
        (...args) =>
          run((models) => (models as unknown as Models)[model]![method]!(...args)),
    ),
  ) as PrismaModels;
}

const WRITE_METHOD = /^(create|update|upsert|delete)/;

/** The same models; `onWrite` is called before each write. */
export function onPrismaWrite(models: PrismaModels, onWrite: () => void): PrismaModels {
  return objectOf((model) =>
    objectOf((method) => {
      if (WRITE_METHOD.test(method)) onWrite();
      return (models as unknown as Models)[model]![method];
    }),
  ) as PrismaModels;
}

/** An object that has every name but those of Prisma's client itself and that of a promise. */
function objectOf(make: (name: string) => unknown): object {
  const isName = (key: string | symbol): key is string =>
    typeof key === 'string' && key !== 'then' && !key.startsWith('$');
  return new Proxy(
    {},
    {
      has: (_target, key) => isName(key),
      get: (_target, key) => (isName(key) ? make(key) : undefined),
    },
  );
}
