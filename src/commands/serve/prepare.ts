import { createServer } from 'node:net';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@vouchgraph/embedded-postgres';
import { holdYoungGeneration, limitHeapWhileStarting } from '@vouchgraph/platform/heap';
import { print } from '@vouchgraph/terminal';
import { explainListenError } from '../../app/start-error.ts';
import { type Config, readConfig } from '../../config.ts';

/*
 * The part of a start that needs no generated files. bin/vouchgraph.mjs runs it while these files are built by other
 * processes: a first start is limited by the processor time of both.
 */

/** The gateway's own PostgreSQL, which is starting. */
export type PreparedPostgres = {
  readonly postgres: Promise<EmbeddedPostgres>;
  /** Resolves with the reason when PostgreSQL ended and cannot be started again. */
  readonly lost: Promise<Error>;
};

let prepared: PreparedPostgres | undefined;

/** Starts PostgreSQL, and loads most of the code of the service. Errors are those of `serve` later. */
export async function prepare(): Promise<void> {
  holdYoungGeneration();
  limitHeapWhileStarting();
  try {
    startPostgres();
    for (const load of INDEPENDENT_CODE) await load();
  } catch {}
}

/** The PostgreSQL that `prepare` started, if it did. */
export function takePrepared(): PreparedPostgres | undefined {
  const taken = prepared;
  prepared = undefined;
  return taken;
}

/** Stops PostgreSQL, for a start that fails. */
export async function abandonPrepared(): Promise<void> {
  await takePrepared()?.postgres.then(
    ({ stop }) => stop(),
    () => {},
  );
}

/**
 * Modules with most of the code that imports no generated files, and data that they read. Each one is loaded in one go, and
 * PostgreSQL takes its steps between them.
 */
const INDEPENDENT_CODE: readonly (() => Promise<unknown>)[] = [
  () => import('../../app/open-storage.ts'),
  () => import('@vouchgraph/signals/network-intelligence'),
  () => import('../../graphql/kernel/context.ts'),
  () => import('../../domain/accounts/account-service.ts'),
  () => import('../../domain/verification/open-verification-service.ts'),
  () => import('../../app/open-workers.ts'),
  () => import('../../domain/decisions/backtests/backtest-service.ts'),
  () => import('../../http/imports/routes.ts'),
  () => import('../../http/capture/page-routes.ts'),
  () => import('../../domain/media/media-service.ts'),
  () => import('graphql-yoga'),
  async () => (await import('@vouchgraph/email/domain-lists')).loadDomainLists(),
  async () => (await import('@vouchgraph/phone/phone-ranges')).loadPhoneRanges(),
  async () => (await import('@vouchgraph/signals/country-of-point')).loadBorders(),
];

function startPostgres(): void {
  const config = readConfig();
  if (config.databaseUrl !== undefined) return;
  const lost = Promise.withResolvers<Error>();
  const postgres = assertPortIsFree(config).then(() =>
    startEmbeddedPostgres({ dataDir: config.dataDir, log: print, onLost: lost.resolve }),
  );
  // Reported by `serve`.
  postgres.catch(() => {});
  prepared = { postgres, lost: lost.promise };
}

/** A start whose port is in use creates no files. */
async function assertPortIsFree(config: Config): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(config, error)));
    server.listen(config.port, config.host, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}
