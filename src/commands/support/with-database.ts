import type { Config } from '../../config.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import type { ProjectService } from '../../domain/projects/project-service.ts';
import { AppError } from '../../platform/errors.ts';
import type { CommandStorage } from './open-project.ts';

/*
 * Opens parts of the service for a command, and closes them after its work. Modules are imported when they are needed:
 * every command loads this file, also for its help.
 */

/** Reads the settings. */
export async function loadConfig(): Promise<Config> {
  const { readConfig } = await import('../../config.ts');
  return readConfig();
}

/**
 * Runs work with a database: the one of DATABASE_URL, a running gateway's, or one that is started for the duration of
 * the work, unless the work needs a running one.
 */
export async function withDatabase<T>(
  work: (connectionString: string, config: Config) => Promise<T>,
  onlyRunning = false,
): Promise<T> {
  const config = await loadConfig();
  const running = config.databaseUrl ?? (await findRunning(config));
  if (running !== null) return work(running, config);
  if (onlyRunning)
    throw new AppError(
      'database.unavailable',
      'unavailable',
      'No gateway runs on DATA_DIR: start it with serve',
    );
  const { startEmbeddedPostgres } = await import('../../storage/embedded-postgres.ts');
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log: () => {} });
  try {
    return await work(embedded.ownerUrl, config);
  } finally {
    await embedded.stop();
  }
}

async function findRunning({ dataDir }: Config): Promise<string | null> {
  const { findRunningPostgres } = await import('../../storage/running-postgres.ts');
  return findRunningPostgres(dataDir);
}

/** Runs work with the database and its projects, with this many connections. */
export function withStorage<T>(
  connections: number,
  work: (storage: CommandStorage) => Promise<T>,
  onlyRunning = false,
): Promise<T> {
  return withDatabase(async (connectionString, config) => {
    const { openCommandStorage } = await import('./open-project.ts');
    const opened = new AsyncDisposableStack();
    try {
      return await work(await openCommandStorage(config, connectionString, connections, opened));
    } finally {
      await opened.disposeAsync();
    }
  }, onlyRunning);
}

/** Runs work with the projects and their keys. */
export function withProjects<T>(work: (projects: ProjectService) => Promise<T>): Promise<T> {
  return withStorage(1, ({ projects }) => work(projects));
}

/** Runs work with a project, with this many connections. */
export function withProject<T>(
  projectId: string,
  connections: number,
  work: (viewer: Viewer, storage: CommandStorage) => Promise<T>,
  onlyRunning = false,
): Promise<T> {
  return withStorage(
    connections,
    async (storage) => {
      const { openViewer } = await import('./open-project.ts');
      return work(await openViewer(storage, projectId), storage);
    },
    onlyRunning,
  );
}
