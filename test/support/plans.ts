import type pg from 'pg';
import type { ProjectDatabase, Statement } from '../../src/storage/database.ts';
import { modelsOf, prismaClients } from '../../src/storage/prisma-models.ts';

/**
 * The plans of the statements of a store function, with the permissions of requests: `client` has the role
 * vouchgraph_app. Those of Prisma are executed too, since the next one may depend on their rows.
 */
export async function planOf(
  client: pg.Client,
  projectId: string,
  send: (database: ProjectDatabase) => Promise<unknown>,
): Promise<string> {
  const plans: string[] = [];
  await client.query(`select set_config('app.project', $1, false)`, [projectId]);
  const explain = async (text: string, values: readonly unknown[]) => {
    const { rows } = await client.query(`explain ${text}`, [...values]);
    plans.push(...rows.map((row) => row['QUERY PLAN']));
  };
  const connection = {
    release() {},
    async query(input: { text: string; values?: unknown[] }, values = input.values ?? []) {
      await explain(input.text, values);
      return client.query(input, values);
    },
  } as unknown as pg.PoolClient;
  const clients = prismaClients({
    maxClients: 1,
    acquire: async () => connection,
    onStatement: () => {},
    toError: (error) => error,
  });
  const prisma = modelsOf((query) => clients.run(projectId, query));
  const query = async ({ text }: Statement, values: readonly unknown[]) => {
    await explain(text, values);
    return [{ total: 0 }];
  };
  await send({ projectId, query, prisma } as unknown as ProjectDatabase);
  return plans.join('\n');
}
