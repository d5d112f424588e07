import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** A separate PostgreSQL with one project, and the servers that are measured on it. */
export type Workbench = {
  readonly project: Project;
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
  /** Statistics for the planner and visibility for index-only scans, as autovacuum would make them in time. */
  analyze(): Promise<void>;
};

/** Runs `work` on a workbench in a temporary folder, and removes everything afterwards. */
export async function withWorkbench(
  options: BenchOptions,
  work: (bench: Workbench) => Promise<void>,
  /** Settings of the PostgreSQL server, as in postgresql.conf. */
  settings: Record<string, string> = {},
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vouchgraph-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir, log: console.log, settings });
  const servers: ServerProcess[] = [];
  let database: Database | undefined;
  try {
    await migrate({ connectionString: postgres.ownerUrl, log: () => {} });
    database = openDatabase({ connectionString: postgres.ownerUrl, poolSize: 2 });
    const masterKeyText = generateMasterKey();
    const masterKey = new MasterKey(masterKeyText);
    const projects = createProjectService({ database, masterKey, clock: systemClock, actor: 'benchmark' });
    const { project, key } = await createBenchProject(database, masterKey, 'production');
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
      analyze: () => vacuumAnalyze(postgres.ownerUrl),
    });
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await database?.close();
    await postgres.stop();
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
  const project = await createAccessService({ database, masterKey, clock }).findProjectById(projectId);
  return { project: project!, key };
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

function profileOptions({ profileFolder }: BenchOptions): string[] {
  if (profileFolder === null) return [];
  mkdirSync(profileFolder, { recursive: true });
  return ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`, '--cpu-prof-interval=500'];
}
