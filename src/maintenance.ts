import { purgeEmailChecks } from './domain/email-checks/email-purge-store.ts';
import { finishErasures } from './domain/email-checks/import/import-store.ts';
import { dropOutboxPartitions, prepareOutbox, purgeOutbox } from './domain/events/outbox-store.ts';
import { purgeKeys } from './domain/idempotency/idempotency-store.ts';
import { purgeIdentityChanges } from './domain/linking/identity-store.ts';
import { encryptEarlierRows } from './domain/maintenance/encrypt-earlier-service.ts';
import type { MediaService } from './domain/media/media-service.ts';
import type { Project } from './domain/projects/project.ts';
import { purgeFraudSightings } from './domain/sessions/history-store.ts';
import { purgeBoundSessions, purgeUnboundSessions } from './domain/sessions/session-purge-store.ts';
import { purgeSeen } from './domain/verification/verification-purge-store.ts';
import { purgeDeliveries } from './domain/webhooks/delivery-store.ts';
import type { Clock } from './platform/clock.ts';
import type { Logger } from './platform/logger.ts';
import type { Database } from './storage/database.ts';
import type { PurgeRun } from './storage/purge.ts';

const INTERVAL_MS = 3_600_000;
const FIRST_RUN_MS = 60_000;
const PARTITION_DAYS = 7;
const DAY_MS = 86_400_000;
/** A purge that takes long writes a line each time it has processed so many rows. */
const ROWS_PER_LINE = 10_000;

type MaintenanceOptions = {
  database: Database;
  media: MediaService;
  getProject: (projectId: string) => Promise<Project | null>;
  clock: Clock;
  log: Logger;
  eventRetentionDays: number;
  /** 0 keeps the sessions of accounts for ever. */
  sessionRetentionDays: number;
  /** 0 keeps email checks for ever. */
  emailRetentionDays: number;
};

export type Maintenance = {
  /** Removes everything that is old, and waits for it. */
  purge(): Promise<void>;
  /** Removes results, faces and documents of verifications that are old, and waits for it. */
  purgeSeen(): Promise<void>;
  /** Removes images and videos that are old or belong to no row, and waits for it. */
  purgeMedia(): Promise<void>;
  /** Encrypts what earlier versions stored in the clear, and waits for it. */
  encryptEarlierRows(): Promise<void>;
  /** Stops behind the batch under way. The next gateway continues. */
  close(): Promise<void>;
};

/** What must be done before a gateway accepts requests: partitions for new events. */
export async function prepare(
  options: Omit<MaintenanceOptions, 'media' | 'getProject' | 'sessionRetentionDays' | 'emailRetentionDays'>,
): Promise<void> {
  const { database, log } = options;
  const run = runOf(options, new AbortController().signal);
  await eachOf(log, run, [
    () => prepareOutbox(database.system, PARTITION_DAYS),
    () => dropOutboxPartitions(run, oldestEvent(options, run)),
  ]);
}

/** Purges a minute after the start, which does not wait for it, and then every hour. */
export function startMaintenance(options: MaintenanceOptions): Maintenance {
  const { database, media, getProject, log, sessionRetentionDays, emailRetentionDays } = options;
  const closing = new AbortController();
  let last: Promise<void> = Promise.resolve();
  /** One after another: a second run at the same time would only skip the rows of the first. */
  function inTurn(works: (run: PurgeRun) => (() => Promise<unknown>)[]): Promise<void> {
    last = last.then(() => {
      const run = runOf(options, closing.signal);
      return eachOf(log, run, works(run));
    });
    return last;
  }
  const encryptEarlier = () => encryptEarlierRows({ database, getProject, signal: closing.signal });
  const purge = () =>
    inTurn((run) => [
      () => prepareOutbox(database.system, PARTITION_DAYS),
      () => purgeOutbox(run, oldestEvent(options, run)),
      () => purgeKeys(run),
      () => purgeFraudSightings(run),
      () => purgeSeen(run),
      () => purgeUnboundSessions(run),
      async () => sessionRetentionDays > 0 && (await purgeBoundSessions(run, sessionRetentionDays)),
      async () =>
        emailRetentionDays > 0 && (await purgeEmailChecks(run, daysBefore(run, emailRetentionDays))),
      () => finishErasures(run, getProject),
      () => purgeDeliveries(run, oldestEvent(options, run)),
      () => purgeIdentityChanges(run),
      () => media.purge(run),
      encryptEarlier,
    ]);
  const first = setTimeout(purge, FIRST_RUN_MS);
  const repeated = setInterval(purge, INTERVAL_MS);
  first.unref();
  repeated.unref();
  return {
    purge,
    purgeSeen: () => inTurn((run) => [() => purgeSeen(run)]),
    purgeMedia: () => inTurn((run) => [() => media.purge(run)]),
    encryptEarlierRows: () => inTurn(() => [encryptEarlier]),
    async close() {
      clearTimeout(first);
      clearInterval(repeated);
      closing.abort();
      await last;
    },
  };
}

function oldestEvent({ eventRetentionDays }: Pick<MaintenanceOptions, 'eventRetentionDays'>, run: PurgeRun) {
  return daysBefore(run, eventRetentionDays);
}

function daysBefore({ now }: PurgeRun, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}

function runOf(
  { database, clock, log }: Pick<MaintenanceOptions, 'database' | 'clock' | 'log'>,
  signal: AbortSignal,
): PurgeRun {
  const written = new Map<string, number>();
  return {
    system: database.system,
    now: clock.now(),
    signal,
    onProgress(purge, rows) {
      const lines = Math.floor(rows / ROWS_PER_LINE);
      if (lines === (written.get(purge) ?? 0)) return;
      written.set(purge, lines);
      log.info({ purge, rows }, 'purging old rows');
    },
  };
}

/** A failure does not stop the others: what fails is repeated by the next run. */
async function eachOf(log: Logger, { signal }: PurgeRun, works: readonly (() => Promise<unknown>)[]) {
  for (const work of works) {
    if (signal.aborted) return;
    await work().catch((error: unknown) => log.error({ err: error }, 'maintenance failed'));
  }
}
