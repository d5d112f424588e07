import { AppError } from '@vouchgraph/platform/errors';
import type { Config } from '../../config.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import type { ProjectService } from '../../domain/projects/project-service.ts';
import type { CommandStorage } from './open-project.ts';
import type { ProjectChoice } from './project-argument.ts';

/*
 * Opens parts of the service for a command, and closes them after its work. Modules are imported when they are needed:
 * every command loads this file, also for its help.
 */

/** Reads the settings. */
export async function loadConfig(): Promise<Config> {
  const { readConfig } = await import('../../config.ts');
  return readConfig();
}

/** Database of DATA_DIR that a command requires: of a running gateway, an existing one, or one created if it is missing. */
export type RequiredDatabase = 'running' | 'existing' | 'created';

/** Runs work with the database of DATABASE_URL or of a running gateway, or starts the one of DATA_DIR for the work. */
export async function withDatabase<T>(
  work: (connectionString: string, config: Config) => Promise<T>,
  required: RequiredDatabase = 'existing',
): Promise<T> {
  const config = await loadConfig();
  const running = config.databaseUrl ?? (await findRunning(config));
  if (running !== null) return work(running, config);
  if (required === 'running') throw unavailable('No gateway runs on DATA_DIR: start it with serve');
  if (required === 'existing') await checkDatabase(config);
  const { startEmbeddedPostgres } = await import('@vouchgraph/embedded-postgres');
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log: () => {} });
  try {
    return await work(embedded.ownerUrl, config);
  } finally {
    await embedded.stop();
  }
}

async function findRunning({ dataDir }: Config): Promise<string | null> {
  const { findRunningPostgres } = await import('@vouchgraph/embedded-postgres');
  return findRunningPostgres(dataDir);
}

async function checkDatabase({ dataDir }: Config): Promise<void> {
  const { hasDatabase } = await import('@vouchgraph/embedded-postgres');
  if (await hasDatabase(dataDir)) return;
  throw unavailable(
    `DATA_DIR ${dataDir} contains no database: correct DATA_DIR, or create the database with serve or project create`,
  );
}

const unavailable = (message: string) => new AppError('database.unavailable', 'unavailable', message);

/** Runs work with the database and its projects, with this many connections. */
export function withLocalStorage<T>(
  connections: number,
  work: (storage: CommandStorage) => Promise<T>,
  required?: RequiredDatabase,
): Promise<T> {
  return withDatabase(async (connectionString, config) => {
    const { openCommandStorage } = await import('./open-project.ts');
    const opened = new AsyncDisposableStack();
    try {
      return await work(await openCommandStorage(config, connectionString, connections, opened));
    } finally {
      await opened.disposeAsync();
    }
  }, required);
}

/** Runs work with the projects and their keys. */
export function withProjects<T>(
  work: (projects: ProjectService) => Promise<T>,
  required?: RequiredDatabase,
): Promise<T> {
  return withLocalStorage(1, ({ projects }) => work(projects), required);
}

/**
 * Runs work with the project of a call, with this many connections. `isFirst`: the project is the first argument, which
 * the command has read as its own.
 */
export function withProject<T>(
  choice: ProjectChoice,
  connections: number,
  work: (viewer: Viewer, storage: CommandStorage, isFirst: boolean) => Promise<T>,
  required?: RequiredDatabase,
): Promise<T> {
  return withLocalStorage(
    connections,
    async (storage) => {
      const { findProject } = await import('./only-project.ts');
      const { openViewer } = await import('./open-project.ts');
      const { projectId, isFirst } = await findProject(storage, choice);
      return work(await openViewer(storage, projectId), storage, isFirst);
    },
    required,
  );
}
