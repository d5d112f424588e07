import type pg from 'pg';
import type { ProjectDatabase, Statement } from '../../src/storage/database.ts';

/** The statement that a function of a store sends, with its values. */
export async function statementOf(
  projectId: string,
  send: (database: ProjectDatabase) => Promise<unknown>,
): Promise<{ statement: Statement; values: readonly unknown[] }> {
  let sent: { statement: Statement; values: readonly unknown[] } | undefined;
  const query = async (statement: Statement, values: readonly unknown[]) => {
    sent = { statement, values };
    return [{ total: 0 }];
  };
  await send({ projectId, query } as unknown as ProjectDatabase);
  return sent!;
}

/**
 * The plan of the statement that a function of a store sends, as the requests of a project have it: `client` has the role
 * vouchgraph_app.
 */
export async function planOf(
  client: pg.Client,
  projectId: string,
  send: (database: ProjectDatabase) => Promise<unknown>,
): Promise<string> {
  const { statement, values } = await statementOf(projectId, send);
  await client.query(`select set_config('app.project', $1, false)`, [projectId]);
  const { rows } = await client.query(`explain ${statement.text}`, [...values]);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
