import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { AuthenticateAccount } from '@vouchgraph/decisions';
import { AppError, type ErrorKind, invalidInput } from '@vouchgraph/platform/errors';
import { accountOfRecord } from './account-record.ts';
import { lockProgress } from './import-lock-store.ts';
import {
  type ImportProgress,
  identifySource,
  importConflict,
  isSameSource,
  nameOf,
  readProgress,
  writeProgress,
} from './import-progress.ts';
import { createOrderedWrites } from './ordered-writes.ts';
import { openProblems, type ProblemsFile } from './problems-file.ts';
import { FILE_START, type ImportFormat, type ReadRecord, readRecords } from './read-records.ts';
import { createSeenIds, type SeenIds } from './seen-ids.ts';

export type ImportOptions = {
  file: string;
  format: ImportFormat;
  /** Target of the import, such as a project's id. Progress of another target is rejected. */
  target?: string;
  /** File that stores the progress. */
  progressFile: string;
  /** File that lists rejected lines. */
  problemsFile: string;
  /** Maximum number of concurrent writes. */
  concurrency?: number;
  /** Discards the progress of earlier runs. */
  restart?: boolean;
  /** Stores an account. An AppError about the account rejects the line; any other error stops the import. */
  write: (input: AuthenticateAccount) => Promise<void>;
  onProgress?: (progress: { bytes: number; totalBytes: number; imported: number; rejected: number }) => void;
  /** Stops the import, which can be continued later. */
  signal?: AbortSignal;
};

export type ImportTotals = {
  /** Number of stored lines, including repeated accounts. */
  imported: number;
  /** Number of lines in the problems file. */
  rejected: number;
  /** Number of stored lines whose account is in an earlier line. */
  repeated: number;
  state: 'finished' | 'stopped' | 'finished_before';
};

const SAVE_EVERY_MS = 1000;
const PROBLEMS_IN_MEMORY = 5000;

/** Errors about the line. Other errors, such as an unavailable database, would also fail the following lines. */
const REFUSALS: readonly ErrorKind[] = ['invalid_input', 'not_found', 'conflict', 'unprocessable'];

/**
 * Imports a file of accounts, and continues where an earlier run of the same file stopped. After a crash, lines after the last
 * saved position are written again. This is idempotent: lines set values without counting, and the lines of an account are
 * written again in order, so that the last one wins as before.
 */
export async function importAccounts(options: ImportOptions): Promise<ImportTotals> {
  await assertOtherFiles(options);
  const lock = await lockProgress(options.progressFile);
  try {
    const progress = await findProgress(options);
    if (progress.is_finished) return totalsOf(progress, 'finished_before');
    return await importFrom(progress, options);
  } finally {
    await lock.remove();
  }
}

/** Progress and problems are overwritten: wrongly ordered arguments must not overwrite the accounts. */
async function assertOtherFiles({ file, progressFile, problemsFile }: ImportOptions): Promise<void> {
  const paths = [file, progressFile, problemsFile];
  const real = await Promise.all(paths.map((name) => realpath(name).catch(() => path.resolve(name))));
  if (new Set(real).size < real.length) {
    throw invalidInput('The files of accounts, progress and problems must differ');
  }
}

async function findProgress(options: ImportOptions): Promise<ImportProgress> {
  const { file, format, progressFile, target = '' } = options;
  const source = await identifySource(file).catch((error: NodeJS.ErrnoException) => {
    throw invalidInput(`${nameOf(file)} cannot be read (${error.code})`);
  });
  const saved = options.restart ? null : await readProgress(progressFile);
  if (saved === null) return newProgress(source, format, target);
  const difference = differenceOf(saved, { source, format, target });
  if (difference === null) return saved;
  throw importConflict(
    `${nameOf(progressFile)} is the progress of ${difference}. --restart imports ${nameOf(file)} from its beginning`,
  );
}

function newProgress(source: ImportProgress['source'], format: ImportFormat, target: string): ImportProgress {
  const counts = { imported: 0, rejected: 0, repeated: 0 };
  return { version: 1, target, format, source, next: FILE_START, ...counts, is_finished: false };
}

function differenceOf(
  saved: ImportProgress,
  { source, format, target }: Pick<ImportProgress, 'source' | 'format' | 'target'>,
): string | null {
  if (!isSameSource(saved.source, source)) return 'another file, or of this one before it was changed';
  if (saved.target !== target) return 'an import into another project';
  return saved.format === format ? null : `an import as ${saved.format}`;
}

function totalsOf(
  { imported, rejected, repeated }: ImportProgress,
  state: ImportTotals['state'],
): ImportTotals {
  return { imported, rejected, repeated, state };
}

async function importFrom(progress: ImportProgress, options: ImportOptions): Promise<ImportTotals> {
  const problems = await openProblems(options.problemsFile, progress.next.line);
  try {
    const seen = await seenBefore(progress, options);
    const isWhole = await importLines(progress, problems, seen, options);
    return totalsOf(progress, isWhole ? 'finished' : 'stopped');
  } finally {
    await problems.close();
  }
}

/** Ids of the completed lines, so that `repeated` does not depend on interruptions. */
async function seenBefore({ next }: ImportProgress, options: ImportOptions): Promise<SeenIds> {
  const seen = createSeenIds();
  if (next.line === 1) return seen;
  for await (const read of readRecords(options.file, options.format)) {
    if (read.line >= next.line || options.signal?.aborted) break;
    const { input } = lineOf(read, options.format);
    if (input) seen.add(input.id);
  }
  return seen;
}

type Line = Pick<ReadRecord, 'line' | 'next'> & { input?: AuthenticateAccount; problem?: string };

function lineOf(read: ReadRecord, format: ImportFormat): Line {
  const { line, next } = read;
  return { line, next, ...('problem' in read ? read : accountOfRecord(read.record, format)) };
}

/** Imports the rest of the file, and saves the progress in any case. True at the end of the file. */
async function importLines(
  progress: ImportProgress,
  problems: ProblemsFile,
  seen: SeenIds,
  options: ImportOptions,
): Promise<boolean> {
  const { file, format, concurrency = 8, signal, write } = options;
  const repeated = new Set<number>();
  const writes = createOrderedWrites<Line>({
    concurrency,
    write: (line) => writeLine(line, write),
    done: (line) => countLine(line, repeated.delete(line.line), progress, problems),
  });
  const stop = () => writes.stop();
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  const saver = createSaver(progress, problems, options);
  try {
    for await (const read of readRecords(file, format, progress.next)) {
      const line = lineOf(read, format);
      if (line.input && seen.add(line.input.id)) repeated.add(line.line);
      if (!(await writes.add(line, line.input?.id ?? null))) break;
      await saver.saveWhenDue();
    }
    await writes.settle();
    if (signal?.aborted) return false;
    await assertUnchanged(progress, file);
    progress.next = { ...progress.next, byte: progress.source.bytes };
    progress.is_finished = true;
    return true;
  } finally {
    signal?.removeEventListener('abort', stop);
    writes.stop();
    await writes.settle().catch(() => {});
    await saver.save();
  }
}

async function writeLine(line: Line, write: ImportOptions['write']): Promise<void> {
  try {
    await write(line.input!);
  } catch (error) {
    if (!(error instanceof AppError) || !REFUSALS.includes(error.kind)) throw error;
    line.problem = error.message;
  }
}

function countLine(
  { line, next, problem }: Line,
  isRepeated: boolean,
  progress: ImportProgress,
  problems: ProblemsFile,
): void {
  progress.next = next;
  if (problem !== undefined) {
    progress.rejected += 1;
    problems.add(line, problem);
    return;
  }
  progress.imported += 1;
  if (isRepeated) progress.repeated += 1;
}

/**
 * Saves problems before the progress: a rejected line that counts as done must be in the problems file. Lines that are done
 * meanwhile belong to the next save.
 */
function createSaver(progress: ImportProgress, problems: ProblemsFile, options: ImportOptions) {
  let savedAt = performance.now();
  async function save(): Promise<void> {
    savedAt = performance.now();
    const saved = { ...progress };
    await problems.flush();
    await writeProgress(options.progressFile, saved);
    const { imported, rejected, source, next } = saved;
    options.onProgress?.({ bytes: next.byte, totalBytes: source.bytes, imported, rejected });
  }
  async function saveWhenDue(): Promise<void> {
    if (performance.now() - savedAt >= SAVE_EVERY_MS) await save();
    else if (problems.waiting >= PROBLEMS_IN_MEMORY) await problems.flush();
  }
  return { save, saveWhenDue };
}

async function assertUnchanged({ source }: ImportProgress, file: string): Promise<void> {
  if (isSameSource(source, await identifySource(file))) return;
  throw importConflict(
    `${nameOf(file)} was changed while it was read. --restart imports it from its beginning`,
  );
}
