import { openStorage, type Storage } from '../../app/open-storage.ts';
import type { Config } from '../../config.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';

/* Loaded when a command needs the database: see with-database.ts. */

export type CommandStorage = Storage & {
  readonly config: Config;
  /** Of the owner of the tables. */
  readonly connectionString: string;
  /** Closes opened resources in reverse order. */
  readonly opened: AsyncDisposableStack;
};

/** Opens the database and its projects alone, on a stack that the caller closes. */
export async function openCommandStorage(
  config: Config,
  connectionString: string,
  connections: number,
  opened: AsyncDisposableStack,
): Promise<CommandStorage> {
  const storage = await openStorage({
    config: { ...config, databasePoolSize: connections },
    connectionString,
    isForOneProject: true,
    opened,
    print: () => {},
  });
  return { ...storage, config, connectionString, opened };
}

/** The operator of the command line in a project. Throws `project.not_found`. */
export async function openViewer(
  { projects, access }: Pick<Storage, 'projects' | 'access'>,
  projectId: string,
): Promise<Viewer> {
  await projects.getProject(projectId);
  return {
    project: (await access.findProjectById(projectId))!,
    kind: 'key',
    role: 'operator',
    actor: 'command line',
    limitKey: 'command line',
  };
}
