import path from 'node:path';
import { systemClock } from '@vouchgraph/platform/clock';
import { newId } from '@vouchgraph/platform/ids';
import { abortOnSignal, count, createProgressLine, print, printJson, UsageError } from '@vouchgraph/terminal';
import type { Command } from 'commander';
import type { ImportTotals } from '../domain/accounts/import/import-accounts.ts';
import { IMPORT_FORMATS, type ImportFormat } from '../domain/accounts/import/read-records.ts';
import type { Viewer } from '../domain/projects/access-service.ts';
import { JSON_OPTION, oneOf, wholeBetween } from './support/arguments.ts';
import { inLocalProject, type LocalProject, localProjectCommand } from './support/project-command.ts';

/** As in domain/accounts/import-account-service.ts, which the help must not load. */
const ACCOUNTS_IN_BATCH = 50;

/** One for the batch, and others for accounts that are changed one by one. */
const CONNECTIONS_OF_BATCH = 2;

const IMPORT_HELP = `
Fields, as keys of NDJSON or columns of CSV; other fields are ignored:
  id                  required
  email, phone, first_name, last_name, username, group
  date_of_birth       YYYY-MM-DD
  identifiers         id numbers. CSV: type:country:value, separated by |, such as passport:DE:C01X00T47
  expected_countries  ISO 3166-1 alpha-2. CSV: separated by |
  lists               names of lists. CSV: separated by |
  metadata            JSON object
An empty cell of CSV leaves the field unchanged. docs/accounts.md describes the fields.

The import works on the local database only: the API of a gateway accepts one account at a time.

Examples:
  vouchgraph import accounts PROJECT_ID accounts.ndjson
  vouchgraph import accounts accounts.csv --concurrency 8 --json`;

/** Registers `import`. */
export function addImportCommand(program: Command): void {
  localProjectCommand(
    program.command('import').description('import data of another system'),
    'accounts',
    'import accounts from a file and link them; a stopped import continues; exit code 1 if it was stopped or lines ' +
      'were rejected',
  )
    .argument('<file>', 'accounts, one per line: .ndjson, or .csv with a header')
    .option(
      '-f, --format <format>',
      IMPORT_FORMATS.join(', ') + '; by the extension of the file by default',
      oneOf(IMPORT_FORMATS),
    )
    .option(
      '-c, --concurrency <number>',
      `number of concurrent batches, each of ${ACCOUNTS_IN_BATCH} accounts`,
      wholeBetween(1, 64),
      3,
    )
    .option('--restart', 'start at the first line, even if a part was already imported')
    .option(...JSON_OPTION)
    .addHelpText('after', IMPORT_HELP)
    .action(inLocalProject(connectionsOf, runImport));
}

type ImportCommand = { format?: ImportFormat; concurrency: number; restart?: boolean; json?: boolean };

/** Imports accounts and recalculates their links; exit code 1 unless every line of the file was imported. */
async function runImport(
  { viewer, storage: { connectionString } }: LocalProject,
  options: ImportCommand,
  file: string,
): Promise<void> {
  const totals = await importFile(viewer, connectionString, { file, ...options }, abortOnSignal());
  const problemsFile = problemsFileOf(file);
  if (options.json) printJson({ ...totals, problems_file: totals.rejected > 0 ? problemsFile : null });
  else for (const text of linesOf(totals, file, problemsFile)) print(text);
  if (totals.state === 'stopped' || totals.rejected > 0) process.exitCode = 1;
}

const connectionsOf = ({ concurrency }: ImportCommand) => concurrency * CONNECTIONS_OF_BATCH + 1;

const problemsFileOf = (file: string) => `${file}.problems.ndjson`;

async function importFile(
  viewer: Viewer,
  connectionString: string,
  { file, format = formatOf(file), concurrency, restart }: ImportCommand & { file: string },
  signal: AbortSignal,
): Promise<ImportTotals> {
  const { openAccounts } = await import('./support/open-accounts.ts');
  const { importAccounts } = await import('../domain/accounts/import/import-accounts.ts');
  const { recalculateLinks } = await import('../domain/linking/recalculation-worker.ts');
  const { keepTableStatistics } = await import('../storage/table-statistics.ts');
  const statistics = keepTableStatistics(connectionString, FILLED_TABLES);
  const accounts = openAccounts();
  const line = createProgressLine();
  const startedAt = performance.now();
  const requestId = newId();
  let atStart: number | null = null;
  const totals = await importAccounts({
    file,
    format,
    target: viewer.project.projectId,
    progressFile: `${file}.progress.json`,
    problemsFile: problemsFileOf(file),
    // Four times as many as the batches: some wait for a running batch that has an identifier in common with them.
    concurrency: 4 * concurrency * ACCOUNTS_IN_BATCH,
    restart,
    signal,
    write: accounts.openImport(viewer, requestId, { batches: concurrency }),
    onProgress: ({ bytes, totalBytes, imported, rejected }) => {
      atStart ??= imported;
      statistics.noteRows(imported);
      const seconds = (performance.now() - startedAt) / 1000;
      line.show(
        `${bar(bytes / Math.max(1, totalBytes))} ${count(imported)} accounts, ` +
          `${count(Math.round((imported - atStart) / seconds))} a second${rejected > 0 ? `, ${count(rejected)} rejected` : ''}`,
      );
    },
  });
  line.clear();
  await statistics.finish();
  if (totals.state !== 'stopped') await recalculateLinks(viewer.project, systemClock);
  return totals;
}

function formatOf(file: string): ImportFormat {
  const end = path.extname(file).slice(1).toLowerCase();
  const format = IMPORT_FORMATS.find((each) => each === end);
  if (format) return format;
  throw new UsageError(
    `--format: required if the file name does not end in ${IMPORT_FORMATS.join(' or ')}`,
    'format',
  );
}

/** Tables whose row counts determine the query plans of an import. */
const FILLED_TABLES = [
  'accounts',
  'identifiers',
  'links',
  'account_standing',
  'link_recalculations',
  'identity_recalculations',
];

const BAR_LENGTH = 24;

function bar(share: number): string {
  const full = Math.round(share * BAR_LENGTH);
  const percent = `${Math.round(share * 100)} %`.padStart(5);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_LENGTH - full)}] ${percent}`;
}

function linesOf(totals: ImportTotals, file: string, problemsFile: string): string[] {
  const { imported, rejected, repeated, state } = totals;
  const name = path.basename(file);
  const sums = [
    `${count(imported)} lines imported${repeated > 0 ? `, ${count(repeated)} of them for an account of an earlier line` : ''}`,
    ...(rejected > 0 ? [`${count(rejected)} rejected: see ${problemsFile}`] : []),
  ];
  if (state === 'finished_before')
    return [
      `${name} was already imported: nothing was done. --restart imports it again.`,
      ...sums.map((sum) => `Earlier: ${sum}`),
    ];
  if (state === 'stopped') return [...sums, `Stopped: run the same command to continue.`];
  return [...sums, 'Links are computed.'];
}
