import type { Clock } from '@vouchgraph/platform/clock';
import type { Logger } from '@vouchgraph/platform/logger';
import { dropOutboxPartitions, prepareOutbox } from '../domain/events/outbox-store.ts';
import type { Database } from '../storage/database.ts';
import type { PurgeRun } from '../storage/purge.ts';

/** Days for which partitions of events exist in advance. */
export const PARTITION_DAYS = 7;
const DAY_MS = 86_400_000;
/** Number of processed rows after which a long purge logs a line. */
const ROWS_PER_LINE = 10_000;

type PurgeRunOptions = { database: Database; clock: Clock; log: Logger };

/** Creates the partitions of events that a gateway needs before it accepts requests, and drops old ones. */
export async function prepareEvents(
  options: PurgeRunOptions & { eventRetentionDays: number },
): Promise<void> {
  const { database, log, eventRetentionDays } = options;
  const run = purgeRunOf(options, new AbortController().signal);
  await performEach(log, run, [
    () => prepareOutbox(database.system, PARTITION_DAYS),
    () => dropOutboxPartitions(run, daysBefore(run, eventRetentionDays)),
  ]);
}

/** Time that many days before the run. */
export function daysBefore({ now }: PurgeRun, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}

/** A run that logs its progress. */
export function purgeRunOf({ database, clock, log }: PurgeRunOptions, signal: AbortSignal): PurgeRun {
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

/** Performs the steps in sequence. A failure does not stop the others: the next run repeats the failed step. */
export async function performEach(
  log: Logger,
  { signal }: PurgeRun,
  works: readonly (() => Promise<unknown>)[],
): Promise<void> {
  for (const work of works) {
    if (signal.aborted) return;
    await work().catch((error: unknown) => log.error({ err: error }, 'maintenance failed'));
  }
}
