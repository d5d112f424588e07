import { request as httpRequest } from 'node:http';
import { csvFields } from '@vouchgraph/platform/csv';
import type pg from 'pg';
import type { Answer, Gateway, TestProject } from './gateway.ts';
import { expectBlocked } from './sql.ts';

/** Sends a file to `path`, with `query` as parameters. */
export async function upload(
  { baseUrl }: Gateway,
  { key }: TestProject,
  body: string | Buffer,
  { path = '/email/imports', query = {}, type = 'text/csv', headers = {} }: UploadOptions = {},
): Promise<Pick<Answer, 'status' | 'body'>> {
  const response = await fetch(`${baseUrl}${path}?${new URLSearchParams(query)}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': type, ...headers },
    body: body as string,
  });
  return { status: response.status, body: await response.json() };
}

type UploadOptions = {
  path?: string;
  query?: Record<string, string>;
  type?: string;
  headers?: Record<string, string>;
};

/** Starts a chunked upload, which the test continues, ends or aborts. */
export function beginUpload(
  { baseUrl }: Gateway,
  { key }: TestProject,
  path = '/email/imports',
  headers: Record<string, string> = {},
) {
  const request = httpRequest(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'text/csv', 'transfer-encoding': 'chunked', ...headers },
  });
  request.on('error', () => {});
  return request;
}

/** Polls until the condition holds. */
export async function until<T>(find: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  for (;;) {
    const found = await find();
    if (holds(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The rows of a result file without quoted line ends, as objects by its header. */
export function parseResult(text: string): Record<string, string>[] {
  const [header, ...lines] = text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\r\n')
    .map((line) => csvFields(line));
  return lines.map((fields) => Object.fromEntries(header!.map((name, index) => [name, fields[index]!])));
}

/** A table of `rows` addresses of one domain, whose local parts are numbered from 0. */
export function tableOf(rows: number, domain: string, from = 0): string {
  const lines = Array.from(
    { length: rows },
    (_none, index) => `${from + index},user${from + index}@${domain},x`,
  );
  return `id,email,note\n${lines.map((line) => `${line}\n`).join('')}`;
}

/**
 * Acts on the import of a project after its first rows were received, and before its other rows are: another transaction has
 * locked the import and its batches.
 */
export async function whileReceiving(
  client: pg.Client,
  projectId: string,
  act: (importId: string) => Promise<void> | void,
): Promise<void> {
  const find = `select import_id from email_imports where project_id = $1 and rows_received > 0 and status = 'receiving'
    for update`;
  for (;;) {
    await client.query('begin');
    try {
      const { rows } = await client.query(find, [projectId]);
      if (rows.length > 0) {
        await client.query('select from email_batches where project_id = $1 for update', [projectId]);
        await expectBlocked(client);
        await act(rows[0].import_id);
        return;
      }
    } finally {
      await client.query('rollback');
    }
  }
}
