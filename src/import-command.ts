import path from 'node:path';
import type { ProjectForCommandLine } from './app.ts';
import { type ImportTotals, importAccounts } from './domain/accounts/import/import-accounts.ts';
import { IMPORT_FORMATS, type ImportFormat } from './domain/accounts/import/read-records.ts';
import { invalidInput } from './platform/errors.ts';
import { newId } from './platform/ids.ts';
import { createProgressLine } from './progress-line.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const count = (value: number) => value.toLocaleString('en');

type ImportCommand = {
  format?: ImportFormat;
  concurrency: number;
  restart?: boolean;
  json?: boolean;
  signal: AbortSignal;
};

/** Imports accounts and recalculates their links. True when every line of the file was imported. */
export async function runImport(
  { viewer, accounts, settle }: ProjectForCommandLine,
  file: string,
  { format = formatOf(file), concurrency, restart, json, signal }: ImportCommand,
): Promise<boolean> {
  const line = createProgressLine();
  const startedAt = performance.now();
  const problemsFile = `${file}.problems.ndjson`;
  const requestId = newId();
  let atStart: number | null = null;
  const totals = await importAccounts({
    file,
    format,
    target: viewer.project.projectId,
    progressFile: `${file}.progress.json`,
    problemsFile,
    concurrency,
    restart,
    signal,
    write: (account) => accounts.importAccount(viewer, requestId, account),
    onProgress: ({ bytes, totalBytes, imported, refused }) => {
      atStart ??= imported;
      const seconds = (performance.now() - startedAt) / 1000;
      line.show(
        `${bar(bytes / Math.max(1, totalBytes))} ${count(imported)} accounts, ` +
          `${count(Math.round((imported - atStart) / seconds))} a second${refused > 0 ? `, ${count(refused)} refused` : ''}`,
      );
    },
  });
  line.clear();
  if (totals.state !== 'stopped') await settle();
  if (json)
    print(JSON.stringify({ ...totals, problems_file: totals.refused > 0 ? problemsFile : null }, null, 2));
  else for (const text of linesOf(totals, file, problemsFile)) print(text);
  return totals.state !== 'stopped' && totals.refused === 0;
}

function formatOf(file: string): ImportFormat {
  const end = path.extname(file).slice(1).toLowerCase();
  const format = IMPORT_FORMATS.find((each) => each === end);
  if (format) return format;
  throw invalidInput(`--format: required where the file name does not end in ${IMPORT_FORMATS.join(' or ')}`);
}

const BAR_LENGTH = 24;

function bar(share: number): string {
  const full = Math.round(share * BAR_LENGTH);
  const percent = `${Math.round(share * 100)} %`.padStart(5);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_LENGTH - full)}] ${percent}`;
}

function linesOf(totals: ImportTotals, file: string, problemsFile: string): string[] {
  const { imported, refused, repeated, state } = totals;
  const name = path.basename(file);
  const sums = [
    `${count(imported)} lines imported${repeated > 0 ? `, ${count(repeated)} of them of accounts that came before` : ''}`,
    ...(refused > 0 ? [`${count(refused)} refused: reasons in ${problemsFile}`] : []),
  ];
  if (state === 'finished_before')
    return [`${name} was imported before; --restart imports it again.`, ...sums];
  if (state === 'stopped') return [...sums, `Stopped: the same command continues from there.`];
  return [...sums, 'Links are computed.'];
}
