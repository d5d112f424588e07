import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from './config.ts';
import { type AccountService, createAccountService } from './domain/accounts/account-service.ts';
import { findAccountByAccountId } from './domain/accounts/account-store.ts';
import { startMatchKeys } from './domain/accounts/match-key-service.ts';
import { createRebuildService, type RebuildService } from './domain/accounts/rebuild-service.ts';
import {
  type CalibrationService,
  createCalibrationService,
} from './domain/calibration/calibration-service.ts';
import { createBacktestService } from './domain/decisions/backtests/backtest-service.ts';
import { startBacktests } from './domain/decisions/backtests/run-backtests-service.ts';
import { loadDomainLists } from './domain/email/domain-lists.ts';
import { overridesOf } from './domain/email/domain-overrides.ts';
import { createMailExchangers } from './domain/email/mail-exchangers.ts';
import type { EmailProviders } from './domain/email/providers/email-providers.ts';
import { createConfiguredProviders } from './domain/email/providers/http/configured-providers.ts';
import { openEmailProviders } from './domain/email/providers/open-email-providers.ts';
import { findAddressHistories } from './domain/email-checks/address-history-store.ts';
import { openEmailChecks } from './domain/email-checks/email-check-service.ts';
import { createEmailEraseService } from './domain/email-checks/email-erase-service.ts';
import {
  createEmailImportService,
  type EmailImportService,
} from './domain/email-checks/import/import-service.ts';
import { createEventHub, type EventHub } from './domain/events/event-hub-service.ts';
import { createEventService } from './domain/events/event-service.ts';
import { startRelay } from './domain/events/relay-service.ts';
import { createIdempotencyService } from './domain/idempotency/idempotency-service.ts';
import { settleLinks, startFollowUp } from './domain/linking/follow-up-service.ts';
import { createLinkGraphService } from './domain/linking/link-graph-service.ts';
import { createListService } from './domain/lists/list-service.ts';
import { startMemberExpiry } from './domain/lists/member-expiry-service.ts';
import { createMediaService, type MediaService } from './domain/media/media-service.ts';
import { loadPhoneRanges } from './domain/phone/phone-ranges.ts';
import { type AccessService, createAccessService, type Viewer } from './domain/projects/access-service.ts';
import type { Project } from './domain/projects/project.ts';
import { createProjectService, type ProjectService } from './domain/projects/project-service.ts';
import { createSettingsService, type SettingsService } from './domain/projects/settings-service.ts';
import { createRuleService } from './domain/rules/rule-service.ts';
import { createSessionService } from './domain/sessions/session-service.ts';
import { type NetworkIntelligence, openNetworkIntelligence } from './domain/signals/network-intelligence.ts';
import { bindSessionOfCheck } from './domain/verification/bind-check-service.ts';
import { createFaceSearch } from './domain/verification/face-index-service.ts';
import { openVerification } from './domain/verification/open-verification-service.ts';
import { createUploadPermission } from './domain/verification/upload-permission-service.ts';
import { createEndpointService, type EndpointService } from './domain/webhooks/endpoint-service.ts';
import { openJobs } from './domain/webhooks/job-store.ts';
import { createResolve, createSender, type Resolve } from './domain/webhooks/sender-service.ts';
import { startWebhooks } from './domain/webhooks/webhook-service.ts';
import type { Services } from './graphql/context.ts';
import { addressKey } from './http/address-key.ts';
import { createByteLimit } from './http/byte-limit.ts';
import { createCaptureRoutes } from './http/capture/routes.ts';
import type { DrainOptions } from './http/drain.ts';
import { createEventStreams, HEARTBEAT_MS } from './http/events/event-stream.ts';
import { countOpenSockets } from './http/events/open-sockets.ts';
import { createSubscriptions, type SubscriptionCounts } from './http/events/subscriptions.ts';
import { createViewerWatch } from './http/events/viewer-watch.ts';
import { PING_MS, serveWebSockets } from './http/events/websocket.ts';
import { createFailedAttempts } from './http/failed-attempts.ts';
import { createGraphQLOverHttp } from './http/graphql/graphql-over-http.ts';
import { createEmailImportRoutes } from './http/imports/routes.ts';
import { createMediaRoutes } from './http/media/routes.ts';
import { createPages } from './http/pages/pages.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { createHttpServer } from './http/server.ts';
import { type Maintenance, prepare, startMaintenance } from './maintenance.ts';
import { createClientAddress } from './platform/client-address.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { generateMasterKey, MasterKey } from './platform/crypto.ts';
import { createLogger, type Logger } from './platform/logger.ts';
import { WrongRoleError } from './storage/connection-pool.ts';
import { type Database, openDatabase, type StatementObserver } from './storage/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './storage/embedded-postgres.ts';
import { readMasterKeyFile, writeMasterKeyFile } from './storage/master-key-file.ts';
import { openMediaStorage } from './storage/media/open-media-storage.ts';
import { migrate } from './storage/migrate.ts';

export type AppOptions = {
  config: Config;
  /** Lines for a person who watches the start. */
  say?: (line: string) => void;
  /** Receives the reason, once, when the gateway's own PostgreSQL ended and cannot be started again. */
  onDatabaseLost?: (error: Error) => void;
  clock?: Clock;
  log?: Logger;
  /** Told of every SQL statement by name. */
  onStatement?: StatementObserver;
  /**
   * Whether this process does in the background what changes and upgrades leave for later with links and face templates;
   * true by default.
   */
  followsLinks?: boolean;
  /** Whether this process completes batches of email checks without being asked to; true by default. */
  completesEmailChecks?: boolean;
  /** Already open: tests share one. */
  network?: NetworkIntelligence;
  /** How names of receivers are resolved, and how long they have to answer: name servers and 15 seconds by default. */
  webhooks?: { resolve?: Resolve; timeoutMs?: number };
  /** Longest time between two searches for events that another process committed without a notification: 1 second by default. */
  relay?: { lookMs?: number };
  /** How often quiet streams and sockets are written to: every 12 seconds by default. */
  realtime?: { heartbeatMs?: number; pingMs?: number };
};

export type App = {
  /** Begins to answer; the address is the one really bound. Closes everything when it cannot listen. */
  listen(): Promise<{ baseUrl: string }>;
  /** Finishes the requests that were begun, within ten seconds, and closes everything. */
  close(options?: DrainOptions): Promise<void>;
  readonly projects: ProjectService;
  readonly calibrations: CalibrationService;
  readonly database: Database;
  /** Pictures and clips of verifications. */
  readonly media: MediaService;
  /** Removes everything that is old, and waits for it. */
  purge(): Promise<void>;
  /** Removes results, faces and documents of verifications that are old, and waits for it. */
  purgeSeen(): Promise<void>;
  /** Removes images and videos that are old or belong to no row, and waits for it. */
  purgeMedia(): Promise<void>;
  /** Encrypts what earlier versions stored in the clear, and waits for it. */
  encryptEarlierRows(): Promise<void>;
  /** Rewrites the match keys that earlier rules made, in whichever process, and waits for it. */
  rewriteMatchKeys(): Promise<void>;
  /** Recomputes the face templates that earlier versions made, in whichever process, and waits for it. */
  recomputeFaces(): Promise<void>;
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
  /** Completes the email checks of a project that no other process works on. */
  settleEmailChecks(projectId: string): Promise<void>;
  /** Runs the backtests of a project that wait, and waits for their end. */
  settleBacktests(projectId: string): Promise<void>;
};

/** Sessions that links without a key may make: of one address, and of all addresses in one project. */
const REDIRECTS_PER_MINUTE = 30;
const REDIRECTS_PER_PROJECT = 3000;

/** Something stands in the way of starting; the message is one line for the operator. */
export class StartError extends Error {}

/** What every opening function needs. */
type Start = {
  readonly options: AppOptions;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  /** Closes, in reverse, what was opened: after a failed start as at the end. */
  readonly opened: AsyncDisposableStack;
  /** What clients reach the gateway by; known when it listens. */
  readonly address: { baseUrl: string };
  /** Logs the errors of a part that continues after them. */
  onError(message: string): (error: unknown) => void;
};

/** Puts the service together: the only place that knows every room. */
export async function createApp(options: AppOptions): Promise<App> {
  const log = options.log ?? createLogger(options.config.logLevel);
  const start: Start = {
    options,
    config: options.config,
    clock: options.clock ?? systemClock,
    log,
    opened: new AsyncDisposableStack(),
    address: { baseUrl: '' },
    onError: (message) => (error) => log.error({ err: error }, message),
  };
  try {
    return await openApp(start);
  } catch (error) {
    // The reason why the start failed is what the operator needs.
    await start.opened.disposeAsync().catch(start.onError('closing after a failed start failed'));
    throw error;
  }
}

async function openApp(start: Start): Promise<App> {
  const { opened, options } = start;
  const storageOpened = Promise.withResolvers<void>();
  const loading = loadNetwork(start, storageOpened.promise);
  const storage = await openStorage(options, options.say ?? (() => {}));
  opened.defer(storage.close);
  storageOpened.resolve();
  const network = await loading;
  loadDomainLists();
  loadPhoneRanges();
  const background = await openBackground(start, storage);
  const domain = await openDomain(start, storage, network, background);
  const http = openHttp(start, storage, domain, background.hub);
  const maintenance = openMaintenance(start, storage, domain);
  return appOf(start, storage, background, domain, http, maintenance);
}

/** Begins to load the data about networks, which takes as long as opening the database. */
function loadNetwork({ options, config, log, opened }: Start, storageOpened: Promise<void>) {
  // One that was handed in serves others too.
  if (options.network) return Promise.resolve(options.network);
  const loading = openNetworkIntelligence({
    feedsDir: config.feedsDir,
    // What keeps the gateway from starting is reported alone, and first.
    onFeedProblem: (feed, reason) =>
      storageOpened.then(() => log.warn({ feed, reason }, 'a feed is not in use as it stands')),
  });
  // Also when the database fails first, and nothing else waits for the data.
  opened.defer(async () => (await loading.catch(() => null))?.close());
  return loading;
}

type Background = Awaited<ReturnType<typeof openBackground>>;

/** Starts what works without requests: events, links, lists, backtests and webhooks. */
async function openBackground(start: Start, { database, access }: Storage) {
  const { options, config, clock, opened, onError } = start;
  const relay = startRelay({
    database,
    lookMs: options.relay?.lookMs,
    onStatement: options.onStatement,
    onError: onError('numbering events failed'),
  });
  opened.defer(relay.close);
  const parts = { database, clock, getProject: access.findProjectById };
  const followUp =
    options.followsLinks === false
      ? null
      : startFollowUp({ ...parts, onError: onError('following links failed') });
  opened.defer(() => followUp?.close());
  const memberExpiry = startMemberExpiry({
    ...parts,
    onError: onError('removing ended members of lists failed'),
  });
  opened.defer(memberExpiry.close);
  const backtests = startBacktests({ ...parts, onError: onError('running backtests failed') });
  opened.defer(backtests.close);
  const hub = createEventHub({ relay, onError: onError('following events failed') });
  opened.defer(hub.close);
  const sender = createSender({ resolve: createResolve(config.dnsServers), ...options.webhooks });
  opened.defer(sender.close);
  const jobs = await openJobs(database.system, { keepsUp: true, onError: onError('the job queue failed') });
  opened.defer(jobs.close);
  const allowsLoopback = loopbackRule(config);
  const webhooks = startWebhooks({
    jobs,
    sender,
    clock,
    relay,
    allowsLoopback,
    getProject: access.findProjectById,
    onError: onError('telling webhooks failed'),
  });
  opened.defer(webhooks.close);
  const endpoints = createEndpointService({ clock, jobs, sender, allowsLoopback, onResent: webhooks.wake });
  return { relay, followUp, memberExpiry, backtests, hub, webhooks, endpoints };
}

async function openMedia({ config, clock, opened, address, onError }: Start): Promise<MediaService> {
  const storage = await openMediaStorage(config.media);
  opened.defer(() => storage.close());
  return createMediaService({
    storage,
    clock,
    retentionDays: config.mediaRetentionDays,
    baseUrl: () => address.baseUrl,
    // What decodes pictures is large: it is loaded with the first of them.
    checkImage: async (bytes) => (await import('./domain/vision/image-check.ts')).checkImage(bytes),
    mayUpload: createUploadPermission(clock),
    onError: onError('a file of a verification cannot be kept, read or removed'),
  });
}

/** Opens the providers of breaches and profiles: imported files, and those over the network with a key. */
async function openProviders({ config, clock, log, opened }: Start): Promise<EmailProviders> {
  const providers = await openEmailProviders({
    dataDir: config.emailDataDir,
    online: createConfiguredProviders(config.emailProviders, {
      clock,
      onProblem: (provider, reason) => log.warn({ provider, reason }, 'an email provider does not answer'),
    }),
    onDataProblem: (data, reason) =>
      log.warn({ data, reason }, 'imported email data is not in use as it stands'),
  });
  opened.defer(providers.close);
  return providers;
}

type Domain = Awaited<ReturnType<typeof openDomain>>;

/** Opens the services behind the requests. */
async function openDomain(
  start: Start,
  { database, access }: Storage,
  network: NetworkIntelligence,
  { followUp, backtests, endpoints }: Background,
) {
  const { config, clock, opened, address, onError } = start;
  const mailExchangers = config.mxLookups
    ? createMailExchangers({ clock, servers: config.dnsServers.length > 0 ? config.dnsServers : undefined })
    : null;
  opened.defer(() => mailExchangers?.close());
  const emailProviders = await openProviders(start);
  const media = await openMedia(start);
  const faces = createFaceSearch();
  const accounts = createAccountService({
    clock,
    bindSessionOfCheck,
    mailExchangers,
    emailProviders,
    onEmailToCheck: (projectId, check) => emailCheckRunner.finish(projectId, [check]),
    onMarks: followUp?.wake,
    onErased: async (project, sessionIds) => {
      faces.forgetSessions(project, sessionIds);
      // The account is erased, and its media are out of sight: a purge removes the files that are left.
      await media
        .eraseSessions(project, sessionIds)
        .catch(onError('files of an erased account are left to the purge'));
    },
  });
  const matchKeys = startMatchKeys({
    system: database.system,
    accounts,
    getProject: access.findProjectById,
    log: start.log,
    runsAlone: start.options.followsLinks ?? true,
    onError: onError('rewriting match keys failed'),
  });
  opened.defer(matchKeys.close);
  const sessions = createSessionService({ network, clock, edgePosition: config.edgePosition });
  const verification = await openVerification({
    system: database.system,
    accounts,
    sessions,
    media,
    faces,
    clock,
    workers: config.visionWorkers,
    baseUrl: () => address.baseUrl,
    getProject: access.findProjectById,
    log: start.log,
    recomputesAlone: start.options.followsLinks,
    onError: (error, message) => onError(message)(error),
  });
  opened.defer(verification.close);
  const { emailChecks, runner: emailCheckRunner } = openEmailChecks({
    database,
    clock,
    sources: {
      mail: mailExchangers,
      providers: emailProviders,
      findHistories: findAddressHistories,
      overridesOf,
    },
    completeOfAccount: accounts.completeEmailCheck,
    getProject: access.findProjectById,
    isAutomatic: start.options.completesEmailChecks,
    onError: onError('completing email checks failed'),
  });
  opened.defer(emailCheckRunner.close);
  const services: Services = {
    media,
    accounts,
    emailChecks,
    emailImports: createEmailImportService({ clock, onAdded: emailCheckRunner.wake }),
    sessions,
    verifications: verification.verifications,
    captures: verification.captures,
    webhooks: endpoints,
    events: createEventService({
      onError: onError('an event does not open'),
      findAccount: findAccountByAccountId,
    }),
    linkGraph: createLinkGraphService(),
    lists: createListService({ clock }),
    settings: createSettingsService({ clock, onChange: access.forgetProject }),
    emailErasure: createEmailEraseService({ clock, onErased: emailCheckRunner.wake }),
    rules: createRuleService({ clock }),
    backtests: createBacktestService({ clock, onAdded: backtests.wake }),
    network,
    clock,
  };
  return { services, emailProviders, matchKeys, emailCheckRunner, verification };
}

type Http = ReturnType<typeof openHttp>;

/** Puts the services behind HTTP and WebSocket; nothing listens yet. */
function openHttp(
  start: Start,
  { database, access }: Storage,
  { services, emailProviders }: Domain,
  hub: EventHub,
) {
  const { config, options, log, clock, opened, address } = start;
  const baseUrl = () => address.baseUrl;
  const graphql = createGraphQLOverHttp({ log });
  const subscriptions = createSubscriptions({ hub, services, getProject: access.findProjectById, log });
  const { profiles } = graphql;
  const watch = createViewerWatch();
  const { heartbeatMs = HEARTBEAT_MS, pingMs = PING_MS } = options.realtime ?? {};
  const openSockets = countOpenSockets(config.maxSocketsPerKey);
  const streams = createEventStreams({ subscriptions, watch, log, heartbeatMs, openSockets });
  const keyLimit = createRateLimit(config.rateLimitPerMinute);
  const failedAttempts = createFailedAttempts(createRateLimit(config.failedKeyLimitPerMinute));
  const clientAddress = createClientAddress(config.trustedProxies);
  const mediaRoutes = createMediaRoutes({ access, media: services.media, clock });
  const idempotency = createIdempotencyService({
    clock,
    onDamaged: (error, requestId) => log.error({ requestId, err: error }, 'a stored answer is damaged'),
  });
  const { server, drain } = createHttpServer({
    mediaRoutes,
    emailImportRoutes: createEmailImportRoutes({
      imports: services.emailImports,
      idempotency,
      keyLimit,
      maxBytes: config.emailImportMaxBytes,
    }),
    captureRoutes: createCaptureRoutes({
      access,
      captures: services.captures,
      verifications: services.verifications,
      bodies: mediaRoutes.bodies,
      pageLimit: createRateLimit(config.rateLimitPerMinute),
      redirectLimit: createRateLimit(REDIRECTS_PER_MINUTE),
      projectRedirectLimit: createRateLimit(REDIRECTS_PER_PROJECT),
      baseUrl,
    }),
    access,
    services,
    emailProviders,
    graphql,
    streams,
    log,
    idempotency,
    keyLimit,
    failedAttempts,
    collectorLimit: createRateLimit(config.collectorLimitPerMinute),
    patchLimit: createRateLimit(config.patchLimitPerMinute),
    patchBytes: createByteLimit(config.patchBytesPerMinute),
    pages: createPages(baseUrl),
    clientAddress,
    checkReady: () => database.findProblem(),
  });
  const sockets = serveWebSockets(server, {
    access,
    services,
    subscriptions,
    watch,
    profiles,
    countRequest: (limitKey) => keyLimit.take(limitKey),
    addressOf: ({ socket, headers }: IncomingMessage) =>
      addressKey(clientAddress(socket.remoteAddress, String(headers['x-forwarded-for'] ?? ''))),
    socketLimit: createRateLimit(config.socketLimitPerMinute),
    failedAttempts,
    openSockets,
    log,
    pingMs,
  });
  opened.defer(watch.close);
  // After a stop it is closed already.
  const close = (options?: DrainOptions) => drain.close(server, { streams, sockets }, options);
  opened.defer(close);
  return { server, streams, sockets, subscriptions, close };
}

function openMaintenance(
  { config, clock, log, opened }: Start,
  storage: Storage,
  { services }: Domain,
): Maintenance {
  const { database, access } = storage;
  const { eventRetentionDays, sessionRetentionDays, emailRetentionDays } = config;
  const maintenance = startMaintenance({
    database,
    media: services.media,
    getProject: access.findProjectById,
    clock,
    log,
    eventRetentionDays,
    sessionRetentionDays,
    emailRetentionDays,
  });
  opened.defer(maintenance.close);
  return maintenance;
}

function appOf(
  start: Start,
  storage: Storage,
  { relay, memberExpiry, backtests, webhooks }: Background,
  { services, matchKeys, emailCheckRunner, verification }: Domain,
  http: Http,
  maintenance: Maintenance,
): App {
  const { clock, opened } = start;
  const { database, projects, calibrations, access } = storage;
  let closing: Promise<void> | undefined;
  const close = (options?: DrainOptions) => {
    storage.expectEnd();
    emailCheckRunner.stopWaiting();
    closing ??= http.close(options).finally(() => opened.disposeAsync());
    return closing;
  };
  return {
    projects,
    calibrations,
    database,
    media: services.media,
    purge: maintenance.purge,
    purgeMedia: maintenance.purgeMedia,
    purgeSeen: maintenance.purgeSeen,
    encryptEarlierRows: maintenance.encryptEarlierRows,
    rewriteMatchKeys: matchKeys.settle,
    realtimeCounts: () => ({
      ...http.subscriptions.counts(),
      sockets: http.sockets.open,
      streams: http.streams.open,
    }),
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
    settleEmailChecks: (projectId) => emailCheckRunner.settle(projectId),
    settleWebhooks: () => webhooks.settle(),
    settleVerifications: verification.settle,
    recomputeFaces: verification.settleTemplates,
    async listen() {
      try {
        return await listen(start, http.server);
      } catch (error) {
        await close().catch(start.onError('closing after a failed start failed'));
        throw error;
      }
    },
    close,
  };
}

async function listen({ config, address }: Start, server: Server): Promise<{ baseUrl: string }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(config, error)));
    server.listen(config.port, config.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  address.baseUrl = config.publicUrl ?? `http://${host}:${port}`;
  return { baseUrl: address.baseUrl };
}

type Storage = {
  database: Database;
  masterKey: MasterKey;
  projects: ProjectService;
  calibrations: CalibrationService;
  access: AccessService;
  /** Announces that it is closed soon: our own PostgreSQL is not started again when it ends. */
  expectEnd(): void;
  close(): Promise<void>;
};

async function openStorage(
  options: AppOptions,
  say: (line: string) => void,
  isForOneProject = false,
): Promise<Storage> {
  const { config, clock = systemClock, onStatement } = options;
  const log = options.log ?? createLogger(config.logLevel);
  const opened = new AsyncDisposableStack();
  const close = () => opened.disposeAsync();
  try {
    const embedded = config.databaseUrl === undefined ? await openEmbedded(options, opened, say) : null;
    const connectionString = config.databaseUrl ?? embedded!.ownerUrl;
    await migrate({ connectionString, log: say });
    const database = openDatabase({
      connectionString,
      poolSize: config.databasePoolSize,
      isForOneProject,
      onStatement,
      onRefused: (message) => log.error(message),
    });
    opened.defer(database.close);
    await database.checkConnections().catch(explainConnectError);
    await prepare({ database, clock, log, eventRetentionDays: config.eventRetentionDays });
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
    const expectEnd = () => embedded?.expectEnd();
    return { database, masterKey, projects, calibrations, access, expectEnd, close };
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

/** Starts the gateway's own PostgreSQL. */
async function openEmbedded(
  { config: { dataDir }, onDatabaseLost }: AppOptions,
  opened: AsyncDisposableStack,
  say: (line: string) => void,
): Promise<EmbeddedPostgres> {
  const embedded = await startEmbeddedPostgres({ dataDir, log: say, onLost: onDatabaseLost });
  opened.defer(embedded.stop);
  return embedded;
}

/** The database and the projects alone, for the command line. */
export async function openForCommandLine(
  config: Config,
  connectionString: string,
  databasePoolSize = 1,
): Promise<Storage> {
  const own = { ...config, databaseUrl: connectionString, databasePoolSize };
  return openStorage({ config: own }, () => {}, true);
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
  const accounts = createAccountService({
    clock: systemClock,
    bindSessionOfCheck,
    mailExchangers: null,
  });
  return {
    viewer,
    accounts,
    rebuilding: createRebuildService({ accounts, clock: systemClock }),
    settings: createSettingsService({ clock: systemClock }),
    settle: () => settleLinks(project, systemClock),
  };
}

export type EmailImportsForCommandLine = {
  readonly viewer: Viewer;
  readonly imports: EmailImportService;
  /** Completes pending checks of the project until none is left that this process can have. */
  work(): Promise<void>;
  /** Stops working; what is left continues later or elsewhere. */
  close(): Promise<void>;
};

/** Imports of email addresses into a project, with a runner that completes their checks in this process. */
export async function openEmailImportsForCommandLine(
  storage: Storage,
  config: Config,
  projectId: string | undefined,
): Promise<EmailImportsForCommandLine> {
  const { viewer } = await openProjectForCommandLine(storage, projectId ?? (await onlyProject(storage)));
  const { project } = viewer;
  const dnsServers = config.dnsServers.length > 0 ? config.dnsServers : undefined;
  const mail = config.mxLookups ? createMailExchangers({ clock: systemClock, servers: dnsServers }) : null;
  const onError = (message: string) => void process.stderr.write(`vouchgraph: ${message}\n`);
  const providers = await openEmailProviders({
    dataDir: config.emailDataDir,
    online: createConfiguredProviders(config.emailProviders, {
      clock: systemClock,
      onProblem: (provider, reason) => onError(`email provider ${provider} does not answer: ${reason}`),
    }),
    onDataProblem: (data, reason) => onError(`imported email data ${data} is not in use: ${reason}`),
  });
  const { runner } = openEmailChecks({
    database: storage.database,
    clock: systemClock,
    sources: { mail, providers, findHistories: findAddressHistories, overridesOf },
    getProject: async (id) => (id === project.projectId ? project : null),
    onError: (error) => onError((error as Error).message),
    isAutomatic: false,
  });
  return {
    viewer,
    imports: createEmailImportService({ clock: systemClock, onAdded: () => {} }),
    work: async () => void (await Promise.all([1, 2].map(() => runner.settle(project.projectId)))),
    async close() {
      await runner.close();
      await providers.close();
      mail?.close();
    },
  };
}

async function onlyProject({ projects }: Storage): Promise<string> {
  const [first, second] = await projects.projects(2);
  if (first && !second) return first.project_id;
  throw new StartError(
    first
      ? '--project: required, since there are several projects'
      : 'There is no project: create one with project create',
  );
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

function explainConnectError(error: unknown): never {
  const { cause } = error as Error;
  if (cause instanceof WrongRoleError) throw new StartError(cause.message);
  throw error;
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
