import { PrismaPg } from '@prisma/adapter-pg';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { PrismaClient } from './generated/prisma/client.ts';
import { ProjectPool } from './project-pool.ts';

export type PrismaClientsOptions = {
  /** A connection that is bound to the project. */
  acquire: (projectId: string) => Promise<pg.PoolClient>;
  /** Receives the name under which a statement of Prisma is counted. */
  onStatement: (name: string) => void;
  /** An error of the driver as the rest of the gateway knows it. */
  toError: (error: unknown) => unknown;
};

/** Prisma clients by project. A file of its own: commands open the database without loading Prisma. */
export function createPrismaClients({ acquire, onStatement, toError }: PrismaClientsOptions) {
  const clients = new LRUCache<string, PrismaClient>({ max: 200 });
  return (projectId: string): PrismaClient => {
    let client = clients.get(projectId);
    if (!client) {
      const bound = new ProjectPool({
        acquire: () => acquire(projectId),
        onStatement: (text) => onStatement(`prisma:${text.slice(0, text.indexOf(' '))}`),
        toError,
      });
      const adapter = new PrismaPg(bound, { statementNameGenerator: prismaStatementName });
      client = new PrismaClient({ adapter });
      clients.set(projectId, client);
    }
    return client;
  };
}

/** Prisma's statements get a name by their text, so that the server plans each once per connection. */
const prismaNames = new LRUCache<string, string>({ max: 2000 });
let prismaNameCount = 0;
function prismaStatementName(query: { sql: string }): string {
  let name = prismaNames.get(query.sql);
  if (!name) {
    prismaNameCount += 1;
    name = `prisma_${prismaNameCount}`;
    prismaNames.set(query.sql, name);
  }
  return name;
}
