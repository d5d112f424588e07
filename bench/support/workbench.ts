import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '@vouchgraph/embedded-postgres';
import { systemClock } from '@vouchgraph/platform/clock';
import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import pg from 'pg';
import { createAccessService } from '../../src/domain/projects/access-service.ts';
import type { KeyRole } from '../../src/domain/projects/api-key.ts';
import type { Project } from '../../src/domain/projects/project.ts';
import { createProjectService } from '../../src/domain/projects/project-service.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/migrate.ts';
import type { BenchOptions } from './options.ts';
import { type ServerProcess, startServer } from './processes.ts';
import { parentOf } from './processor-time.ts';

const POOL_SIZE = '10';

/** What belongs to a stored database: its secrets, and how its people were drawn. */
export type StoredData = PeopleFacts & { masterKey: string; projectId: string; key: string };

/** How the people of a data set were drawn: the same facts draw the same people. */
export type PeopleFacts = {
  /** Stored accounts. */
  size: number;
  /** Accounts that are not stored, for requests. */
  arrivals: number;
  /** When the last months of the model end. */
  drawnAt: number;
  /**
   * Share of all accounts of a ring or home that are stored. The fewer, the fewer links has an account: databases of different
   * sizes are comparable with an equal one.
   */
  presence: number;
};

/** A separate PostgreSQL with one project, and the servers that are measured on it. */
export type Workbench = {
  readonly project: Project;
  /** The stored database that this one is a copy of. */
  readonly stored?: StoredData;
  readonly key: string;
  /** Connection data for a measured server. */
  readonly environment: Record<string, string>;
  readonly system: Database['system'];
  /** For a superuser in the database of the gateways. */
  readonly superuserUrl: string;
  /** The postmaster process of the server. */
  readonly postgresPid: number;
  createOperatorKey(): Promise<string>;
  /** Another production project in the same database. */
  createProject(): Promise<Project>;
  /** A key of a sandbox project, which is created for it; of a server by default. */
  createSandboxKey(role?: KeyRole): Promise<string>;
  startGateway(): Promise<ServerProcess>;
  /** A server of the project, or of another one. */
  startLimit(name: string, file: URL, project?: Project): Promise<ServerProcess>;
  /** Stores the database with its secrets in the folder of the options, at the end. */
  storeAtEnd(facts: PeopleFacts): void;
  /** Statistics for the planner and visibility for index-only scans, as autovacuum would make them in time. */
  analyze(): Promise<void>;
  /** Reads all tables and indexes into PostgreSQL's cache, as days of traffic would. */
  prewarm(): Promise<void>;
};

/** Runs `work` on a workbench in a temporary folder, and removes everything afterwards. */
export async function withWorkbench(
  options: BenchOptions,
  work: (bench: Workbench) => Promise<void>,
  /** Settings of the PostgreSQL server, as in postgresql.conf. */
  settings: Record<string, string> = {},
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vouchgraph-bench-'));
  const stored = await copyStored(options, dataDir);
  const postgres = await startEmbeddedPostgres({ dataDir, log: console.log, settings });
  const servers: ServerProcess[] = [];
  let toStore: StoredData | undefined;
  let database: Database | undefined;
  try {
    await migrate({ connectionString: postgres.ownerUrl, log: () => {} });
    database = openDatabase({ connectionString: postgres.ownerUrl, poolSize: 2 });
    const masterKeyText = stored?.masterKey ?? generateMasterKey();
    const masterKey = new MasterKey(masterKeyText);
    const projects = createProjectService({ database, masterKey, clock: systemClock, actor: 'benchmark' });
    const { project, key } = stored
      ? { project: await findProject(database, masterKey, stored.projectId), key: stored.key }
      : await createBenchProject(database, masterKey, 'production');
    const environment = {
      DATABASE_URL: postgres.ownerUrl,
      DATABASE_POOL_SIZE: POOL_SIZE,
      DATA_DIR: dataDir,
      MASTER_KEY: masterKeyText,
      PROJECT_ID: project.projectId,
      PORT: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      COLLECTOR_LIMIT_PER_MINUTE: '0',
      FAILED_KEY_LIMIT_PER_MINUTE: '0',
      SOCKET_LIMIT_PER_MINUTE: '0',
      MAX_SOCKETS_PER_KEY: '0',
    };
    const started = async (starting: Promise<ServerProcess>) => {
      const server = await starting;
      servers.push(server);
      return server;
    };
    await work({
      project,
      key,
      ...(stored ? { stored } : {}),
      environment,
      system: database.system,
      superuserUrl: inDatabaseOf(postgres.superuserUrl, postgres.ownerUrl),
      postgresPid: await findPostmaster(database.system),
      createOperatorKey: async () => (await projects.createKey(project.projectId, 'operator')).key,
      createProject: async () => (await createBenchProject(database!, masterKey, 'production')).project,
      createSandboxKey: async (role) => (await createBenchProject(database!, masterKey, 'sandbox', role)).key,
      startGateway: () =>
        started(
          startServer('gateway', new URL('./gateway-process.ts', import.meta.url), {
            env: environment,
            nodeOptions: profileOptions(options),
          }),
        ),
      startLimit: (name, file, { projectId } = project) =>
        started(startServer(name, file, { env: { ...environment, PROJECT_ID: projectId } })),
      storeAtEnd(facts) {
        toStore = { ...facts, masterKey: masterKeyText, projectId: project.projectId, key };
      },
      analyze: () => vacuumAnalyze(postgres.ownerUrl),
      prewarm: () => prewarm(inDatabaseOf(postgres.superuserUrl, postgres.ownerUrl)),
    });
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await database?.close();
    await postgres.stop();
    if (toStore) await storeData(options, dataDir, toStore);
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function createBenchProject(
  database: Database,
  masterKey: MasterKey,
  environment: 'production' | 'sandbox',
  role: KeyRole = 'server',
) {
  const clock = systemClock;
  const projects = createProjectService({ database, masterKey, clock, actor: 'benchmark' });
  const { projectId } = await projects.createProject('benchmark', environment);
  const { key } = await projects.createKey(projectId, role);
  return { project: await findProject(database, masterKey, projectId), key };
}

async function findProject(database: Database, masterKey: MasterKey, projectId: string): Promise<Project> {
  const access = createAccessService({ database, masterKey, clock: systemClock });
  return (await access.findProjectById(projectId))!;
}

const FACTS_FILE = 'bench.json';

/** Copies the stored database of the options, so that no run changes it. */
async function copyStored({ data, size }: BenchOptions, dataDir: string): Promise<StoredData | undefined> {
  const text = data && (await readFile(join(data, FACTS_FILE), 'utf8').catch(() => undefined));
  if (!data || !text) return undefined;
  const stored = JSON.parse(text) as StoredData;
  if (stored.size !== size) throw new Error(`${data} has ${stored.size} accounts, not ${size}`);
  await copyFolder(data, dataDir);
  return stored;
}

async function storeData({ data }: BenchOptions, dataDir: string, facts: StoredData): Promise<void> {
  if (!data) throw new Error('--data is missing');
  await copyFolder(dataDir, data);
  await writeFile(join(data, FACTS_FILE), JSON.stringify(facts), { mode: 0o600 });
}

/** With the owners of the files, which PostgreSQL checks. */
async function copyFolder(from: string, to: string): Promise<void> {
  mkdirSync(to, { recursive: true });
  await promisify(execFile)('cp', ['-a', `${from}/.`, to]);
}

function inDatabaseOf(url: string, other: string): string {
  const result = new URL(url);
  result.pathname = new URL(other).pathname;
  return result.toString();
}

/** Read over an open connection, so that its process still exists. */
async function findPostmaster(system: Database['system']): Promise<number> {
  const [row] = await system.query({ name: 'bench.pid', text: 'select pg_backend_pid() as pid' }, []);
  return parentOf(row.pid);
}

async function vacuumAnalyze(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

async function prewarm(superuserUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query('create extension if not exists pg_prewarm');
    await client.query(
      `select sum(pg_prewarm(oid)) from pg_class where relkind in ('r', 'i', 't') and relpersistence = 'p'`,
    );
  } finally {
    await client.end();
  }
}

function profileOptions({ profileFolder }: BenchOptions): string[] {
  if (profileFolder === null) return [];
  mkdirSync(profileFolder, { recursive: true });
  return ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`, '--cpu-prof-interval=500'];
}
