import type { AddressInfo } from 'node:net';
import type { Config } from './config.ts';
import { type AccountService, createAccountService } from './domain/accounts/account-service.ts';
import { createRebuildService, type RebuildService } from './domain/accounts/rebuild-service.ts';
import { loadDomainLists } from './domain/email/domain-lists.ts';
import { createMailExchangers } from './domain/email/mail-exchangers.ts';
import { createEventHub } from './domain/events/event-hub-service.ts';
import { createEventService } from './domain/events/event-service.ts';
import { prepareOutbox, purgeOutbox } from './domain/events/outbox-store.ts';
import { startRelay } from './domain/events/relay-service.ts';
import { createIdempotencyService } from './domain/idempotency/idempotency-service.ts';
import { purgeKeys } from './domain/idempotency/idempotency-store.ts';
import { settleLinks, startFollowUp } from './domain/linking/follow-up-service.ts';
import { createListService } from './domain/lists/list-service.ts';
import { startMemberExpiry } from './domain/lists/member-expiry-service.ts';
import { createMediaService, type MediaService } from './domain/media/media-service.ts';
import { type AccessService, createAccessService, type Viewer } from './domain/projects/access-service.ts';
import { type CalibrationService, createCalibrationService } from './domain/projects/calibration-service.ts';
import type { Project } from './domain/projects/project.ts';
import { createProjectService, type ProjectService } from './domain/projects/project-service.ts';
import { createSettingsService, type SettingsService } from './domain/projects/settings-service.ts';
import { createBacktestService } from './domain/rules/backtest-service.ts';
import { createRuleService } from './domain/rules/rule-service.ts';
import { startBacktests } from './domain/rules/run-backtests-service.ts';
import { purgeFraudSightings } from './domain/sessions/history-store.ts';
import { createSessionService } from './domain/sessions/session-service.ts';
import { type NetworkIntelligence, openNetworkIntelligence } from './domain/signals/network-intelligence.ts';
import { createFaceSearch } from './domain/verification/face-index-service.ts';
import { purgeSeen } from './domain/verification/face-store.ts';
import { openVerification } from './domain/verification/open-verification-service.ts';
import { createUploadPermission } from './domain/verification/upload-permission-service.ts';
import { purgeDeliveries } from './domain/webhooks/delivery-store.ts';
import { createEndpointService, type EndpointService } from './domain/webhooks/endpoint-service.ts';
import { openJobs } from './domain/webhooks/job-store.ts';
import { createResolve, createSender, type Resolve } from './domain/webhooks/sender-service.ts';
import { startWebhooks } from './domain/webhooks/webhook-service.ts';
import { createGraphQLOverHttp } from './graphql/http.ts';
import { createClientAddress } from './platform/client-address.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { generateMasterKey, MasterKey } from './platform/crypto.ts';
import { createLogger, type Logger } from './platform/logger.ts';
import { createEventStreams, HEARTBEAT_MS } from './realtime/event-stream.ts';
import { createSubscriptions, type SubscriptionCounts } from './realtime/subscriptions.ts';
import { createViewerWatch } from './realtime/viewer-watch.ts';
import { PING_MS, serveWebSockets } from './realtime/websocket.ts';
import { type Database, openDatabase, type StatementObserver } from './storage/database.ts';
import { startEmbeddedPostgres } from './storage/embedded-postgres.ts';
import { readMasterKeyFile, writeMasterKeyFile } from './storage/master-key-file.ts';
import { openMediaStorage } from './storage/media/open-media-storage.ts';
import { migrate } from './storage/migrate.ts';
import { createCaptureRoutes } from './web/capture-routes.ts';
import { createHttpServer } from './web/http-server.ts';
import { createMediaRoutes } from './web/media-routes.ts';
import { createPages } from './web/pages.ts';
import { createRateLimit } from './web/rate-limit.ts';

export type AppOptions = {
  config: Config;
  /** Lines for a person who watches the start. */
  say?: (line: string) => void;
  clock?: Clock;
  log?: Logger;
  /** Told of every SQL statement by name. */
  onStatement?: StatementObserver;
  /** Whether what changes leave for later with links is followed by this process; true by default. */
  followsLinks?: boolean;
  /** Already open: tests share one. */
  network?: NetworkIntelligence;
  /** How names of receivers are resolved, and how long they have to answer: name servers and 15 seconds by default. */
  webhooks?: { resolve?: Resolve; timeoutMs?: number };
  /** How often quiet streams and sockets are written to: every 12 seconds by default. */
  realtime?: { heartbeatMs?: number; pingMs?: number };
};

export type App = {
  /** Begins to answer; the address is the one really bound. */
  listen(): Promise<{ baseUrl: string }>;
  /** Finishes what was begun, within ten seconds, and stops everything. */
  close(): Promise<void>;
  readonly projects: ProjectService;
  readonly calibrations: CalibrationService;
  readonly database: Database;
  /** Pictures and clips of verifications. */
  readonly media: MediaService;
  /** Forgets results, faces and documents whose time is over, and waits for it. */
  purgeSeen(): Promise<void>;
  /** Removes pictures and clips that are over or nobody's, and waits for it. */
  purgeMedia(): Promise<void>;
  /** Who is connected, and what is followed for them. */
  realtimeCounts(): SubscriptionCounts & { sockets: number; streams: number };
  /** Resolves when all events that are committed are numbered, and can be read. */
  settleEvents(): Promise<void>;
  /** Follows all that changes of a project left for later with its links and identities, and waits for it. */
  settleLinks(projectId: string): Promise<void>;
  /** Removes the members of a project's lists whose time is over, and waits for it. */
  expireMembers(projectId: string): Promise<void>;
  /** Makes and tries all deliveries of webhooks that are due, in whichever process, and waits for their end. */
  settleWebhooks(): Promise<void>;
  /** Ends all verifications of a project that were submitted, simulated ones at once, and waits for it. */
  settleVerifications(projectId: string): Promise<void>;
  /** Runs the backtests of a project that wait, and waits for their end. */
  settleBacktests(projectId: string): Promise<void>;
};

const MAINTENANCE_MS = 3_600_000;
const FIRST_PURGE_MS = 60_000;
/** Sessions that links without a key may make, by address and by project. */
const REDIRECTS_PER_MINUTE = 30;
const DRAIN_MS = 9_000;
const PARTITION_DAYS = 7;
const DAY_MS = 86_400_000;

/** Something stands in the way of starting; the message is one line for the operator. */
export class StartError extends Error {}

/** Puts the service together: the only place that knows every room. */
export async function createApp(options: AppOptions): Promise<App> {
  const { config, clock = systemClock, say = () => {} } = options;
  const log = options.log ?? createLogger(config.logLevel);
  const storageOpened = Promise.withResolvers<void>();
  const opening =
    options.network ??
    openNetworkIntelligence({
      feedsDir: config.feedsDir,
      // What keeps the gateway from starting is told alone, and first.
      onFeedProblem: (feed, reason) =>
        storageOpened.promise.then(() => log.warn({ feed, reason }, 'a feed is not in use as it stands')),
    });
  // Should the database fail first, nobody waits for this any more.
  Promise.resolve(opening).catch(() => {});
  const storage = await openStorage(options, say);
  storageOpened.resolve();
  try {
    const { database, access } = storage;
    const network = await opening;
    loadDomainLists();
    const mailExchangers = config.mxLookups
      ? createMailExchangers({ clock, servers: config.dnsServers.length > 0 ? config.dnsServers : undefined })
      : null;
    const relay = startRelay({
      system: database.system,
      onError: (error) => log.error({ err: error }, 'numbering events failed'),
    });
    const followUp =
      options.followsLinks === false
        ? null
        : startFollowUp({
            database,
            clock,
            getProject: access.findProjectById,
            onError: (error) => log.error({ err: error }, 'following links failed'),
          });
    const memberExpiry = startMemberExpiry({
      database,
      clock,
      getProject: access.findProjectById,
      onError: (error) => log.error({ err: error }, 'removing ended members of lists failed'),
    });
    const backtests = startBacktests({
      database,
      clock,
      getProject: access.findProjectById,
      onError: (error) => log.error({ err: error }, 'running backtests failed'),
    });
    const hub = createEventHub({
      relay,
      onError: (error) => log.error({ err: error }, 'following events failed'),
    });
    const jobs = await openJobs(database.system, {
      keepsUp: true,
      onError: (error) => log.error({ err: error }, 'the job queue failed'),
    });
    const sender = createSender({ resolve: createResolve(config.dnsServers), ...options.webhooks });
    const allowsLoopback = loopbackRule(config);
    const webhooks = startWebhooks({
      jobs,
      sender,
      clock,
      relay,
      allowsLoopback,
      getProject: access.findProjectById,
      onError: (error) => log.error({ err: error }, 'telling webhooks failed'),
    });
    let baseUrl = '';
    const mediaStorage = await openMediaStorage(config.media);
    const media = createMediaService({
      storage: mediaStorage,
      clock,
      retentionDays: config.mediaRetentionDays,
      baseUrl: () => baseUrl,
      // What decodes pictures is large: it is loaded with the first of them.
      checkImage: async (bytes) => (await import('./domain/vision/image-check.ts')).checkImage(bytes),
      mayUpload: createUploadPermission(clock),
      onError: (error) =>
        log.error({ err: error }, 'a file of a verification cannot be kept, read or removed'),
    });
    const purgeMedia = () => media.purge(database.system, clock.now());
    const faces = createFaceSearch();
    const accounts = createAccountService({
      clock,
      mailExchangers,
      onMarks: followUp?.wake,
      onErased: async (project, sessionIds) => {
        faces.forgetSessions(project, sessionIds);
        await media.eraseSessions(project, sessionIds);
      },
    });
    const sessions = createSessionService({ network, clock, edgePosition: config.edgePosition });
    const verification = await openVerification({
      system: database.system,
      accounts,
      sessions,
      media,
      faces,
      clock,
      workers: config.visionWorkers,
      baseUrl: () => baseUrl,
      getProject: access.findProjectById,
      onError: (error, message) => log.error({ err: error }, message),
    });
    const { verifications, captures } = verification;
    const services = {
      media,
      accounts,
      sessions,
      verifications,
      captures,
      webhooks: createEndpointService({ clock, jobs, sender, allowsLoopback, onResent: webhooks.wake }),
      events: createEventService({
        onError: (error) => log.error({ err: error }, 'an event does not open'),
      }),
      lists: createListService({ clock }),
      settings: createSettingsService({ clock, onChange: access.forgetProject }),
      rules: createRuleService({ clock }),
      backtests: createBacktestService({ clock, onAdded: backtests.wake }),
      network,
      clock,
    };
    const graphql = createGraphQLOverHttp({ log });
    const subscriptions = createSubscriptions({ hub, services, getProject: access.findProjectById, log });
    const { profiles } = graphql;
    const watch = createViewerWatch();
    const { heartbeatMs = HEARTBEAT_MS, pingMs = PING_MS } = options.realtime ?? {};
    const streams = createEventStreams({ subscriptions, profiles, watch, log, heartbeatMs });
    const keyLimit = createRateLimit(config.rateLimitPerMinute);
    const mediaRoutes = createMediaRoutes({ access, media, clock });
    const server = createHttpServer({
      mediaRoutes,
      captureRoutes: createCaptureRoutes({
        access,
        captures,
        verifications,
        bodies: mediaRoutes.bodies,
        pageLimit: createRateLimit(config.rateLimitPerMinute),
        redirectLimit: createRateLimit(REDIRECTS_PER_MINUTE),
        baseUrl: () => baseUrl,
      }),
      access,
      services,
      graphql,
      streams,
      log,
      idempotency: createIdempotencyService({
        clock,
        onDamaged: (error, requestId) => log.error({ requestId, err: error }, 'a stored answer is damaged'),
      }),
      keyLimit,
      collectorLimit: createRateLimit(config.collectorLimitPerMinute),
      pages: createPages(() => baseUrl),
      clientAddress: createClientAddress(config.trustedProxies),
      checkReady: () => database.ping(),
    });
    const sockets = serveWebSockets(server, {
      access,
      services,
      subscriptions,
      watch,
      profiles,
      countRequest: (limitKey) => keyLimit.take(limitKey),
      log,
      pingMs,
    });
    // After the start, so that it does not wait for a full storage.
    const firstPurge = setTimeout(() => {
      purgeMedia().catch((error: unknown) => log.error({ err: error }, 'maintenance failed'));
    }, FIRST_PURGE_MS);
    firstPurge.unref();
    const maintenance = setInterval(() => {
      maintain(database, clock, config.eventRetentionDays, log)
        .then(purgeMedia)
        .catch((error: unknown) => log.error({ err: error }, 'maintenance failed'));
    }, MAINTENANCE_MS);
    maintenance.unref();

    return {
      projects: storage.projects,
      calibrations: storage.calibrations,
      database,
      media,
      purgeMedia,
      purgeSeen: () => purgeSeen(database.system, clock.now()),
      realtimeCounts: () => ({ ...subscriptions.counts(), sockets: sockets.open, streams: streams.open }),
      settleEvents: () => relay.settle(),
      async settleLinks(projectId) {
        const project = await access.findProjectById(projectId);
        if (project) await settleLinks(project, clock);
      },
      async expireMembers(projectId) {
        const project = await access.findProjectById(projectId);
        if (project) await memberExpiry.expire(project);
      },
      settleBacktests: (projectId) => backtests.settle(projectId),
      settleWebhooks: () => webhooks.settle(),
      settleVerifications: (projectId) => verification.settle(projectId),
      async listen() {
        await new Promise<void>((resolve, reject) => {
          server.once('error', (error) => reject(explainListenError(config, error)));
          server.listen(config.port, config.host, resolve);
        });
        const { port } = server.address() as AddressInfo;
        const host = config.host.includes(':') ? `[${config.host}]` : config.host;
        baseUrl = config.publicUrl ?? `http://${host}:${port}`;
        return { baseUrl };
      },
      async close() {
        clearInterval(maintenance);
        clearTimeout(firstPurge);
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        server.closeIdleConnections();
        const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
        streams.close();
        watch.close();
        await sockets.close();
        await closed;
        clearTimeout(force);
        await verification.close();
        await followUp?.close();
        await hub.close();
        await webhooks.close();
        await jobs.close();
        await sender.close();
        await relay.close();
        await backtests.close();
        await memberExpiry.close();
        mailExchangers?.close();
        // One that was handed in serves others too.
        if (!options.network) network.close();
        mediaStorage.close();
        await storage.close();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

type Storage = {
  database: Database;
  masterKey: MasterKey;
  projects: ProjectService;
  calibrations: CalibrationService;
  access: AccessService;
  close(): Promise<void>;
};

async function openStorage(
  { config, clock = systemClock, onStatement, log }: AppOptions,
  say: (line: string) => void,
): Promise<Storage> {
  const embedded =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, log: say })
      : null;
  const connectionString = config.databaseUrl ?? embedded!.ownerUrl;
  let database: Database | undefined;
  const close = async () => {
    await database?.close();
    await embedded?.stop();
  };
  try {
    await migrate({ connectionString, log: say });
    database = openDatabase({ connectionString, poolSize: config.databasePoolSize, onStatement });
    await maintain(database, clock, config.eventRetentionDays, log ?? createLogger(config.logLevel));
    const masterKey = await findMasterKey(config, database, say);
    const projects = createProjectService({ database, masterKey, clock, actor: 'command line' });
    await projects.checkMasterKey().catch(() => {
      throw new StartError(
        'MASTER_KEY does not open the keys in this database: it was made with another one',
      );
    });
    const { getProject } = projects;
    const calibrations = createCalibrationService({
      database,
      masterKey,
      clock,
      actor: 'command line',
      getProject,
    });
    const access = createAccessService({ database, masterKey, clock });
    return { database, masterKey, projects, calibrations, access, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The database and the projects alone, for the command line. */
export async function openForCommandLine(
  config: Config,
  connectionString: string,
  databasePoolSize = 1,
): Promise<Storage> {
  return openStorage({ config: { ...config, databaseUrl: connectionString, databasePoolSize } }, () => {});
}

export type ProjectForCommandLine = {
  readonly viewer: Viewer;
  readonly accounts: AccountService;
  readonly rebuilding: RebuildService;
  readonly settings: SettingsService;
  /** Follows all that was left for later with links and identities. */
  settle(): Promise<void>;
};

/** What the command line does to the accounts of one project. Domains of emails are not asked of name servers. */
export async function openProjectForCommandLine(
  { projects, access }: Storage,
  projectId: string,
): Promise<ProjectForCommandLine> {
  await projects.getProject(projectId);
  const project = (await access.findProjectById(projectId))!;
  const viewer: Viewer = {
    project,
    kind: 'key',
    role: 'operator',
    actor: 'command line',
    limitKey: 'command line',
  };
  const accounts = createAccountService({ clock: systemClock, mailExchangers: null });
  return {
    viewer,
    accounts,
    rebuilding: createRebuildService({ accounts, clock: systemClock }),
    settings: createSettingsService({ clock: systemClock }),
    settle: () => settleLinks(project, systemClock),
  };
}

export type WebhooksForCommandLine = {
  readonly viewer: Viewer;
  readonly webhooks: EndpointService;
  close(): Promise<void>;
};

/** The webhooks of one project. What is to be sent is left to a gateway. */
export async function openWebhooksForCommandLine(
  storage: Storage,
  config: Config,
  projectId: string,
): Promise<WebhooksForCommandLine> {
  const { viewer } = await openProjectForCommandLine(storage, projectId);
  const jobs = await openJobs(storage.database.system, { keepsUp: false, onError: () => {} });
  const sender = createSender({ resolve: createResolve(config.dnsServers) });
  return {
    viewer,
    webhooks: createEndpointService({
      clock: systemClock,
      jobs,
      sender,
      allowsLoopback: loopbackRule(config),
      onResent: () => {},
    }),
    async close() {
      await jobs.close();
      await sender.close();
    },
  };
}

/** From the settings, else from the data folder; made there when the database holds nothing that needs one. */
async function findMasterKey(
  config: Config,
  database: Database,
  say: (line: string) => void,
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
      'MASTER_KEY is not set, and this database was filled with one: set it, or restore DATA_DIR/master.key',
    );
  }
  const generated = generateMasterKey();
  await writeMasterKeyFile(config.dataDir, generated);
  if (config.databaseUrl !== undefined)
    say('MASTER_KEY is not set: made one in DATA_DIR/master.key. Keep a copy of it.');
  return new MasterKey(generated);
}

/** Sandboxes may be told on this machine, where the operator lets them. */
function loopbackRule(config: Config): (project: Project) => boolean {
  return ({ environment }) => config.webhookAllowLoopback && environment === 'sandbox';
}

const ANY_PROJECT = { name: 'project.any', text: 'select 1 from projects limit 1' };

/** Each of them whatever became of the others: what fails is done another time, and keeps no gateway from starting. */
async function maintain(
  { system }: Database,
  clock: Clock,
  eventRetentionDays: number,
  log: Logger,
): Promise<void> {
  const now = clock.now();
  const oldestEvent = new Date(now.getTime() - eventRetentionDays * DAY_MS);
  const works = [
    () => prepareOutbox(system, PARTITION_DAYS),
    () => purgeOutbox(system, oldestEvent),
    () => purgeKeys(system, now),
    () => purgeFraudSightings(system, now),
    () => purgeSeen(system, now),
    () => purgeDeliveries(system, oldestEvent),
  ];
  for (const work of works) {
    await work().catch((error: unknown) => log.error({ err: error }, 'maintenance failed'));
  }
}

function explainListenError({ host, port }: Config, error: Error): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new StartError(`Port ${port} on ${host} is taken: set PORT to another one`);
  if (code === 'EACCES')
    return new StartError(`Port ${port} on ${host} may not be used by this user: set PORT to another one`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(`HOST ${host} is no address of this machine`);
  return error;
}
