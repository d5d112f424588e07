import type { Clock } from '@vouchgraph/platform/clock';
import type { Logger } from '@vouchgraph/platform/logger';
import { purgeAuditedValues } from '../domain/audit/erase-values-store.ts';
import { purgeBacktestMatches } from '../domain/decisions/backtests/backtest-match-store.ts';
import { purgeEmailChecks } from '../domain/email-checks/email-purge-store.ts';
import { finishErasures } from '../domain/email-checks/import/import-store.ts';
import { prepareOutbox, purgeOutbox } from '../domain/events/outbox-store.ts';
import { purgeKeys } from '../domain/idempotency/idempotency-store.ts';
import { purgeIdentityChanges } from '../domain/linking/identity-store.ts';
import { purgePendingMembers } from '../domain/lists/pending-member-store.ts';
import type { MediaService } from '../domain/media/media-service.ts';
import { purgePeople } from '../domain/people/people-service.ts';
import type { Project } from '../domain/projects/project.ts';
import { REVEAL_KEPT_DAYS } from '../domain/reveals/reveal.ts';
import { purgeReveals } from '../domain/reveals/reveal-store.ts';
import { purgeFraudSightings } from '../domain/sessions/history-store.ts';
import { purgeBoundSessions, purgeUnboundSessions } from '../domain/sessions/session-purge-store.ts';
import type { StatsWorker } from '../domain/stats/stats-worker.ts';
import { purgeSeen } from '../domain/verification/verification-purge-store.ts';
import { purgeDeliveries } from '../domain/webhooks/delivery-store.ts';
import type { Database } from '../storage/database.ts';
import type { PeopleDatabase } from '../storage/people-database.ts';
import type { PurgeRun } from '../storage/purge.ts';
import { daysBefore, PARTITION_DAYS, performEach, purgeRunOf } from './purge-run.ts';

const INTERVAL_MS = 3_600_000;
const FIRST_RUN_MS = 60_000;

type MaintenanceOptions = {
  /** False: work is done when a method is called, and at no other time. */
  runsAlone?: boolean | undefined;
  database: Database;
  media: MediaService;
  people: PeopleDatabase;
  getProject: (projectId: string) => Promise<Project | null>;
  stats: Pick<StatsWorker, 'settle'>;
  clock: Clock;
  log: Logger;
  eventRetentionDays: number;
  /** 0 keeps the sessions of accounts without limit. */
  sessionRetentionDays: number;
  /** 0 keeps email checks without limit. */
  emailRetentionDays: number;
  /** 0 keeps addresses and reasons of audit entries without limit. */
  auditValueRetentionDays: number;
};

/** Steps of a maintenance run, executed in sequence. */
type Works = (run: PurgeRun) => (() => Promise<unknown>)[];

export type Maintenance = {
  /** Removes everything that is old, and waits for it. */
  purge(): Promise<void>;
  /** Runs other work after the current run, and waits for it. */
  perform(works: Works): Promise<void>;
  /** Stops after the current batch. The next gateway continues. */
  close(): Promise<void>;
};

/** Purges a minute after the start, which does not wait for it, and then every hour. */
export function startMaintenance(options: MaintenanceOptions): Maintenance {
  const {
    database,
    people,
    media,
    getProject,
    stats,
    log,
    eventRetentionDays,
    sessionRetentionDays,
    emailRetentionDays,
    auditValueRetentionDays,
  } = options;
  const closing = new AbortController();
  let last: Promise<void> = Promise.resolve();
  /** One after another: a second run at the same time would only skip the rows of the first. */
  function perform(works: Works): Promise<void> {
    last = last.then(() => {
      const run = purgeRunOf(options, closing.signal);
      return performEach(log, run, works(run));
    });
    return last;
  }
  const purge = () =>
    perform((run) => [
      () => prepareOutbox(database.system, PARTITION_DAYS),
      // Before anything that statistics count is removed.
      () => stats.settle(null),
      // Before the events: the body of a dropped event would be erased without its account.
      () => purgeDeliveries(run, daysBefore(run, eventRetentionDays)),
      () => purgeOutbox(run, daysBefore(run, eventRetentionDays)),
      () => purgeKeys(run),
      () => purgeFraudSightings(run),
      () => purgeSeen(run),
      () => purgeUnboundSessions(run),
      async () => sessionRetentionDays > 0 && (await purgeBoundSessions(run, sessionRetentionDays)),
      async () =>
        emailRetentionDays > 0 && (await purgeEmailChecks(run, daysBefore(run, emailRetentionDays))),
      async () =>
        auditValueRetentionDays > 0 &&
        (await purgeAuditedValues(run, daysBefore(run, auditValueRetentionDays))),
      () => finishErasures(run, getProject),
      () => purgeIdentityChanges(run),
      () => purgeBacktestMatches(run),
      () => purgePendingMembers(run),
      () => purgeReveals(run, daysBefore(run, REVEAL_KEPT_DAYS)),
      () => purgePeople(people.query, run),
      () => media.purge(run),
    ]);
  const runsAlone = options.runsAlone ?? true;
  const first = runsAlone ? setTimeout(purge, FIRST_RUN_MS).unref() : undefined;
  const repeated = runsAlone ? setInterval(purge, INTERVAL_MS).unref() : undefined;
  return {
    purge,
    perform,
    async close() {
      clearTimeout(first);
      clearInterval(repeated);
      closing.abort();
      await last;
    },
  };
}
