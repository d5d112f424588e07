import pg from 'pg';

/* What all peers share: the connections of the gateway (role, row-level security, pool size), and the protocol of the benchmark. */

let statements = 0;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...of: unknown[]) {
  statements += 1;
  return (query as (...all: unknown[]) => unknown).apply(this, of);
} as typeof query;

export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.DATABASE_POOL_SIZE),
  idleTimeoutMillis: 0,
  options: `-c role=vouchgraph_app -c app.project=${process.env.PROJECT_ID} -c timezone=UTC -c search_path=peers`,
});

/** Rows of a statement that is prepared under its name. */
export async function rows(
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<pg.QueryResultRow[]> {
  return (await pool.query({ name, text, values: [...values] })).rows;
}

/** Sends the port of the server to the benchmark, and answers its requests. */
export function announce(url: string): void {
  process.on('message', () => process.send!({ statements }));
  process.on('disconnect', () => process.exit(0));
  process.send!({ url });
}
