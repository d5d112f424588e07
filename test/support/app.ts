import type { App } from '../../src/app.ts';
import { recalculateStandings } from '../../src/domain/accounts/standing-service.ts';
import {
  type CalibrationService,
  createCalibrationService,
} from '../../src/domain/calibration/calibration-service.ts';
import { recalculateLinks } from '../../src/domain/linking/recalculation-worker.ts';
import type { MediaService } from '../../src/domain/media/media-service.ts';
import type { Project } from '../../src/domain/projects/project.ts';
import { purgeSeen } from '../../src/domain/verification/verification-purge-store.ts';
import type { SubscriptionCounts } from '../../src/http/events/subscriptions.ts';
import type { Database } from '../../src/storage/database.ts';

/** An app with methods for tests: they run background work of a gateway immediately, and wait for it. */
export type TestApp = App & {
  readonly calibrations: CalibrationService;
  readonly database: Database;
  /** Images and videos of verifications. */
  readonly media: MediaService;
  /** Removes all expired rows, and waits for it. */
  purge(): Promise<void>;
  /** Removes expired results, faces and documents of verifications, and waits for it. */
  purgeSeen(): Promise<void>;
  /** Removes images and videos that are expired or without a row, and waits for it. */
  purgeMedia(): Promise<void>;
  /** Recomputes stale match keys and face templates, in any process, and waits for it. */
  recompute(): Promise<void>;
  /** Number of open connections and subscriptions. */
  realtimeCounts(): SubscriptionCounts & { sockets: number; streams: number };
  /** Resolves when all committed events are numbered, and can be read. */
  settleEvents(): Promise<void>;
  /** Adds all committed entries of the audit log to the chains, and waits for it. */
  chainAuditEntries(): Promise<void>;
  /** Runs all pending recalculations of a project for links, identities and standings, and waits for it. */
  recalculateLinks(projectId: string): Promise<void>;
  /** Removes the expired members of a project's lists, and waits for it. */
  expireMembers(projectId: string): Promise<void>;
  /** Creates and attempts all due deliveries of webhooks, in any process, and waits for their end. */
  settleWebhooks(): Promise<void>;
  /** Completes all submitted verifications of a project, simulated ones immediately, and waits for it. */
  settleVerifications(projectId: string): Promise<void>;
  /** Completes the email checks of a project that no other process has claimed. */
  settleEmailChecks(projectId: string): Promise<void>;
  /** Counts all committed events of a project in its statistics, and waits for it. */
  settleStats(projectId: string): Promise<void>;
  /** Fills or removes the demonstration data of a project, with its verifications, and waits for it. */
  settleDemonstration(projectId: string): Promise<void>;
  /** Runs the pending backtests of a project, and waits for their end. */
  settleBacktests(projectId: string): Promise<void>;
};

export function testApp(app: App): TestApp {
  const { start, storage, workers, domain, http, maintenance } = app.parts;
  const { clock } = start;
  const { database, masterKey, projects, access } = storage;
  const getProject = access.findProjectById;
  const inProject = async (projectId: string, work: (project: Project) => Promise<unknown>) => {
    const project = await getProject(projectId);
    if (project) await work(project);
  };
  return {
    ...app,
    calibrations: createCalibrationService({
      database,
      masterKey,
      clock,
      actor: 'command line',
      getProject: projects.getProject,
    }),
    database,
    media: domain.services.media,
    purge: maintenance.purge,
    purgeMedia: () => maintenance.perform((run) => [() => domain.services.media.purge(run)]),
    purgeSeen: () => maintenance.perform((run) => [() => purgeSeen(run)]),
    recompute: domain.recompute.settle,
    realtimeCounts: () => ({
      ...http.subscriptions.counts(),
      sockets: http.sockets.open,
      streams: http.streams.open,
    }),
    chainAuditEntries: () => workers.auditChain.settle(),
    settleEvents: () => workers.relay.settle(),
    recalculateLinks: (projectId) =>
      inProject(projectId, async (project) => {
        await recalculateLinks(project, clock);
        await recalculateStandings(project);
      }),
    expireMembers: (projectId) => inProject(projectId, (project) => workers.memberExpiry.expire(project)),
    async settleStats(projectId) {
      await workers.relay.settle();
      await workers.stats.settle(projectId);
    },
    async settleDemonstration(projectId) {
      const { demonstrationData } = database.forProject(projectId).prisma;
      do {
        await domain.demonstration.settle(projectId);
        await domain.verification.settle(projectId);
      } while (await demonstrationData.findFirst({ where: { projectId, claimableAt: { not: null } } }));
    },
    settleBacktests: (projectId) => workers.backtests.settle(projectId),
    settleEmailChecks: (projectId) => domain.emailCheckRunner.settle(projectId),
    settleWebhooks: () => workers.webhooks.settle(),
    settleVerifications: domain.verification.settle,
  };
}
