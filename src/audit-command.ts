import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ProjectForCommandLine } from './app.ts';
import { accountMark } from './domain/audit/account-mark.ts';
import { type AuditRow, type AuditSearch, allAudit, readAudit } from './domain/audit/audit-store.ts';
import { invalidInput } from './platform/errors.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** A line as scripts read it, with the names of the REST interface. */
const shown = ({ audit_id, ...row }: AuditRow) => ({ id: audit_id, ...row });

/** Prints the newest lines as a table, or as JSON. */
export async function listAudit(
  { viewer }: ProjectForCommandLine,
  { accountId, ...search }: AuditSearch & { accountId?: string },
  limit: number,
  isJson: boolean,
): Promise<void> {
  const { cipher, database } = viewer.project;
  const account = accountId === undefined ? null : accountMark(cipher, accountId);
  const rows = await readAudit(database, { ...search, account }, { order: 'newest', after: null, limit });
  if (isJson) return print(JSON.stringify(rows.map(shown), null, 2));
  if (rows.length === 0) return print('Nothing of that kind was changed yet.');
  const cells = rows.map(({ at, actor, action, target }) => [at.toISOString(), actor, action, target]);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]!.length)));
  for (const row of cells) print(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

/**
 * Writes lines as NDJSON, the oldest first, to standard output or into a file, which has its name only once it is
 * whole. Lines that are written meanwhile are left for the next export.
 */
export async function exportAudit(
  { viewer }: ProjectForCommandLine,
  search: AuditSearch,
  out: string | undefined,
): Promise<void> {
  const until = search.until ?? new Date();
  const lines = Readable.from(linesOf(allAudit(viewer.project.database, { ...search, until })));
  if (out === undefined) return toStandardOutput(lines);
  const unfinished = `${out}.part`;
  try {
    await pipeline(lines, createWriteStream(unfinished));
    await rename(unfinished, out);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw invalidInput(`${out} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

async function* linesOf(rows: AsyncIterable<AuditRow>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(shown(row))}\n`;
}

/** Whoever reads our lines may have enough of them: that is no error. */
async function toStandardOutput(lines: Readable): Promise<void> {
  try {
    await pipeline(lines, process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}
