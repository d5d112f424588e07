import { type Clock, systemClock } from '@vouchgraph/platform/clock';
import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import { createLogger, type Logger } from '@vouchgraph/platform/logger';
import type { Config } from '../config.ts';
import { type AccessService, createAccessService } from '../domain/projects/access-service.ts';
import { createProjectService, type ProjectService } from '../domain/projects/project-service.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../storage/database.ts';
import { readMasterKeyFile, writeMasterKeyFile } from '../storage/master-key-file.ts';
import { migrate } from '../storage/migrate.ts';
import { openPeopleDatabase, type PeopleDatabase } from '../storage/people-database.ts';
import { PoolerError } from '../storage/pooler-error.ts';
import { prepareEvents } from './purge-run.ts';
import { StartError } from './start-error.ts';

export type Storage = {
  readonly database: Database;
  readonly masterKey: MasterKey;
  readonly projects: ProjectService;
  readonly access: AccessService;
  readonly people: PeopleDatabase;
};

type StorageOptions = Pick<
  DatabaseOptions,
  'connectionString' | 'isForOneProject' | 'onStatement' | 'onTrip'
> & {
  readonly config: Config;
  /** Closes opened resources in reverse order. */
  readonly opened: AsyncDisposableStack;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Receives progress messages of the start. */
  readonly print: (line: string) => void;
};

/** Opens the database, migrated to this version, and the services that see every project. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { config, opened, connectionString, isForOneProject, onStatement, onTrip, print } = options;
  const { clock = systemClock, log = createLogger(config.logLevel) } = options;
  await migrate({ connectionString, log: print });
  const database = openDatabase({
    connectionString,
    poolSize: config.databasePoolSize,
    isForOneProject,
    onStatement,
    onTrip,
    onRefused: (message) => log.error(message),
  });
  opened.defer(database.close);
  await database.checkConnections().catch(explainConnectError);
  await prepareEvents({ database, clock, log, eventRetentionDays: config.eventRetentionDays });
  const masterKey = await findMasterKey(config, database, print);
  const projects = createProjectService({ database, masterKey, clock, actor: 'command line' });
  await projects.checkMasterKey().catch(() => {
    throw new StartError(
      'MASTER_KEY cannot decrypt this database: the database was created with another key',
    );
  });
  const people = openPeopleDatabase(connectionString);
  opened.defer(people.close);
  return {
    database,
    masterKey,
    projects,
    access: createAccessService({ database, masterKey, clock }),
    people,
  };
}

/** From the settings, else from the data folder. Created there when the database contains nothing encrypted. */
async function findMasterKey(
  config: Config,
  database: Database,
  print: (line: string) => void,
): Promise<MasterKey> {
  const text = config.masterKey ?? (await readMasterKeyFile(config.dataDir));
  if (text !== null) {
    try {
      return new MasterKey(text);
    } catch (error) {
      throw new StartError((error as Error).message);
    }
  }
  const rows = await database.system.query(ANY_PROJECT, []);
  if (rows.length > 0) {
    throw new StartError(
      'MASTER_KEY is not set, and this database was created with one: set it, or restore DATA_DIR/master.key',
    );
  }
  const generated = generateMasterKey();
  await writeMasterKeyFile(config.dataDir, generated);
  if (config.databaseUrl !== undefined)
    print('MASTER_KEY is not set: made one in DATA_DIR/master.key. Keep a copy of it.');
  return new MasterKey(generated);
}

const ANY_PROJECT = { name: 'project.any', text: 'select 1 from projects limit 1' };

function explainConnectError(error: unknown): never {
  const { cause } = error as Error;
  if (cause instanceof PoolerError) throw cause;
  throw error;
}
