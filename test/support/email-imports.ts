import { request as httpRequest } from 'node:http';
import { csvFields } from '@vouchgraph/platform/csv';
import type pg from 'pg';
import type { GatewayProcess } from '../acceptance/gateway-process.ts';
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

/** Of the advisory lock that holds an import. */
const LOCK = 4713;

/**
 * Starts the import of a project, and acts on it after its first batch is stored, while its second one waits: a trigger of
 * the owner's holds it until the act has ended.
 */
export async function whileReceiving(
  owner: pg.Client,
  projectId: string,
  start: () => GatewayProcess,
  act: (child: GatewayProcess) => Promise<unknown>,
): Promise<GatewayProcess> {
  await owner.query(`
    create or replace function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(${LOCK}); return new; end $$;
    create trigger wait_for_test before insert on email_batches
      for each row when (new.project_id = '${projectId}' and new.import_number = 1) execute function wait_for_test()`);
  await owner.query('select pg_advisory_lock($1)', [LOCK]);
  try {
    const child = start();
    await expectBlocked(owner);
    await act(child);
    return child;
  } finally {
    await owner.query('select pg_advisory_unlock($1)', [LOCK]);
    await owner.query('drop trigger wait_for_test on email_batches');
  }
}
