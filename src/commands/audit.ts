import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { AuditRow, AuditSearch } from '../domain/audit/audit-store.ts';
import { OperatorError } from '../platform/errors.ts';
import { JSON_OPTION, timestamp, wholeBetween } from './support/arguments.ts';
import { print, printJson } from './support/print.ts';
import { printTable } from './support/table.ts';
import { withProject } from './support/with-database.ts';

/** Registers `audit`. */
export function addAuditCommand(program: Command): void {
  const audit = program.command('audit').description('audit log: changes of a project');
  audit
    .command('list')
    .description('list the newest entries')
    .argument('<project>', 'id of the project')
    .option('-n, --number <number>', 'number of entries', wholeBetween(1, 1000), 20)
    .option('--account <id>', 'entries of one account, by its account id, assigned by the client')
    .option('--action <prefix>', 'an action or a prefix, such as list.')
    .option('--target <target>', 'entries of one object, such as list:block or rule:ID')
    .option(...JSON_OPTION)
    .action(listAudit);
  audit
    .command('export')
    .description('export all entries as NDJSON, oldest first')
    .argument('<project>', 'id of the project')
    .option('--since <timestamp>', 'entries at or after this time, such as 2027-01-31T00:00:00Z', timestamp)
    .option('--until <timestamp>', 'entries before this time; now by default', timestamp)
    .option('--action <prefix>', 'an action or a prefix, such as list.')
    .option('-o, --out <file>', 'file to write instead of standard output')
    .action(exportAudit);
}

/** An entry for scripts, with the names of the REST interface. */
const shown = ({ audit_id, ...row }: AuditRow) => ({ id: audit_id, ...row });

type ListOptions = { number: number; account?: string; action?: string; target?: string; json?: boolean };

/** Prints the newest entries as a table, or as JSON. */
function listAudit(projectId: string, { number, account, json, action, target }: ListOptions): Promise<void> {
  return withProject(projectId, 1, async ({ project: { cipher, database } }) => {
    const { accountHash: accountMark } = await import('../domain/audit/account-hash.ts');
    const { readAudit } = await import('../domain/audit/audit-store.ts');
    const mark = account === undefined ? null : accountMark(cipher, account);
    const page = { after: null, before: null, isBackward: false, limit: number };
    const rows = await readAudit(database, { action, target, account: mark }, 'newest', page);
    if (json) return printJson(rows.map(shown));
    if (rows.length === 0) return print('No matching entries.');
    printTable(
      ['TIME', 'ACTOR', 'ACTION', 'TARGET'],
      rows.map(({ at, actor, action, target }) => [at.toISOString(), actor, action, target]),
    );
  });
}

/**
 * Writes entries as NDJSON, the oldest first, to standard output or into a file, which gets its name once it is complete.
 * Entries written meanwhile are part of the next export.
 */
function exportAudit(projectId: string, { out, ...search }: AuditSearch & { out?: string }): Promise<void> {
  return withProject(projectId, 1, async ({ project: { database } }) => {
    const { allAudit } = await import('../domain/audit/audit-store.ts');
    const until = search.until ?? new Date();
    const lines = Readable.from(linesOf(allAudit(database, { ...search, until })));
    await (out === undefined ? toStandardOutput(lines) : toFile(lines, out));
  });
}

async function toFile(lines: Readable, file: string): Promise<void> {
  const unfinished = `${file}.part`;
  try {
    await pipeline(lines, createWriteStream(unfinished));
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new OperatorError(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}

async function* linesOf(rows: AsyncIterable<AuditRow>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(shown(row))}\n`;
}

/** A reader that closes the pipe early is no error. */
async function toStandardOutput(lines: Readable): Promise<void> {
  try {
    await pipeline(lines, process.stdout, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}
