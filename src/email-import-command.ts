import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { EmailImportsForCommandLine } from './app.ts';
import { counted } from './counted.ts';
import { lockProgress } from './domain/accounts/import/import-lock-store.ts';
import { COLUMN_ROLES, type ColumnRole } from './domain/email-checks/import/column-names.ts';
import { parseDelimiter } from './domain/email-checks/import/detect-dialect.ts';
import {
  type EmailImport,
  type ImportProblem,
  presentImport,
} from './domain/email-checks/import/import-record.ts';
import type { ImportOptions } from './domain/email-checks/import/import-service.ts';
import { parseEncoding } from './domain/email-checks/import/text-encoding.ts';
import { AppError, invalidInput } from './platform/errors.ts';
import { collectHeap, limitHeapGrowth } from './platform/heap.ts';
import { isUuid, newId } from './platform/ids.ts';
import { createProgressLine } from './progress-line.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const printJson = (value: unknown) => print(JSON.stringify(value, null, 2));
const count = (value: number) => value.toLocaleString('en');

/** Bad rows that the summary shows. */
const SHOWN_PROBLEMS = 10;
/** How often progress is shown, and rows that another process works on are waited for. */
const POLL_MS = 250;

type Options = {
  project?: string;
  name?: string;
  header: boolean;
  encoding?: string;
  delimiter?: string;
  emitEach?: boolean;
  identityIntelligence?: boolean;
  result?: string;
  bom?: boolean;
  restart?: boolean;
  json?: boolean;
} & { [Role in ColumnRole as `${Role}Column`]?: string };

type Open = <T>(
  projectId: string | undefined,
  work: (imports: EmailImportsForCommandLine) => Promise<T>,
) => Promise<T>;

/** Adds `email import` and `email imports` to the command `email`. */
export function addEmailImportCommands(email: Command, open: Open): void {
  const project = ['--project <id>', 'id of the project; not needed when there is only one'] as const;
  const json = ['--json', 'print JSON instead of text'] as const;
  const command = email
    .command('import')
    .description(
      'check the addresses of a CSV file and write a file with the results; a stopped import continues where it was; ' +
        'exit code 1 when it was stopped or rows could not be checked',
    )
    .argument('<file>', 'table with a column of addresses, separated by commas, semicolons, tabs or pipes')
    .option(...project)
    .option('--name <name>', 'name of the import; the name of the file by default');
  for (const role of COLUMN_ROLES) {
    const word = role.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const what = role === 'email' ? 'addresses' : `the ${word}`;
    command.option(
      `--${word.replace(' ', '-')}-column <column>`,
      `column of ${what}, by name or number from 1`,
    );
  }
  command
    .option('--no-header', 'the first row is data, not names of columns')
    .option('--encoding <encoding>', 'utf-8, utf-16le, utf-16be or windows-1252; by the file by default')
    .option('--delimiter <delimiter>', 'comma, semicolon, tab or pipe; by the file by default')
    .option('--emit-each', 'emit an event for each address, not only for each batch of 1,000')
    .option(
      '--identity-intelligence',
      'compare names, phones and countries with known ones, in four more columns of the results',
    )
    .option('--result <file>', 'file of the results; the name of the file with .results.csv by default')
    .option('--bom', 'begin the results with a byte order mark, for spreadsheets')
    .option('--restart', 'import the file again, as another import')
    .option(...json)
    .action((file: string, options: Options) =>
      open(options.project, async (imports) => {
        if (!(await importFile(imports, file, options))) process.exitCode = 1;
      }),
    );
  addReadCommands(email.command('imports').description('imports of a project'), open, project, json);
}

function addReadCommands(
  imports: Command,
  open: Open,
  project: readonly [string, string],
  json: readonly [string, string],
): void {
  type Shown = { project?: string; json?: boolean };
  imports
    .command('list')
    .description('list the newest 100 imports')
    .option(...project)
    .option(...json)
    .action((options: Shown) =>
      open(options.project, (opened) => listImports(opened, options.json === true)),
    );
  imports
    .command('show')
    .description('show an import with its progress and bad rows')
    .argument('<import>', 'id of the import')
    .option(...project)
    .option(...json)
    .action((id: string, options: Shown) =>
      open(options.project, (opened) => showImport(opened, id, options.json === true)),
    );
  imports
    .command('result')
    .description('write the results of an import to a file')
    .argument('<import>', 'id of the import')
    .argument('<file>', 'file of the results')
    .option(...project)
    .option('--bom', 'begin with a byte order mark, for spreadsheets')
    .action((id: string, file: string, options: Shown & { bom?: boolean }) =>
      open(options.project, async (opened) => {
        await writeResult(opened, id, file, options.bom === true);
        print(`Results: ${file}`);
      }),
    );
  imports
    .command('erase')
    .description('erase an import with its rows and results')
    .argument('<import>', 'id of the import')
    .option(...project)
    .action((id: string, options: Shown) =>
      open(options.project, async (opened) => {
        await opened.imports.erase(opened.viewer, newId(), id);
        print(`Erased the import ${id}.`);
      }),
    );
}

/* Importing */

/** What an earlier run of the same command began; beside the file. */
type Progress = { version: 1; project_id: string; import_id: string };

/** Growth of the heap between two collections of its old part. */
const HEAP_GROWING_PERCENT = 10;
/** Nobody else waits for the event loop of a command: its whole heap is collected while it works. */
const COLLECT_EVERY_MS = 1000;

/** Imports a file and writes its results. True when every row has one. */
async function importFile(
  opened: EmailImportsForCommandLine,
  file: string,
  options: Options,
): Promise<boolean> {
  limitHeapGrowth(HEAP_GROWING_PERCENT);
  collectHeap();
  const resultFile = options.result ?? `${file.replace(/\.(csv|tsv|txt)$/i, '')}.results.csv`;
  const progressFile = `${file}.email-import.json`;
  if (new Set([file, resultFile, progressFile].map((name) => path.resolve(name))).size < 3)
    throw invalidInput('--result: must be another file than the table and its progress');
  const { size } = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw invalidInput(`${JSON.stringify(path.basename(file))} cannot be read (${error.code})`);
  });
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  const lock = await lockProgress(progressFile);
  try {
    const importId = await findProgress(opened, progressFile, options.restart === true);
    const found = await receiveAndWork(opened, file, size, importId, options, stop.signal);
    const { badRows, status } = found;
    const problems =
      badRows > 0 ? await opened.imports.problems(opened.viewer, importId, null, SHOWN_PROBLEMS) : [];
    if (status === 'completed') await writeResult(opened, importId, resultFile, options.bom === true);
    report(found, problems, file, resultFile, options.json === true);
    return status === 'completed' && badRows === 0;
  } catch (error) {
    // Nothing was stored of a file that cannot be used: the next run begins anew.
    if (error instanceof AppError && error.kind === 'invalid_input') await forgetUnused(opened, progressFile);
    throw error;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    await lock.remove();
  }
}

/** The id of the import that an earlier run began, else of a new one. */
async function findProgress(
  { viewer }: EmailImportsForCommandLine,
  progressFile: string,
  isRestart: boolean,
): Promise<string> {
  const { projectId } = viewer.project;
  const saved = isRestart ? null : await readProgress(progressFile);
  if (saved && saved.project_id !== projectId)
    throw invalidInput(
      `--project: the file is being imported into ${saved.project_id}. --restart imports it anew`,
    );
  if (saved) return saved.import_id;
  const progress: Progress = { version: 1, project_id: projectId, import_id: newId() };
  const temporary = `${progressFile}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(progress)}\n`, { flush: true });
  await rename(temporary, progressFile);
  return progress.import_id;
}

async function readProgress(file: string): Promise<Progress | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  try {
    const progress = JSON.parse(text) as Progress;
    if (progress.version === 1 && isUuid(progress.import_id)) return progress;
  } catch {}
  throw invalidInput(
    `${JSON.stringify(path.basename(file))} is not the progress of an import. --restart overwrites it`,
  );
}

async function forgetUnused(opened: EmailImportsForCommandLine, progressFile: string): Promise<void> {
  const saved = await readProgress(progressFile).catch(() => null);
  if (saved && (await findImport(opened, saved.import_id)) === null) await rm(progressFile, { force: true });
}

function findImport(
  { imports, viewer }: EmailImportsForCommandLine,
  id: string,
): Promise<EmailImport | null> {
  return imports.findOrNull(viewer, id);
}

/** Stores the rows of the file and completes their checks beside, until all are or the signal aborts. */
async function receiveAndWork(
  opened: EmailImportsForCommandLine,
  file: string,
  size: number,
  importId: string,
  options: Options,
  signal: AbortSignal,
): Promise<EmailImport> {
  const line = createProgressLine();
  const sent = { bytes: 0, isDone: false };
  const done = new AbortController();
  const ends = AbortSignal.any([signal, done.signal]);
  const showing = showProgress(opened, importId, sent, size, line, ends);
  // The first batch is worked on while the others are read.
  const working = workUntilReceived(opened, sent, ends);
  working.catch(() => {});
  const collecting = setInterval(collectHeap, COLLECT_EVERY_MS);
  const onAbort = () => void opened.close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const source = {
      chunks: untilAborted(createReadStream(file), signal),
      onProgress: ({ bytes }: { bytes: number }) => {
        sent.bytes = bytes;
      },
    };
    const known = await findImport(opened, importId);
    const { imports, viewer } = opened;
    if (known) await imports.resume(viewer, newId(), importId, source);
    else await imports.start(viewer, newId(), source, { ...optionsOf(options, file), importId });
    sent.isDone = true;
    await working;
    await workUntilCompleted(opened, importId, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    done.abort();
    clearInterval(collecting);
    signal.removeEventListener('abort', onAbort);
    await Promise.allSettled([working, showing]);
    line.clear();
  }
  const found = await findImport(opened, importId);
  if (!found) throw invalidInput('Stopped before anything was stored: the same command starts again');
  return found;
}

async function* untilAborted(chunks: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}

async function workUntilReceived(
  opened: EmailImportsForCommandLine,
  sent: { isDone: boolean },
  signal: AbortSignal,
): Promise<void> {
  while (!sent.isDone && !signal.aborted) {
    await opened.work();
    await delay(20);
  }
}

/** Another process may have some of the rows, for as long as it lives. */
async function workUntilCompleted(
  opened: EmailImportsForCommandLine,
  importId: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await opened.work();
    if ((await opened.imports.find(opened.viewer, importId)).status === 'completed') return;
    await delay(POLL_MS, undefined, { signal });
  }
}

async function showProgress(
  opened: EmailImportsForCommandLine,
  importId: string,
  sent: { bytes: number; isDone: boolean },
  size: number,
  line: ReturnType<typeof createProgressLine>,
  signal: AbortSignal,
): Promise<void> {
  if (!process.stderr.isTTY) return;
  const startedAt = performance.now();
  let atStart: number | null = null;
  while (!signal.aborted) {
    const found = await findImport(opened, importId);
    if (found) {
      const { completedCount, rowsReceived, badRows } = found;
      atStart ??= completedCount;
      const total = sent.isDone ? rowsReceived : (rowsReceived * size) / Math.max(1, sent.bytes);
      const rate = ((completedCount - atStart) * 1000) / (performance.now() - startedAt);
      line.show(
        `${bar(completedCount / Math.max(1, total))} ${counted(completedCount, 'row')}, ${count(Math.round(rate))} a second` +
          (badRows > 0 ? `, ${count(badRows)} bad` : ''),
      );
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

const BAR_LENGTH = 24;

function bar(share: number): string {
  const full = Math.round(Math.min(1, share) * BAR_LENGTH);
  const percent = `${Math.floor(Math.min(1, share) * 100)} %`.padStart(5);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_LENGTH - full)}] ${percent}`;
}

function optionsOf(options: Options, file: string): ImportOptions {
  const columns = Object.fromEntries(COLUMN_ROLES.map((role) => [role, options[`${role}Column`]]));
  return {
    name: options.name ?? path.basename(file).slice(0, 200),
    // Without --no-header the file decides.
    columns: { ...columns, ...(options.header ? {} : { hasHeader: false }) },
    encoding: parseEncoding(options.encoding ?? ''),
    delimiter: parseDelimiter(options.delimiter ?? ''),
    emitsEach: options.emitEach === true,
    identityIntelligence: options.identityIntelligence === true,
  };
}

/** Whole or not at all: a file of this name is replaced when the results are written. */
async function writeResult(
  { imports, viewer }: EmailImportsForCommandLine,
  importId: string,
  file: string,
  bom: boolean,
): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const lines = await imports.result(viewer, importId, { bom });
    await pipeline(Readable.from(lines, { highWaterMark: 1 }), createWriteStream(temporary, { flush: true }));
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw invalidInput(`${JSON.stringify(path.basename(file))} cannot be written (${code})`);
  }
}

function report(
  found: EmailImport,
  problems: readonly ImportProblem[],
  file: string,
  resultFile: string,
  isJson: boolean,
): void {
  const isCompleted = found.status === 'completed';
  if (isJson) {
    const shown = problems.map(({ line, code, message }) => ({ line, code, message }));
    printJson({
      ...presentImport(found),
      problems: shown,
      result_file: isCompleted ? resultFile : null,
    });
    return;
  }
  for (const line of linesOf(found, problems)) print(line);
  if (isCompleted) print(`Results: ${resultFile}`);
  else print(`Stopped: the same command continues ${JSON.stringify(path.basename(file))} from there.`);
}

function linesOf(
  { rowsReceived, completedCount, badRows, description }: EmailImport,
  problems: readonly ImportProblem[],
): string[] {
  const more = badRows - problems.length;
  const isOtherEncoding =
    description.encoding === 'utf-8' && problems.some(({ code }) => code === 'invalid_encoding');
  return [
    `${count(completedCount - badRows)} of ${counted(rowsReceived, 'row')} checked${badRows > 0 ? `, ${count(badRows)} bad:` : ''}`,
    ...problems.map(({ line, code, message }) => `  line ${line}: ${message} (${code})`),
    ...(more > 0 ? [`  and ${count(more)} more: the results list all of them in the column error`] : []),
    ...(isOtherEncoding ? ['The file is not in UTF-8: try --restart --encoding windows-1252.'] : []),
  ];
}

/* Reading */

async function listImports({ imports, viewer }: EmailImportsForCommandLine, isJson: boolean): Promise<void> {
  const found = await imports.list(viewer, null, 100);
  if (isJson) return printJson(found.map(presentImport));
  if (found.length === 0) print('No imports.');
  for (const { importId, status, rowsReceived, completedCount, badRows, createdAt, description } of found) {
    const progress = `${count(completedCount)} of ${count(rowsReceived)}, ${count(badRows)} bad`;
    print(
      `${importId}  ${createdAt.toISOString().slice(0, 16)}Z  ${status.padEnd(10)}  ${progress.padEnd(30)}  ${description.name}`,
    );
  }
}

async function showImport(
  { imports, viewer }: EmailImportsForCommandLine,
  importId: string,
  isJson: boolean,
): Promise<void> {
  const found = await imports.find(viewer, importId);
  const problems = await imports.problems(viewer, importId, null, isJson ? 1000 : SHOWN_PROBLEMS);
  if (isJson)
    return printJson({
      ...presentImport(found),
      problems: problems.map(({ line, code, message }) => ({ line, code, message })),
    });
  print(`${found.description.name || found.importId}: ${found.status}`);
  for (const line of linesOf(found, problems)) print(line);
}
