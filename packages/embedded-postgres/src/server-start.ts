import { createServer } from 'node:net';
import type { Binaries } from './binaries.ts';
import type { Places } from './data-folder.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { pollUntil } from './poll.ts';
import { readPostmasterFile } from './postmaster.ts';
import { openServerLog } from './server-log.ts';
import { type ServerProcess, spawnServer } from './server-process.ts';
import { serverArguments } from './settings.ts';

export type RunningServer = { process: ServerProcess; port: number };

// Replaying the log of a server that was killed takes seconds; minutes only after very heavy writing.
const RECOVERY_TIMEOUT_MS = 600_000;
const RETRY_TIMEOUT_MS = 10_000;

/** Temporary failures: the last processes of a killed server, or a port taken since it was chosen. */
const TRANSIENT_PROBLEM =
  /lock file "[^"]*" already exists|pre-existing shared memory block|could not create any TCP\/IP sockets/;

export type StartOptions = {
  settings?: Record<string, string>;
  /** A free one by default. */
  port?: number;
  /** Ends the start, and the server that it began. */
  signal?: AbortSignal;
};

export async function startServer(
  places: Places,
  binaries: Binaries,
  options: StartOptions = {},
): Promise<RunningServer> {
  let problem = '';
  const server = await pollUntil(
    async () => {
      const outcome = await tryStart(places, binaries, options);
      if (typeof outcome !== 'string') return outcome;
      problem = outcome;
      if (options.signal?.aborted || !TRANSIENT_PROBLEM.test(problem)) throw startFailed(places, problem);
      return null;
    },
    { timeoutMs: RETRY_TIMEOUT_MS, everyMs: 100 },
  );
  if (server === null) throw startFailed(places, problem);
  return server;
}

/** The running server, or its output before it exited. */
async function tryStart(
  places: Places,
  binaries: Binaries,
  { settings, port: wanted, signal }: StartOptions,
): Promise<RunningServer | string> {
  const log = await openServerLog(places.dataDir);
  try {
    const args = serverArguments(places.cluster, wanted ?? (await findFreePort()), settings);
    const server = spawnServer(places, binaries, args, log);
    const port = await waitUntilReady(server, places.cluster, signal);
    if (port !== null) return { process: server, port };
    await server.stop();
    return server.problem() || (await log.readNew());
  } finally {
    await log.close();
  }
}

/** Null when it ended, is to end, or never became ready. */
async function waitUntilReady(
  server: ServerProcess,
  cluster: string,
  signal?: AbortSignal,
): Promise<number | null> {
  const outcome = await pollUntil(
    async () => {
      if (server.hasEnded() || signal?.aborted) return { port: null };
      const file = await readPostmasterFile(cluster);
      return file?.isReady && file.pid === server.pid ? { port: file.port } : null;
    },
    { timeoutMs: RECOVERY_TIMEOUT_MS, everyMs: 5 },
  );
  return outcome?.port ?? null;
}

/** Another process may take the port before PostgreSQL opens it, hence the retry above. */
function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function startFailed({ dataDir }: Places, written: string): EmbeddedPostgresError {
  const lines = written.trim().split('\n');
  const reason = lines.find((line) => /(FATAL|PANIC):/.test(line)) ?? lines.at(-1);
  const message = reason?.replace(/^.*(FATAL|PANIC):\s*/, '') || 'no reason given';
  return new EmbeddedPostgresError(
    `PostgreSQL did not start in DATA_DIR ${dataDir}: ${message} (see ${dataDir}/postgres.log)`,
  );
}
