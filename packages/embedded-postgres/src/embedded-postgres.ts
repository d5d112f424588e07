import { join } from 'node:path';
import { type Binaries, findBinaryPackage, prepareBinaries } from './binaries.ts';
import { prepareCluster } from './cluster.ts';
import { locatePlaces, type Places, prepareDataDir } from './data-folder.ts';
import { EmbeddedPostgresError, explainFileError } from './embedded-postgres-error.ts';
import { acquireFolderLock } from './folder-lock.ts';
import { clearOrphan } from './orphan.ts';
import { claimCluster, ensureOwner, keepClaim, ownerUrl, superuserUrl } from './ownership.ts';
import { removeForeignPostmasterFile } from './postmaster.ts';
import { findOrCreateSecret } from './secrets.ts';
import { startServer } from './server-start.ts';
import { type Supervisor, superviseServer } from './supervisor.ts';

/*
 * The gateway's own PostgreSQL, for everyone who has not set DATABASE_URL. One start is, in this order:
 *
 *   the folder's lock      only one gateway continues
 *   places and programs    as root: where may the server's account work?
 *   orphan                 a server left by a killed gateway is waited for or stopped
 *   cluster                created, or checked for its version
 *   server                 under a guard that ends it when this process dies
 *   claim, owner role      a kept connection with the advisory lock; role and database of the product
 *   supervision            a server that ends by itself is started again, a few times
 *
 * Each step may rely on those before it. Whatever fails, the steps already made are undone.
 */

type Log = (line: string) => void;

export type EmbeddedPostgresOptions = {
  dataDir: string;
  log: Log;
  /** Further server settings, as in postgresql.conf; they win over the built-in ones. */
  settings?: Record<string, string>;
  /** Receives the reason, once, when the server exited and could not be restarted. */
  onLost?: (error: EmbeddedPostgresError) => void;
};

export type EmbeddedPostgres = {
  /** For the role `vouchgraph`: owner of the database `vouchgraph`, may create roles, is not a superuser. */
  ownerUrl: string;
  /** For making template databases in tests; the product does not use it. */
  superuserUrl: string;
  port: number;
  /** Announces a stop: from now on, a server that ends is not started again. */
  expectEnd(): void;
  /** Shuts down cleanly and releases the folder. Later calls wait for the first. */
  stop(): Promise<void>;
};

/**
 * Starts the server of a data folder, with a new cluster in an empty one, and restarts it when it ends by itself. Throws an
 * EmbeddedPostgresError with what the operator can do: another process uses the folder, it cannot be written, a program fails.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    const dataDir = await prepareDataDir(options.dataDir);
    const lock = await acquireFolderLock(dataDir, options.log);
    const server = await startOwned(dataDir, options).catch(async (error: unknown) => {
      await lock.release();
      throw error;
    });
    let stopping: Promise<void> | undefined;
    const stop = () => {
      stopping ??= server.stop().finally(() => lock.release());
      return stopping;
    };
    return { ...server, stop };
  } catch (error) {
    throw explainFileError(options.dataDir, error);
  }
}

/** The part of the start that needs the folder's lock, which the caller holds and releases. */
async function startOwned(dataDir: string, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log, settings } = options;
  const places = await locatePlaces(dataDir);
  const binaries = await prepareBinaries(findBinaryPackage(), join(places.home, 'programs'), places.account);
  reportRelocation(places, binaries, log);
  await prepareCluster(places, binaries, log);
  const password = await findOrCreateSecret(dataDir, 'superuser');
  await clearOrphan(places, binaries, (port) => superuserUrl(port, password));
  const server = await startServer(places, binaries, { settings });
  const restart = async (signal: AbortSignal) => {
    await removeForeignPostmasterFile(places.cluster);
    return startServer(places, binaries, { settings, port: server.port, signal });
  };
  const supervisor = superviseServer(server, { restart, log, onLost: options.onLost ?? (() => {}) });
  try {
    return await openServer(places, server.port, password, supervisor);
  } catch (error) {
    await supervisor.stop();
    throw explainQueryError(places, error);
  }
}

/** Claims the running server for this gateway and makes it ready for the product. */
async function openServer(
  { dataDir }: Places,
  port: number,
  password: string,
  supervisor: Supervisor,
): Promise<EmbeddedPostgres> {
  const url = superuserUrl(port, password);
  const ownership = await claimCluster(url);
  if (ownership === null) throw new EmbeddedPostgresError(`DATA_DIR ${dataDir} is in use by another gateway`);
  const ownerPassword = await findOrCreateSecret(dataDir, 'owner');
  await ensureOwner(ownership.client, ownerPassword);
  // Also renewed on a server that was started again: its port is the same.
  const claim = keepClaim(url, ownership);
  const stop = async () => {
    supervisor.expectEnd();
    await claim.release();
    await supervisor.stop();
  };
  const { expectEnd } = supervisor;
  return { ownerUrl: ownerUrl(port, ownerPassword), superuserUrl: url, port, expectEnd, stop };
}

function reportRelocation({ dataDir, home, account }: Places, { copiedTo }: Binaries, log: Log): void {
  const moved = [
    home === dataDir ? '' : `its database is in ${home}`,
    copiedTo ? `its programs are in ${copiedTo}` : '',
  ];
  const what = moved.filter((part) => part !== '').join(' and ');
  if (what === '') return;
  const why = account === null ? '' : ` (runs as uid ${account.uid}, which may not enter the usual place)`;
  log(`PostgreSQL for DATA_DIR ${dataDir}${why}: ${what}`);
}

function explainQueryError({ dataDir }: Places, error: unknown): unknown {
  if (!(error instanceof Error) || !('severity' in error)) return error;
  const { code } = error as { code?: string };
  const isWrongPassword = code === '28P01';
  return new EmbeddedPostgresError(
    isWrongPassword
      ? `The database of DATA_DIR ${dataDir} rejects the password in ${join(dataDir, 'superuser.password')}: restore that file`
      : `The database of DATA_DIR ${dataDir} could not be prepared: ${error.message} (${code})`,
    { cause: error },
  );
}
