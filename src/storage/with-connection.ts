import type pg from 'pg';
import type { Database } from './database.ts';

/** Does `work` with a connection of its own, which is not used again when it failed in an unknown way. */
export async function withConnection<T>(
  system: Database['system'],
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await system.connect();
  let failure: unknown;
  try {
    return await work(client);
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    client.release(failure !== undefined && (failure as { code?: string }).code === undefined);
  }
}
