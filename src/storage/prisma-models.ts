import type { PrismaClient } from './generated/prisma/client.ts';
import type { createPrismaClients, PrismaClients, PrismaClientsOptions } from './prisma-clients.ts';

/** The models of Prisma's client, bound to a project. Their methods begin at once and are plain promises. */
export type PrismaModels = {
  [Name in keyof PrismaClient as Name extends `$${string}` ? never : Name]: PrismaClient[Name];
};

/** Loads Prisma, which takes some tenths of a second: a gateway does so while it starts, a command with its first query. */
export async function loadPrisma(): Promise<typeof createPrismaClients> {
  return (await import('./prisma-clients.ts')).createPrismaClients;
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;
type Models = Record<string, Record<string, Method>>;

/** Prisma's models by project. Clients are created for the first query. */
export function prismaModels(options: PrismaClientsOptions): (projectId: string) => PrismaModels {
  let clients: Promise<PrismaClients> | undefined;
  const create = async () => (await loadPrisma())(options);
  async function run(projectId: string, query: (client: PrismaClient) => Promise<unknown>) {
    clients ??= create();
    return (await clients).run(projectId, query);
  }
  return (projectId) =>
    objectOf((model) =>
      objectOf(
        (method): Method =>
          (...args) =>
            run(projectId, (client) => (client as unknown as Models)[model]![method]!(...args)),
      ),
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
