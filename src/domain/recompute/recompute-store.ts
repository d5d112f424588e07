import type { Database } from '../../storage/database.ts';

/**
 * Tries to take the advisory lock of a recomputation. It belongs to the session of the connection and is released with it. A
 * lock has no project: one gateway recomputes the rows of all projects.
 */
export async function tryLock(
  client: Awaited<ReturnType<Database['system']['connect']>>,
  recomputation: string,
): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock(hashtext($1)) as held', [
    recomputeLock(recomputation),
  ]);
  return rows[0].held;
}

/** Name of the lock, whose hash is its key. */
export function recomputeLock(recomputation: string): string {
  return `vouchgraph recompute ${recomputation}`;
}
