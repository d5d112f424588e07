import type { Database } from '../../storage/database.ts';

const PREPARE = { name: 'outbox.prepare', text: 'select vouchgraph_prepare_outbox($1)' };

/** Makes the outbox's daily partitions for the days to come; safe to repeat. */
export async function prepareOutbox(system: Database['system'], days: number): Promise<void> {
  await system.query(PREPARE, [days]);
}
