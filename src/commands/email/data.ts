import type { EmailDataReport } from '@vouchgraph/email/data-commands';
import { DATA_FORMATS, type DataFormat } from '@vouchgraph/email/data-formats';
import { PROVIDER_KINDS, type ProviderKind } from '@vouchgraph/email/provider';
import { count, counted, createProgressLine, noneText, print, printJson } from '@vouchgraph/terminal';
import { type Command, Option } from 'commander';
import { JSON_OPTION } from '../support/arguments.ts';
import { loadConfig } from '../support/with-database.ts';

type AddOptions = {
  kind: ProviderKind;
  format: DataFormat;
  asOf?: string;
  breach?: string;
  breachDate?: string;
  trustWeight?: string;
  country?: string;
  industry?: string;
  service?: string;
  replace?: boolean;
  json?: boolean;
};

/** Registers `email data`. */
export function addEmailDataCommand(email: Command): void {
  const data = email
    .command('data')
    .description('import breaches and profiles from files of hashed addresses');
  data
    .command('add')
    .description('import a file of SHA-1 or SHA-256 digests of addresses; a sorted copy is stored')
    .argument('<name>', 'name of the data')
    .argument('<file>', 'the file; for ranges a file or a folder')
    .addOption(
      new Option('-k, --kind <kind>', 'content of the file').choices(PROVIDER_KINDS).makeOptionMandatory(),
    )
    .addOption(
      new Option('-f, --format <format>', 'format of the file').choices(DATA_FORMATS).makeOptionMandatory(),
    )
    .option('--as-of <date>', 'date of the data, such as 2026-11-20')
    .option('--breach <name>', 'breaches: name of the breach; the name of the data by default')
    .option('--breach-date <date>', 'breaches: date of the breach')
    .option('--trust-weight <share>', 'breaches: reliability of the breach, 0 to 1; 0.7 by default')
    .option('--country <code>', 'breaches: country of the breached service, such as DE')
    .option('--industry <text>', 'breaches: industry of the breached service')
    .option('--service <name>', 'profiles: name of the service; the name of the data by default')
    .option('--replace', 'replace data of the same name')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
Examples:
  vouchgraph email data add leaked-2026 digests.txt --kind breaches --format hashes --as-of 2026-11-20
  vouchgraph email data add forum members.txt --kind profiles --format hashes --service forum.example`,
    )
    .action(addData);
  data
    .command('list')
    .description('list imported data; exit code 1 if some data cannot be read')
    .argument('[name]', 'name of the data; all by default')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph email data list leaked-2026')
    .action(listData);
  data
    .command('remove')
    .description('remove imported data')
    .argument('<name>', 'name of the data')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph email data remove leaked-2026')
    .action(removeData);
}

const loadDataCommands = () => import('@vouchgraph/email/data-commands');

async function dataFolder(): Promise<string> {
  return (await loadConfig()).emailDataDir;
}

async function addData(name: string, file: string, options: AddOptions): Promise<void> {
  const { addEmailData } = await loadDataCommands();
  const folder = await dataFolder();
  const line = createProgressLine();
  const report = addEmailData(folder, {
    name,
    file,
    kind: options.kind,
    format: options.format,
    as_of: options.asOf,
    breach: options.breach,
    breach_date: options.breachDate,
    trust_weight: options.trustWeight === undefined ? undefined : Number(options.trustWeight),
    country: options.country,
    industry: options.industry,
    service: options.service,
    replace: options.replace,
    onProgress: (read, total) => line.show(progressText(read, total)),
  });
  line.clear();
  if (options.json) {
    printJson(report);
    return;
  }
  printReport(report);
  print('A running gateway uses the data within 3 seconds.');
}

function progressText(read: number, total: number): string {
  return read < total ? `read ${count(Math.floor((100 * read) / total))} %` : 'sorting';
}

async function listData(name: string | undefined, options: { json?: boolean }): Promise<void> {
  const { listEmailData } = await loadDataCommands();
  const reports = await listEmailData(await dataFolder(), name);
  if (options.json) printJson(reports);
  else for (const report of reports) printReport(report);
  if (!options.json && reports.length === 0) print(noneText('email data'));
  if (reports.some(({ error }) => error !== null)) process.exitCode = 1;
}

async function removeData(name: string, options: { json?: boolean }): Promise<void> {
  const { removeEmailData } = await loadDataCommands();
  await removeEmailData(await dataFolder(), name);
  if (options.json) return printJson({ name, removed: true });
  print(`Removed ${name}; a running gateway stops using it within 3 seconds.`);
}

function printReport(report: EmailDataReport): void {
  if (report.error !== null) {
    print(
      `${report.name}: CANNOT BE READ, ${report.error}; a running gateway continues to use the earlier data`,
    );
    return;
  }
  const counts = [
    [report.rows, 'row', 'rows'],
    [report.sha1_hashes, 'SHA-1 hash', 'SHA-1 hashes'],
    [report.sha256_hashes, 'SHA-256 hash', 'SHA-256 hashes'],
    [report.bad_lines, 'bad line', 'bad lines'],
    [report.bad_values, 'unreadable value', 'unreadable values'],
    [report.padding_lines, 'line of padding', 'lines of padding'],
  ] as const;
  const shown = counts
    .filter(([number]) => number !== 0)
    .map(([number, one, many]) => counted(number, one, many));
  const date = report.as_of === null ? 'without a date' : `as of ${report.as_of}`;
  print(`${report.name}: ${report.kind} (${report.format}), ${date}; ${shown.join(', ')}`);
  for (const { file, line, reason } of report.examples)
    print(`    ${file === undefined ? '' : `${file}, `}line ${line}: ${reason}`);
}
