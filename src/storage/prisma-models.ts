import type { PrismaClient } from './generated/prisma/client.ts';
import type { createPrismaClients, PrismaClients, PrismaClientsOptions } from './prisma-clients.ts';

/** The models of Prisma's client, bound to a project. Their methods start immediately and return plain promises. */
export type PrismaModels = {
  [Name in keyof PrismaClient as Name extends `$${string}` ? never : Name]: PrismaClient[Name];
};

/** Loads Prisma, which takes some tenths of a second: a gateway does so while it starts, a command with its first query. */
export async function loadPrisma(): Promise<typeof createPrismaClients> {
  return (await import('./prisma-clients.ts')).createPrismaClients;
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;
type Models = Record<string, Record<string, Method>>;

export type PrismaQuery = (client: PrismaClient) => Promise<unknown>;

/** Clients that are created for the first query. */
export function prismaClients<User>(options: PrismaClientsOptions<User>): PrismaClients<User> {
  let clients: Promise<PrismaClients<User>> | undefined;
  const create = async () => (await loadPrisma())<User>(options);
  return {
    async run(user, query) {
      clients ??= create();
      return (await clients).run(user, query);
    },
  };
}

/** Prisma's models whose queries `run` executes. */
export function modelsOf(run: (query: PrismaQuery) => Promise<unknown>): PrismaModels {
  return objectOf((model) =>
    objectOf(
      (method): Method =>
        (...args) =>
          run((client) => (client as unknown as Models)[model]![method]!(...args)),
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
