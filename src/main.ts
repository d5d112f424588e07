import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { type App, createApp, openForCommandLine, StartError } from './app.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { runDemo } from './demo.ts';
import { ENVIRONMENTS, type Environment, KEY_ROLES, type KeyRole } from './domain/projects/api-key.ts';
import type { ProjectService } from './domain/projects/project-service.ts';
import { prepareSandbox, welcomeText } from './first-start.ts';
import { AppError } from './platform/errors.ts';
import { EmbeddedPostgresError, startEmbeddedPostgres } from './storage/embedded-postgres.ts';
import { MigrationError, migrate, pendingMigrations } from './storage/migrate.ts';
import { findRunningPostgres } from './storage/running-postgres.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const printJson = (value: unknown) => print(JSON.stringify(value, null, 2));

async function serve(): Promise<void> {
  const startedAt = Date.now();
  const config = readConfig();
  const app = await createApp({ config, say: print });
  stopOnSignal(app);
  const { baseUrl } = await app.listen().catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
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

function stopOnSignal(app: App): void {
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    print('Stopping …');
    app.close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
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
  print(`Make a key for it: npm run vouchgraph -- key create ${project.projectId}`);
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
    throw new InvalidArgumentError(`Choose one of ${values.join(', ')}.`);
  };
}

function moment(value: string): Date {
  const date = new Date(value);
  if (Number.isNaN(date.getTime()))
    throw new InvalidArgumentError('Give a moment such as 2027-01-31T00:00:00Z.');
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
    .option('--check', 'only say what is missing; exit code 1 when something is')
    .option(...json)
    .action(runMigrate);

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

  const key = program.command('key').description("a project's API keys");
  key
    .command('create')
    .description('make a key; it is shown once')
    .argument('<project>', 'id of the project')
    .option('-r, --role <role>', 'read, server or operator', oneOf(KEY_ROLES), 'server' as KeyRole)
    .option('-l, --label <label>', 'a note on what it is for')
    .option('--expires <moment>', 'when it ends, such as 2027-01-31T00:00:00Z', moment)
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

/** One line for what an operator can act on; the whole error for what is our fault. */
function fail(error: unknown): never {
  if (error instanceof CommanderError) process.exit(error.exitCode);
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
  process.exit(1);
}

// Whoever read our lines may have gone: that is no reason to fail.
process.stdout.on('error', () => {});

try {
  await commandLine().parseAsync();
} catch (error) {
  fail(error);
}
