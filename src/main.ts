import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import {
  type App,
  createApp,
  type EmailImportsForCommandLine,
  openEmailImportsForCommandLine,
  openForCommandLine,
  openProjectForCommandLine,
  openWebhooksForCommandLine,
  type ProjectForCommandLine,
  StartError,
  type WebhooksForCommandLine,
} from './app.ts';
import { exportAudit, listAudit } from './audit-command.ts';
import { type Config, ConfigError, isStartedByNpm, readConfig } from './config.ts';
import { counted } from './counted.ts';
import { runDemo } from './demo.ts';
import { examine, type Finding, findingLines } from './doctor.ts';
import { IMPORT_FORMATS, type ImportFormat } from './domain/accounts/import/read-records.ts';
import type { AuditSearch } from './domain/audit/audit-store.ts';
import type { CalibrationService } from './domain/calibration/calibration-service.ts';
import { ENVIRONMENTS, type Environment, KEY_ROLES, type KeyRole } from './domain/projects/api-key.ts';
import type { ProjectService } from './domain/projects/project-service.ts';
import type { CalibrationReport } from './domain/signals/assessment/calibration.ts';
import {
  addFeed,
  type FeedReport,
  type NewFeed,
  removeFeed,
  reportFeeds,
} from './domain/signals/feeds/feed-commands.ts';
import { FEED_FORMATS, type FeedFormat } from './domain/signals/feeds/feed-manifest.ts';
import { FEED_KINDS, type FeedKind } from './domain/signals/feeds/feed-match.ts';
import { addEmailDataCommands } from './email-data-command.ts';
import { addEmailDomainCommands } from './email-domains-command.ts';
import { addEmailEraseCommand } from './email-erase-command.ts';
import { addEmailImportCommands } from './email-import-command.ts';
import { addFeedBuildCommand } from './feed-build-command.ts';
import { prepareSandbox, welcomeText } from './first-start.ts';
import { runImport } from './import-command.ts';
import { checkLinks, rebuildAllLinks } from './links-command.ts';
import { AppError } from './platform/errors.ts';
import { limitHeapGrowth } from './platform/heap.ts';
import { parseTimestamp } from './platform/timestamp.ts';
import { settingLines, showSettings } from './settings-command.ts';
import { EmbeddedPostgresError, startEmbeddedPostgres } from './storage/embedded-postgres.ts';
import { MigrationError, migrate, pendingMigrations } from './storage/migrate.ts';
import { findRunningPostgres } from './storage/running-postgres.ts';
import { addWebhook, listWebhooks, resendWebhooks, tailWebhooks } from './webhook-command.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const printJson = (value: unknown) => print(JSON.stringify(value, null, 2));

const IMPORT_HELP = `
Fields, as keys of NDJSON or columns of CSV; other fields are ignored:
  id                  required
  email, phone, first_name, last_name, username, group
  date_of_birth       YYYY-MM-DD
  identifiers         id numbers. CSV: type:country:value, separated by |, such as passport:DE:C01X00T47
  expected_countries  ISO 3166-1 alpha-2. CSV: separated by |
  lists               names of lists. CSV: separated by |
  metadata            JSON object
An empty cell of CSV leaves the field unchanged. docs/accounts.md describes the fields.`;

/** Growth of the heap between two collections of its old part: an import of 100,000 rows stays below 100 MB with it. */
const HEAP_GROWING_PERCENT = 20;

async function serve(): Promise<void> {
  const startedAt = Date.now();
  limitHeapGrowth(HEAP_GROWING_PERCENT);
  const config = readConfig();
  if (isStartedByNpm()) stopWithParent();
  const lost = Promise.withResolvers<Error>();
  const app = await createApp({ config, say: print, onDatabaseLost: lost.resolve });
  stopOnSignal(app, config);
  void lost.promise.then((error) => stopAfter(app, error));
  const { baseUrl } = await app.listen();
  const sandbox = await prepareSandbox(config.dataDir, baseUrl, app.projects);
  print(
    `Vouchgraph ${version} answers on ${baseUrl} after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`,
  );
  print(`  try it      ${baseUrl}/graphql (GraphiQL)   ${baseUrl}/docs (REST)`);
  print(
    `  data        ${config.databaseUrl === undefined ? config.dataDir : 'the database of DATABASE_URL'}`,
  );
  if (sandbox) print(welcomeText(sandbox, config.dataDir));
  print('Ctrl-C stops it.');
}

/** Idle connections stay open for this long after the last answer that kept them. */
const CLOSE_GRACE_MS = 1000;
/** The process ends before supervisors kill it, which is usually after ten seconds. */
const MAX_STOP_MS = 9500;

/** A signal to a group of processes arrives twice: from its sender, and from npm, which passes it on. */
const SAME_SIGNAL_MS = 1000;

/** SIGTERM drains; SIGINT (Ctrl-C) does not wait for load balancers, and a second signal waits for nothing idle. */
function stopOnSignal(app: App, { drainDelayMs }: Config): void {
  const hurry = new AbortController();
  let first: { signal: NodeJS.Signals; at: number } | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (first) {
      if (signal !== first.signal || performance.now() - first.at > SAME_SIGNAL_MS) hurry.abort();
      return;
    }
    first = { signal, at: performance.now() };
    const delayMs = signal === 'SIGINT' ? 0 : drainDelayMs;
    print('Stopping …');
    setTimeout(() => {
      process.stderr.write('vouchgraph: stopped before everything was finished\n');
      process.exit(1);
    }, MAX_STOP_MS).unref();
    app.close({ delayMs, graceMs: CLOSE_GRACE_MS, hurry: hurry.signal }).then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

const CLOSE_MS = 10_000;

/** Ends with the reason why the gateway cannot go on; what can still be closed is closed. */
function stopAfter(app: App, error: Error): void {
  report(error);
  setTimeout(() => process.exit(1), CLOSE_MS);
  void app.close().finally(() => process.exit(1));
}

const PARENT_CHECK_MS = 500;

/**
 * npm passes signals on to the process that it started, which can be a shell that ends without passing them further;
 * and npm itself can be killed. A gateway whose parent ended stops as it does on SIGTERM at that time.
 */
function stopWithParent(): void {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  check.unref();
}

/** Gives work a database: the one of DATABASE_URL, a running gateway's, or our own for as long as the work takes. */
async function withDatabase<T>(work: (connectionString: string, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig();
  const running = config.databaseUrl ?? (await findRunningPostgres(config.dataDir));
  if (running !== null) return work(running, config);
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log: () => {} });
  try {
    return await work(embedded.ownerUrl, config);
  } finally {
    await embedded.stop();
  }
}

function withCalibrations<T>(work: (calibrations: CalibrationService) => Promise<T>): Promise<T> {
  return withDatabase(async (connectionString, config) => {
    const storage = await openForCommandLine(config, connectionString);
    try {
      return await work(storage.calibrations);
    } finally {
      await storage.close();
    }
  });
}

function withProjects<T>(work: (projects: ProjectService) => Promise<T>): Promise<T> {
  return withDatabase(async (connectionString, config) => {
    const storage = await openForCommandLine(config, connectionString);
    try {
      return await work(storage.projects);
    } finally {
      await storage.close();
    }
  });
}

async function runMigrate(options: { check?: boolean; json?: boolean }): Promise<void> {
  await withDatabase(async (connectionString) => {
    if (options.check) {
      const pending = await pendingMigrations({ connectionString });
      if (options.json) printJson({ pending });
      else print(pending.length === 0 ? 'Nothing to apply.' : `To apply: ${pending.join(', ')}`);
      if (pending.length > 0) process.exitCode = 1;
      return;
    }
    const { applied } = await migrate({ connectionString, log: () => {} });
    if (options.json) printJson({ applied });
    else print(applied.length === 0 ? 'Nothing to apply.' : `Applied: ${applied.join(', ')}`);
  });
}

async function createProject(
  name: string,
  options: { environment: Environment; json?: boolean },
): Promise<void> {
  const project = await withProjects((projects) => projects.createProject(name, options.environment));
  if (options.json)
    return printJson({ project_id: project.projectId, name, environment: options.environment });
  print(`Created the ${options.environment} project ${JSON.stringify(name)}: ${project.projectId}`);
  for (const line of nextSteps(project.projectId, options.environment)) print(line);
}

/** Commands that a new project needs next. */
function nextSteps(projectId: string, environment: Environment): string[] {
  const command = (text: string) => `  npm run vouchgraph -- ${text}`;
  const key = ['Create a key for it:', command(`key create ${projectId}`)];
  if (environment === 'sandbox') return key;
  return [
    ...key,
    'A production project allows no origins yet: verification sessions with a redirect_url and pages with a browser',
    'token are refused. Allow your origins, separated by commas (GraphQL: updateProjectSettings with allowedOrigins):',
    command(`project settings ${projectId} --set allowedOrigins=https://shop.example`),
  ];
}

async function listProjects(options: { json?: boolean }): Promise<void> {
  const rows = await withProjects((projects) => projects.projects(1000));
  const shown = rows.map(({ project_id, name, environment, created_at }) => ({
    project_id,
    name,
    environment,
    created_at,
  }));
  if (options.json) return printJson(shown);
  for (const row of shown) print(`${row.project_id}  ${row.environment.padEnd(10)}  ${row.name}`);
  if (shown.length === 0) print('No projects yet.');
}

async function createKey(
  projectId: string,
  options: { role: KeyRole; label?: string; expires?: Date; json?: boolean },
): Promise<void> {
  const key = await withProjects((projects) =>
    projects.createKey(projectId, options.role, { label: options.label, expiresAt: options.expires }),
  );
  if (options.json)
    return printJson({ key_id: key.keyId, key: key.key, prefix: key.prefix, role: options.role });
  print(`Key with the role ${options.role}, shown this once:\n\n  ${key.key}\n\nIts id is ${key.keyId}.`);
}

async function revokeKey(projectId: string, keyId: string, options: { json?: boolean }): Promise<void> {
  const revokedAt = await withProjects((projects) => projects.revokeKey(projectId, keyId));
  if (options.json) return printJson({ key_id: keyId, revoked_at: revokedAt });
  print(`Revoked ${keyId}; no gateway takes it any more within a second.`);
}

async function listKeys(projectId: string, options: { json?: boolean }): Promise<void> {
  const rows = await withProjects((projects) => projects.keysOf(projectId));
  const shown = rows.map(({ hash: _hash, ...row }) => row);
  if (options.json) return printJson(shown);
  for (const row of shown)
    print(`${row.key_id}  ${row.prefix}  ${row.role.padEnd(8)}  ${stateOf(row).padEnd(32)}  ${row.label}`);
  if (shown.length === 0) print('No keys yet.');
}

async function doctor(options: { json?: boolean }): Promise<void> {
  const findings = await examine(readConfig(), (work) => withDatabase<Finding[]>(work));
  if (options.json) printJson(findings);
  else for (const line of findingLines(findings)) print(line);
  if (findings.some(({ state }) => state === 'broken')) process.exitCode = 1;
}

type FeedOptions = {
  name: string;
  kind: FeedKind;
  format: FeedFormat;
  asOf?: string;
  halfLifeDays?: number;
  confidence?: number;
  column?: string;
  providerColumn?: string;
  replace?: boolean;
  json?: boolean;
};

async function addFeedFile(file: string, options: FeedOptions): Promise<void> {
  const feed: NewFeed = {
    file,
    name: options.name,
    kind: options.kind,
    format: options.format,
    as_of: options.asOf,
    half_life_days: options.halfLifeDays,
    confidence: options.confidence,
    column: options.column,
    provider_column: options.providerColumn,
    replace: options.replace,
  };
  const report = await addFeed(readConfig().feedsDir, feed);
  if (options.json) return printJson(report);
  printFeed(report);
  print('A running gateway reads it within seconds.');
}

async function showFeeds(name: string | undefined, options: { json?: boolean }): Promise<void> {
  const reports = await reportFeeds(readConfig().feedsDir, name);
  if (options.json) printJson(reports);
  else for (const report of reports) printFeed(report);
  if (!options.json && reports.length === 0) print('No feeds are mounted: single ranges are not looked at.');
}

/** Also the lines that could not be read; exit code 1 when a list is not in use as it stands. */
async function checkFeeds(name: string | undefined, options: { json?: boolean }): Promise<void> {
  const reports = await reportFeeds(readConfig().feedsDir, name);
  if (options.json) printJson(reports);
  for (const report of options.json ? [] : reports) {
    printFeed(report);
    for (const { line, text } of report.bad_line_examples)
      print(`    line ${line} cannot be read: ${JSON.stringify(text)}`);
  }
  if (!options.json && reports.length === 0) print('No feeds are mounted.');
  if (reports.some(({ error }) => error !== null)) process.exitCode = 1;
}

function printFeed(report: FeedReport): void {
  if (report.kind === '') {
    print(`${report.name}: CANNOT BE READ, ${report.error}; a running gateway keeps the list that it had`);
    return;
  }
  const counts = (
    [
      [report.ranges_ipv4, 'IPv4 range'],
      [report.ranges_ipv6, 'IPv6 range'],
      [report.networks, 'network'],
      [report.nodes, 'node'],
      [report.bad_lines, 'unreadable line'],
    ] as const
  )
    .filter(([number]) => number > 0)
    .map(([number, noun]) => counted(number, noun));
  const age =
    report.as_of === null ? 'no date, does not age' : `of ${report.as_of}, worth ${report.freshness} today`;
  print(`${report.name}: ${report.kind} (${report.format}), ${age}; ${counts.join(', ')}`);
  if (report.error !== null) print(`    CANNOT BE READ AS IT STANDS: ${report.error}`);
}

async function dropFeed(name: string, options: { json?: boolean }): Promise<void> {
  await removeFeed(readConfig().feedsDir, name);
  if (options.json) return printJson({ name, removed: true });
  print(`Removed ${name}; a running gateway drops it within seconds.`);
}

async function calibrate(
  projectId: string,
  options: { dryRun?: boolean; undo?: boolean; list?: boolean; json?: boolean },
): Promise<void> {
  if (options.undo) {
    const version = await withCalibrations((calibrations) => calibrations.undo(projectId));
    if (options.json) return printJson({ retired: version });
    return print(`Retired version ${version}; the one before it, if any, is in use within a second.`);
  }
  if (options.list) {
    const rows = await withCalibrations((calibrations) => calibrations.list(projectId));
    const shown = rows.map(({ calibration: _maps, ...row }) => row);
    if (options.json) return printJson(shown);
    for (const row of shown)
      print(
        `version ${row.version}  fitted ${row.fitted_at.toISOString().slice(0, 16)}  weights ${row.weights_version}` +
          (row.retired_at ? `  retired ${row.retired_at.toISOString().slice(0, 16)}` : ''),
      );
    if (shown.length === 0) print('No calibration yet: scores are expert priors.');
    return;
  }
  const fitted = await withCalibrations((calibrations) =>
    calibrations.fit(projectId, options.dryRun === true),
  );
  if (options.json) return printJson(fitted);
  const { labels, version } = fitted.calibration;
  print(
    `${labels.positive} accounts labelled as fraud, ${labels.negative} as honest; ${fitted.skipped} without a session.`,
  );
  for (const line of reportLines(fitted.report)) print(line);
  print(options.dryRun ? 'Nothing was stored.' : `Stored as version ${version}; in use within a second.`);
}

/** Accounts and links of one project, for as long as the work takes. */
function withAccounts<T>(
  projectId: string,
  connections: number,
  work: (project: ProjectForCommandLine) => Promise<T>,
): Promise<T> {
  return withDatabase(async (connectionString, config) => {
    const storage = await openForCommandLine(config, connectionString, connections);
    try {
      return await work(await openProjectForCommandLine(storage, projectId));
    } finally {
      await storage.close();
    }
  });
}

/** The webhooks of one project, for as long as the work takes. */
function withWebhooks<T>(
  projectId: string,
  work: (webhooks: WebhooksForCommandLine) => Promise<T>,
): Promise<T> {
  return withDatabase(async (connectionString, config) => {
    const storage = await openForCommandLine(config, connectionString);
    try {
      const webhooks = await openWebhooksForCommandLine(storage, config, projectId);
      try {
        return await work(webhooks);
      } finally {
        await webhooks.close();
      }
    } finally {
      await storage.close();
    }
  });
}

/** Until Ctrl-C. */
async function tailUntilStopped(
  webhooks: WebhooksForCommandLine,
  endpoint: string | undefined,
  isJson: boolean,
): Promise<void> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  await tailWebhooks(webhooks, endpoint, isJson, stop.signal);
}

/** The imports of a project; of the only one when none is given. */
function withEmailImports<T>(
  projectId: string | undefined,
  work: (imports: EmailImportsForCommandLine) => Promise<T>,
): Promise<T> {
  return withDatabase(async (connectionString, config) => {
    const storage = await openForCommandLine(config, connectionString, 4);
    try {
      const imports = await openEmailImportsForCommandLine(storage, config, projectId);
      try {
        return await work(imports);
      } finally {
        await imports.close();
      }
    } finally {
      await storage.close();
    }
  });
}

async function rebuildLinks(projectId: string, options: { check?: boolean; json?: boolean }): Promise<void> {
  const isRight = await withAccounts(projectId, 8, (project) =>
    options.check
      ? checkLinks(project, options.json === true)
      : rebuildAllLinks(project, options.json === true),
  );
  if (!isRight) process.exitCode = 1;
}

async function importAccountsOf(
  projectId: string,
  file: string,
  options: { format?: ImportFormat; concurrency: number; restart?: boolean; json?: boolean },
): Promise<void> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  process.once('SIGTERM', () => stop.abort());
  const isWhole = await withAccounts(projectId, options.concurrency + 1, (project) =>
    runImport(project, file, { ...options, signal: stop.signal }),
  );
  if (!isWhole) process.exitCode = 1;
}

function reportLines(report: readonly CalibrationReport[]): string[] {
  return report.map(({ score, samples, brierBefore, brierAfter, kept }) => {
    const errors = `error ${brierBefore.toFixed(4)} before, ${brierAfter.toFixed(4)} after`;
    const outcome = kept
      ? 'calibrated'
      : samples < 50
        ? 'left as it is: too few'
        : 'left as it is: no better';
    return `  ${score.padEnd(22)} ${String(samples).padStart(6)} scored  ${errors}  ${outcome}`;
  });
}

function stateOf(key: {
  revoked_at: Date | null;
  expires_at: Date | null;
  last_used_at: Date | null;
}): string {
  if (key.revoked_at) return `revoked ${key.revoked_at.toISOString().slice(0, 16)}`;
  if (key.expires_at && key.expires_at <= new Date())
    return `expired ${key.expires_at.toISOString().slice(0, 16)}`;
  return key.last_used_at ? `last used ${key.last_used_at.toISOString().slice(0, 16)}` : 'never used';
}

function oneOf<T extends string>(values: readonly T[]) {
  return (value: string): T => {
    if (values.includes(value as T)) return value as T;
    throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`);
  };
}

function numberBetween(least: number, most: number) {
  return (value: string): number => {
    const number = Number(value);
    if (value.trim() !== '' && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be between ${least} and ${most}.`);
  };
}

function wholeBetween(least: number, most: number) {
  const within = numberBetween(least, most);
  return (value: string): number => {
    const number = within(value);
    if (Number.isInteger(number)) return number;
    throw new InvalidArgumentError(`It must be a whole number between ${least} and ${most}.`);
  };
}

/** A timestamp with a time zone, or a date, which stands for its first moment in UTC. */
function timestamp(value: string): Date {
  const date = parseTimestamp(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value);
  if (date === null)
    throw new InvalidArgumentError('It must be an ISO 8601 timestamp such as 2027-01-31T00:00:00Z.');
  return date;
}

function commandLine(): Command {
  const program = new Command('vouchgraph')
    .description(
      'Identity verification and account risk, open and explained. Settings come from the environment: see README.',
    )
    .version(version)
    .showHelpAfterError()
    .exitOverride();
  const json = ['--json', 'print JSON instead of text'] as const;

  program
    .command('serve')
    .description('start the gateway, with its own PostgreSQL unless DATABASE_URL is set')
    .action(serve);
  program
    .command('demo')
    .description('a narrated tour against a running gateway, or one that it starts')
    .action(() => runDemo(readConfig()));
  program
    .command('migrate')
    .description('bring the database up to this version')
    .option('--check', 'only list missing migrations; exit code 1 if there are any')
    .option(...json)
    .action(runMigrate);

  program
    .command('doctor')
    .description(
      'look at all that the service needs; says which signals are off; exit code 1 when something is broken',
    )
    .option(...json)
    .action(doctor);
  program
    .command('calibrate')
    .description("fit a project's scores to its own labels: accounts on block and allow lists, at least 200")
    .argument('<project>', 'id of the project')
    .option('--dry-run', 'only print the changes')
    .option('--undo', 'restore the previous calibration')
    .option('--list', 'list the calibrations')
    .option(...json)
    .action(calibrate);

  const feed = program
    .command('feed')
    .description('lists of addresses of your own: VPN, Tor, proxies, relays …');
  feed
    .command('add')
    .description('add a feed; the file is checked and copied')
    .argument('<file>', 'list of addresses')
    .requiredOption('-n, --name <name>', 'name of the feed')
    .requiredOption('-k, --kind <kind>', FEED_KINDS.join(', '), oneOf(FEED_KINDS))
    .requiredOption('-f, --format <format>', FEED_FORMATS.join(', '), oneOf(FEED_FORMATS))
    .option('--as-of <date>', 'date of the list, such as 2026-11-20; without a date the list does not age')
    .option(
      '--half-life-days <days>',
      'days in which the list loses half its freshness',
      numberBetween(0.01, 36_500),
    )
    .option('--confidence <share>', 'confidence of its entries, 0 to 1', numberBetween(0, 1))
    .option('--column <name>', 'csv: column of the addresses')
    .option('--provider-column <name>', 'csv: column of the service')
    .option('--replace', 'replace a feed of the same name')
    .option(...json)
    .action(addFeedFile);
  addFeedBuildCommand(feed, () => readConfig().feedsDir);
  feed
    .command('list')
    .description('list feeds; doctor also shows the lists on board')
    .argument('[name]', 'name of one feed')
    .option(...json)
    .action(showFeeds);
  feed
    .command('check')
    .description(
      'read the feeds again and show unreadable lines; exit code 1 when a feed cannot be used as it is',
    )
    .argument('[name]', 'name of one feed')
    .option(...json)
    .action(checkFeeds);
  feed
    .command('remove')
    .description('remove a feed')
    .argument('<name>', 'name of the feed')
    .option(...json)
    .action(dropFeed);

  const email = program
    .command('email')
    .description('email checks: imports, erasure, domains of a project, breaches and profiles');
  addEmailDataCommands(email, () => readConfig().emailDataDir);
  addEmailDomainCommands(email, (id, work) => withAccounts(id, 1, work));
  addEmailEraseCommand(email, (id, work) => withAccounts(id, 1, work));
  addEmailImportCommands(email, withEmailImports);

  const project = program.command('project').description('projects: the tenants of the service');
  project
    .command('create')
    .description('create a project')
    .argument('<name>', 'what to call it')
    .option(
      '-e, --environment <environment>',
      'sandbox or production',
      oneOf(ENVIRONMENTS),
      'sandbox' as Environment,
    )
    .option(...json)
    .action(createProject);
  project
    .command('list')
    .description('list projects, the oldest first')
    .option(...json)
    .action(listProjects);
  project
    .command('settings')
    .description('show the settings of a project, or change them with --set')
    .argument('<project>', 'id of the project')
    .option(
      '--set <name=value...>',
      'change a setting, such as fakeFrom=0.8; items of a list are separated by commas',
    )
    .option(...json)
    .addHelpText('after', `\nSettings (docs/operating.md describes them):\n${settingLines()}`)
    .action((id: string, options: { set?: string[]; json?: boolean }) =>
      withAccounts(id, 1, (project) => showSettings(project, options.set ?? [], options.json === true)),
    );

  const audit = program.command('audit').description('audit log: changes in a project');
  audit
    .command('list')
    .description('the newest lines')
    .argument('<project>', 'id of the project')
    .option('-n, --number <number>', 'how many', wholeBetween(1, 1000), 20)
    .option('--account <id>', "what happened to an account, by the client's own id")
    .option('--action <prefix>', 'an action, or the beginning of several, such as list.')
    .option('--target <target>', 'one object, such as list:block or rule:ID')
    .option(...json)
    .action(
      (
        id: string,
        options: { number: number; account?: string; action?: string; target?: string; json?: boolean },
      ) => {
        const { number, account: accountId, action, target, json } = options;
        return withAccounts(id, 1, (project) =>
          listAudit(project, { accountId, action, target }, number, json === true),
        );
      },
    );
  audit
    .command('export')
    .description('all lines as NDJSON, the oldest first')
    .argument('<project>', 'id of the project')
    .option('--since <timestamp>', 'at or after, such as 2027-01-31T00:00:00Z', timestamp)
    .option('--until <timestamp>', 'before; now by default', timestamp)
    .option('--action <prefix>', 'an action, or the beginning of several, such as list.')
    .option('-o, --out <file>', 'into a file instead of standard output')
    .action((id: string, { out, ...search }: AuditSearch & { out?: string }) =>
      withAccounts(id, 1, (project) => exportAudit(project, search, out)),
    );

  program
    .command('links')
    .description('links between accounts')
    .command('rebuild')
    .description("recompute a project's links and identity groups from its accounts' identifiers")
    .argument('<project>', 'id of the project')
    .option('--check', 'only compare what is stored with a recomputation; exit code 1 when something differs')
    .option(...json)
    .action(rebuildLinks);
  program
    .command('import')
    .description('import data of another system')
    .command('accounts')
    .description(
      'import accounts from a file and link them; a stopped import continues; exit code 1 when it was stopped or lines ' +
        'were refused',
    )
    .argument('<project>', 'id of the project')
    .argument('<file>', 'accounts, one per line: .ndjson, or .csv with a header')
    .option(
      '-f, --format <format>',
      IMPORT_FORMATS.join(', ') + '; by the extension of the file by default',
      oneOf(IMPORT_FORMATS),
    )
    .option('-c, --concurrency <number>', 'accounts written at once', wholeBetween(1, 64), 8)
    .option('--restart', 'start at the first line, also if a part was imported before')
    .option(...json)
    .addHelpText('after', IMPORT_HELP)
    .action(importAccountsOf);

  const webhook = program.command('webhook').description('webhook endpoints: URLs that receive events');
  webhook
    .command('add')
    .description('create an endpoint; its secret is shown once')
    .argument('<project>', 'id of the project')
    .argument('<url>', 'where events are sent')
    .option('-t, --types <types>', 'types of events, separated by commas; all by default')
    .option('-d, --description <text>', 'what it is for')
    .option(...json)
    .action((id: string, url: string, options: { types?: string; description?: string; json?: boolean }) =>
      withWebhooks(id, (webhooks) => addWebhook(webhooks, url, options)),
    );
  webhook
    .command('list')
    .description('list endpoints with their state')
    .argument('<project>', 'id of the project')
    .option(...json)
    .action((id: string, options: { json?: boolean }) =>
      withWebhooks(id, (webhooks) => listWebhooks(webhooks, options.json === true)),
    );
  webhook
    .command('tail')
    .description('print attempts as they are made')
    .argument('<project>', 'id of the project')
    .option('-e, --endpoint <id>', 'of one endpoint')
    .option('--json', 'print a line of JSON for each')
    .action((id: string, options: { endpoint?: string; json?: boolean }) =>
      withWebhooks(id, (webhooks) => tailUntilStopped(webhooks, options.endpoint, options.json === true)),
    );
  webhook
    .command('resend')
    .description('resend a delivery, or all of an endpoint since a time')
    .argument('<project>', 'id of the project')
    .argument('[delivery]', 'id of the delivery')
    .option('--since <timestamp>', 'events at or after it, such as 2027-01-31T00:00:00Z', timestamp)
    .option('-e, --endpoint <id>', 'with --since: which endpoint')
    .option('--only-dead', 'with --since: only dead deliveries')
    .option(...json)
    .action(
      (
        id: string,
        delivery: string | undefined,
        options: { since?: Date; endpoint?: string; onlyDead?: boolean; json?: boolean },
      ) => withWebhooks(id, (webhooks) => resendWebhooks(webhooks, delivery, options)),
    );

  const key = program.command('key').description("a project's API keys");
  key
    .command('create')
    .description('create a key; it is shown once')
    .argument('<project>', 'id of the project')
    .option('-r, --role <role>', 'read, server or operator', oneOf(KEY_ROLES), 'server' as KeyRole)
    .option('-l, --label <label>', 'a note on what it is for')
    .option('--expires <timestamp>', 'expiry, such as 2027-01-31T00:00:00Z', timestamp)
    .option(...json)
    .action(createKey);
  key
    .command('revoke')
    .description('revoke a key')
    .argument('<project>', 'id of the project')
    .argument('<key>', 'id of the key (key list shows it)')
    .option(...json)
    .action(revokeKey);
  key
    .command('list')
    .description('list keys with their state')
    .argument('<project>', 'id of the project')
    .option(...json)
    .action(listKeys);
  return program;
}

function fail(error: unknown): never {
  if (error instanceof CommanderError) process.exit(error.exitCode);
  report(error);
  process.exit(1);
}

/** One line for what an operator can act on; the whole error for what is our fault. */
function report(error: unknown): void {
  const known = [StartError, ConfigError, EmbeddedPostgresError, MigrationError, AppError].some(
    (kind) => error instanceof kind,
  );
  const { code, syscall } = error as { code?: string; syscall?: string };
  const isConnection =
    !known &&
    typeof code === 'string' &&
    (syscall === 'connect' || syscall === 'getaddrinfo' || /^(28|3D|08)/.test(code));
  if (known) process.stderr.write(`vouchgraph: ${(error as Error).message}\n`);
  else if (isConnection)
    process.stderr.write(`vouchgraph: the database of DATABASE_URL does not let us in (${code})\n`);
  else process.stderr.write(`vouchgraph: ${error instanceof Error ? error.stack : String(error)}\n`);
}

// Whoever read our lines may have gone: that is no reason to fail.
process.stdout.on('error', () => {});

try {
  await commandLine().parseAsync();
} catch (error) {
  fail(error);
}
