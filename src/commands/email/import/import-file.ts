import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { COLUMN_ROLES, type ColumnRole, parseDelimiter, parseEncoding } from '@vouchgraph/email/files';
import { AppError, OperatorError } from '@vouchgraph/platform/errors';
import { collectHeap, limitHeapGrowth } from '@vouchgraph/platform/heap';
import { count, counted, createProgressLine, print, UsageError } from '@vouchgraph/terminal';
import { lockProgress } from '../../../domain/accounts/import/import-lock-store.ts';
import type { ImportOptions } from '../../../domain/email-checks/import/import-service.ts';
import type { ImportAccess, ShownImport } from './import-access.ts';
import { findProgress, removeUnused, saveProgress } from './progress-file.ts';
import { reportImport, SHOWN_PROBLEMS } from './show-import.ts';
import { writeResult } from './write-result.ts';

export type ImportFileOptions = {
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

/** Growth of the heap between two collections of its old part. */
const HEAP_GROWING_PERCENT = 10;
/** A command shares its event loop with no other request: its whole heap is collected while it works. */
const COLLECT_EVERY_MS = 1000;

/** Imports a file and writes its results. True when every row has one. */
export async function importFile(
  imports: ImportAccess,
  file: string,
  options: ImportFileOptions,
): Promise<boolean> {
  limitHeapGrowth(HEAP_GROWING_PERCENT);
  collectHeap();
  const resultFile = options.result ?? `${file.replace(/\.(csv|tsv|txt)$/i, '')}.results.csv`;
  const progressFile = `${file}.email-import.json`;
  if (new Set([file, resultFile, progressFile].map((name) => path.resolve(name))).size < 3)
    throw new UsageError('--result: must be another file than the table and its progress', 'result');
  const size = await sizeOf(file);
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  const lock = await lockProgress(progressFile);
  try {
    const importId = await findProgress(imports, progressFile, options.restart === true);
    const run: Run = { file, size, progressFile, importId, bytes: 0, isReceived: false };
    const isRepeat = (await imports.findOrNull(importId))?.status === 'completed';
    const found = await receiveAndWork(imports, run, options, stop.signal);
    const { bad_rows, status } = found;
    const problems = bad_rows > 0 ? await imports.problems(run.importId, SHOWN_PROBLEMS) : [];
    if (status === 'completed')
      await writeResult(imports, run.importId, resultFile, { bom: options.bom, replace: true });
    if (isRepeat && !options.json)
      print(`${path.basename(file)} was already imported. --restart imports it again.`);
    reportImport(found, problems, file, resultFile, options.json === true);
    return status === 'completed' && bad_rows === 0;
  } catch (error) {
    // Nothing was stored of an unusable file: the next run starts from the beginning.
    if (error instanceof AppError && error.kind === 'invalid_input')
      await removeUnused(imports, progressFile);
    if (error instanceof AppError && error.code === 'email.import_differs')
      throw ofEarlierImport(error, progressFile);
    throw error;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    await lock.remove();
  }
}

/** Names the file that relates this file to the import, and the option that does without it. */
function ofEarlierImport({ code, kind, message }: AppError, progressFile: string): AppError {
  const known = `${path.basename(progressFile)} contains the id of this import`;
  return new AppError(code, kind, `${message}. ${known}; --restart imports the file as a new one`);
}

async function sizeOf(file: string): Promise<number> {
  const unreadable = (code: string | undefined) =>
    new OperatorError(`${JSON.stringify(path.basename(file))} cannot be read (${code})`);
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(error.code);
  });
  if (found.isDirectory()) throw unreadable('EISDIR');
  return found.size;
}

/** An import by this process. */
type Run = {
  readonly file: string;
  readonly size: number;
  readonly progressFile: string;
  importId: string;
  /** Read from the file. */
  bytes: number;
  /** Whether the whole file is stored. */
  isReceived: boolean;
};

/** Stores the rows of the file and concurrently completes their checks, until all are done or the signal aborts. */
async function receiveAndWork(
  imports: ImportAccess,
  run: Run,
  options: ImportFileOptions,
  signal: AbortSignal,
): Promise<ShownImport> {
  const line = createProgressLine();
  const done = new AbortController();
  const ends = AbortSignal.any([signal, done.signal]);
  const showing = showProgress(imports, run, line, ends);
  // The first batch is processed while the others are read.
  const working = workUntilReceived(imports, run, ends);
  working.catch(() => {});
  const collecting = setInterval(collectHeap, COLLECT_EVERY_MS);
  const onAbort = () => void imports.stop();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await receive(imports, run, options, signal);
    await working;
    await workUntilCompleted(imports, run.importId, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    done.abort();
    clearInterval(collecting);
    signal.removeEventListener('abort', onAbort);
    await Promise.allSettled([working, showing]);
    line.clear();
  }
  const found = await imports.findOrNull(run.importId);
  if (!found) throw new OperatorError('Stopped before the file was stored: run the same command to continue');
  return found;
}

async function receive(
  imports: ImportAccess,
  run: Run,
  options: ImportFileOptions,
  signal: AbortSignal,
): Promise<void> {
  const { file, size, progressFile, importId } = run;
  const onProgress = (bytes: number) => {
    run.bytes = bytes;
  };
  const source = { open: () => createReadStream(file), size, signal, onProgress };
  if (await imports.findOrNull(importId)) await imports.resume(importId, source);
  else run.importId = await imports.start(importId, source, optionsOf(options, file));
  if (run.importId !== importId) await saveProgress(imports, progressFile, run.importId);
  run.isReceived = true;
}

async function workUntilReceived(imports: ImportAccess, run: Run, signal: AbortSignal): Promise<void> {
  while (!run.isReceived && !signal.aborted) {
    await imports.work();
    await delay(20);
  }
}

/** Another process may hold some of the rows while it runs. */
async function workUntilCompleted(
  imports: ImportAccess,
  importId: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await imports.work();
    if ((await imports.find(importId)).status === 'completed') return;
    await delay(imports.pollMs, undefined, { signal });
  }
}

async function showProgress(
  imports: ImportAccess,
  run: Run,
  line: ReturnType<typeof createProgressLine>,
  signal: AbortSignal,
): Promise<void> {
  if (!process.stderr.isTTY) return;
  const startedAt = performance.now();
  let atStart: number | null = null;
  while (!signal.aborted) {
    const read = run.bytes / Math.max(1, run.size);
    const found = await imports.findOrNull(run.importId);
    if (found) {
      const { completed_count, rows_received, bad_rows } = found;
      atStart ??= completed_count;
      const total = run.isReceived ? rows_received : rows_received / Math.max(read, Number.EPSILON);
      const rate = ((completed_count - atStart) * 1000) / (performance.now() - startedAt);
      line.show(
        `${bar(completed_count / Math.max(1, total))} ${counted(completed_count, 'row')}, ${count(Math.round(rate))} a second` +
          (bad_rows > 0 ? `, ${count(bad_rows)} bad` : ''),
      );
    } else line.show(`${bar(read)} sent`);
    await delay(imports.pollMs, undefined, { signal }).catch(() => {});
  }
}

const BAR_LENGTH = 24;

function bar(share: number): string {
  const full = Math.round(Math.min(1, share) * BAR_LENGTH);
  const percent = `${Math.floor(Math.min(1, share) * 100)} %`.padStart(5);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_LENGTH - full)}] ${percent}`;
}

function optionsOf(options: ImportFileOptions, file: string): ImportOptions {
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
