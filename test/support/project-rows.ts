import type { Gateway } from './gateway.ts';
import { connectAs, tablesOf } from './sql.ts';

/** Number of rows of a project by table, without partitions. Tables without a row are absent. */
export async function rowsOfProject(
  { database }: Pick<Gateway, 'database'>,
  projectId: string,
): Promise<Record<string, number>> {
  const client = await connectAs(database, 'vouchgraph_system');
  try {
    const rows: Record<string, number> = {};
    for (const table of (await tablesOf(client)).filter((name) => !/^outbox_events_/.test(name))) {
      const text = `select count(*)::int as count from ${table} where project_id = $1`;
      const { count } = (await client.query(text, [projectId])).rows[0];
      if (count > 0) rows[table] = count;
    }
    return rows;
  } finally {
    await client.end();
  }
}
