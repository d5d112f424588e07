import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

/** A statement of a limit: its result is compared with the responses. */
export type LimitStatement = { name: string; text: string };

/** Sends a statement over the pool and returns its rows. */
export type RunStatement = (
  statement: LimitStatement,
  values: readonly unknown[],
) => Promise<Record<string, unknown>[]>;

/**
 * The minimum for a server: bare node:http, one prepared statement, the result as text. It connects like the
 * gateway: the same role, row-level security, the same number of connections.
 */
export async function serveLimit(
  answer: (request: IncomingMessage, body: string, run: RunStatement) => Promise<string>,
): Promise<void> {
  const pool = new pg.Pool({
    connectionString: process.env.DATABASE_URL,
    max: Number(process.env.DATABASE_POOL_SIZE),
    idleTimeoutMillis: 0,
    options: `-c role=vouchgraph_app -c app.project=${process.env.PROJECT_ID} -c timezone=UTC`,
  });
  let statements = 0;
  const run: RunStatement = async (statement, values) => {
    statements += 1;
    const { rows } = await pool.query({ ...statement, values: values as unknown[] });
    return rows;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      answer(request, Buffer.concat(chunks).toString('utf8'), run).then(
        (text) => {
          const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
          response.writeHead(200, headers).end(text);
        },
        (error: unknown) => response.writeHead(500, { 'content-length': 0 }).end(void console.error(error)),
      );
    });
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.on('message', () => process.send!({ statements }));
  process.on('disconnect', () => process.exit(0));
  process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
