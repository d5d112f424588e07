import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { lockProgress } from '../../../domain/accounts/import/import-lock-store.ts';
import { COLUMN_ROLES, type ColumnRole } from '../../../domain/email-checks/import/column-names.ts';
import { parseDelimiter } from '../../../domain/email-checks/import/detect-dialect.ts';
import type { EmailImport } from '../../../domain/email-checks/import/import-record.ts';
import type { ImportOptions } from '../../../domain/email-checks/import/import-service.ts';
import { parseEncoding } from '../../../domain/email-checks/import/text-encoding.ts';
import { AppError, OperatorError } from '../../../platform/errors.ts';
import { collectHeap, limitHeapGrowth } from '../../../platform/heap.ts';
import { newId } from '../../../platform/ids.ts';
import { pageAfter } from '../../../platform/keyset.ts';
import { count, counted } from '../../support/counted.ts';
import { createProgressLine } from '../../support/progress-line.ts';
import { UsageError } from '../../support/usage-error.ts';
import type { CommandImports } from './open-imports.ts';
import { findProgress, removeUnused } from './progress-file.ts';
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

/** How often progress is shown, and rows that another process works on are waited for. */
const POLL_MS = 250;
/** Growth of the heap between two collections of its old part. */
const HEAP_GROWING_PERCENT = 10;
/** A command shares its event loop with no other request: its whole heap is collected while it works. */
const COLLECT_EVERY_MS = 1000;

/** Imports a file and writes its results. True when every row has one. */
export async function importFile(
  opened: CommandImports,
  file: string,
  options: ImportFileOptions,
): Promise<boolean> {
  limitHeapGrowth(HEAP_GROWING_PERCENT);
  collectHeap();
  const resultFile = options.result ?? `${file.replace(/\.(csv|tsv|txt)$/i, '')}.results.csv`;
  const progressFile = `${file}.email-import.json`;
  if (new Set([file, resultFile, progressFile].map((name) => path.resolve(name))).size < 3)
    throw new UsageError('--result: must be another file than the table and its progress', 'result');
  const { size } = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError(`${JSON.stringify(path.basename(file))} cannot be read (${error.code})`);
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
      badRows > 0
        ? await opened.imports.problems(opened.viewer, importId, pageAfter(null, SHOWN_PROBLEMS))
        : [];
    if (status === 'completed') await writeResult(opened, importId, resultFile, options.bom === true);
    reportImport(found, problems, file, resultFile, options.json === true);
    return status === 'completed' && badRows === 0;
  } catch (error) {
    // Nothing was stored of an unusable file: the next run starts from the beginning.
    if (error instanceof AppError && error.kind === 'invalid_input') await removeUnused(opened, progressFile);
    throw error;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    await lock.remove();
  }
}

function findImport({ imports, viewer }: CommandImports, id: string): Promise<EmailImport | null> {
  return imports.findOrNull(viewer, id);
}

/** Stores the rows of the file and concurrently completes their checks, until all are done or the signal aborts. */
async function receiveAndWork(
  opened: CommandImports,
  file: string,
  size: number,
  importId: string,
  options: ImportFileOptions,
  signal: AbortSignal,
): Promise<EmailImport> {
  const line = createProgressLine();
  const sent = { bytes: 0, isDone: false };
  const done = new AbortController();
  const ends = AbortSignal.any([signal, done.signal]);
  const showing = showProgress(opened, importId, sent, size, line, ends);
  // The first batch is processed while the others are read.
  const working = workUntilReceived(opened, sent, ends);
  working.catch(() => {});
  const collecting = setInterval(collectHeap, COLLECT_EVERY_MS);
  const onAbort = () => void opened.stop();
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
  if (!found)
    throw new OperatorError('Stopped before anything was stored: run the same command to start again');
  return found;
}

async function* untilAborted(chunks: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}

async function workUntilReceived(
  opened: CommandImports,
  sent: { isDone: boolean },
  signal: AbortSignal,
): Promise<void> {
  while (!sent.isDone && !signal.aborted) {
    await opened.work();
    await delay(20);
  }
}

/** Another process may hold some of the rows while it runs. */
async function workUntilCompleted(
  opened: CommandImports,
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
  opened: CommandImports,
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
