import type pg from 'pg';
import { releaseAfter } from './connection-pool.ts';
import type { Database } from './database.ts';
import { translateError } from './translate-error.ts';

/** Runs `work` with its own connection, which is not reused after an unknown failure. */
export async function withConnection<T>(
  system: Database['system'],
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  const client = await system.connect();
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    releaseAfter(client, error);
    throw translateError(error);
  }
}
