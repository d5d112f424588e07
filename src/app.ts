import type { AddressInfo } from 'node:net';
import { loadDomainLists } from '@vouchgraph/email/domain-lists';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@vouchgraph/embedded-postgres';
import { loadPhoneRanges } from '@vouchgraph/phone/phone-ranges';
import { systemClock } from '@vouchgraph/platform/clock';
import { createLogger } from '@vouchgraph/platform/logger';
import { loadBorders } from '@vouchgraph/signals/country-of-point';
import { openNetworkIntelligence } from '@vouchgraph/signals/network-intelligence';
import { type Maintenance, startMaintenance } from './app/maintenance.ts';
import { type Http, openHttp } from './app/open-http.ts';
import { type Domain, openServices } from './app/open-services.ts';
import { openStorage, type Storage } from './app/open-storage.ts';
import { openWorkers, type Workers } from './app/open-workers.ts';
import type { AppOptions, Start } from './app/start.ts';
import { explainListenError, StartError } from './app/start-error.ts';
import { invitationLink } from './domain/people/invitation.ts';
import type { ProjectService } from './domain/projects/project-service.ts';
import { createBoundServer } from './http/bound-server.ts';
import type { DrainOptions } from './http/drain.ts';
import { loadPrisma } from './storage/prisma-models.ts';

export type { AppOptions } from './app/start.ts';

/** Projects of a first administrator. */
const MAX_PROJECTS = 1000;

export type App = {
  /** Serves requests, which receive 503 until then. The address is the one really bound. */
  serve(): { baseUrl: string };
  /**
   * One-time secret with which a page of this gateway receives the key of the sandbox project. Null if no page may receive it:
   * without `readSandboxKey` and `showsSandboxLink`, with PUBLIC_URL, TRUSTED_PROXIES or a HOST other than loopback, or next to a
   * production project.
   */
  sandboxSecret(): Promise<string | null>;
  /**
   * Link with which the first administrator enters the sandbox projects. Null once an administrator or a production project exists, and
   * where clients of other machines are expected.
   */
  firstAdministratorLink(): Promise<string | null>;
  /** Finishes the requests that were begun, within ten seconds, and closes everything. */
  close(options?: DrainOptions): Promise<void>;
  /** Creates projects and their keys. */
  readonly projects: ProjectService;
  /** The opened parts, for programs that access them directly, such as tests and benchmarks. */
  readonly parts: AppParts;
};

export type AppParts = {
  readonly start: Start;
  readonly storage: Storage;
  readonly workers: Workers;
  readonly domain: Domain;
  readonly http: Http;
  readonly maintenance: Maintenance;
};

/** Composes the service: the only place that imports every folder. */
export async function createApp(options: AppOptions): Promise<App> {
  const log = options.log ?? createLogger(options.config.logLevel);
  const { worksInBackground = true } = options;
  const start: Start = {
    options: {
      ...options,
      worksInBackground,
      recalculatesLinks: options.recalculatesLinks ?? worksInBackground,
      completesEmailChecks: options.completesEmailChecks ?? worksInBackground,
    },
    config: options.config,
    clock: options.clock ?? systemClock,
    log,
    opened: new AsyncDisposableStack(),
    bound: createBoundServer(),
    address: { baseUrl: '' },
    onError: (message) => (error) => log.error({ err: error }, message),
  };
  try {
    return await openApp(start);
  } catch (error) {
    // The operator needs the original reason of the failed start.
    await start.opened.disposeAsync().catch(start.onError('closing after a failed start failed'));
    throw error;
  }
}

async function openApp(start: Start): Promise<App> {
  const storageOpened = Promise.withResolvers<void>();
  const loading = loadNetwork(start, storageOpened.promise);
  // A start whose port is in use creates no files. A prepared PostgreSQL starts after it has tried the port itself.
  const prepared = start.options.postgres ? await openEmbedded(start) : null;
  await listen(start);
  const embedded = prepared ?? (await openEmbedded(start));
  const storage = await openAppStorage(start, embedded);
  storageOpened.resolve();
  await rejectLoopbackInProduction(start, storage);
  const network = await loading;
  await loadPrisma();
  loadDomainLists();
  loadPhoneRanges();
  loadBorders();
  const workers = await openWorkers(start, storage);
  const domain = await openServices(start, storage, network, workers);
  const http = openHttp(start, storage, domain, workers.hub);
  const maintenance = openMaintenance(start, storage, domain, workers);
  return appOf({ start, storage, workers, domain, http, maintenance }, embedded);
}

/** Webhooks on loopback reach services of this machine, which clients of a production gateway must not. */
async function rejectLoopbackInProduction({ config }: Start, { projects }: Storage): Promise<void> {
  if (config.webhookAllowLoopback && (await projects.hasProductionProject()))
    throw new StartError(
      'WEBHOOK_ALLOW_LOOPBACK is for development only, and the database has a production project: remove the setting',
    );
}

/** Starts loading the network data, which takes as long as opening the database. */
function loadNetwork({ options, config, log, opened }: Start, storageOpened: Promise<void>) {
  // An injected one also serves others.
  if (options.network) return Promise.resolve(options.network);
  const loading = openNetworkIntelligence({
    feedsDir: config.feedsDir,
    // An error that prevents the start is reported alone, and first.
    onFeedProblem: (feed, reason) =>
      storageOpened.then(() => log.warn({ feed, reason }, 'a feed cannot be used')),
  });
  // Also when the database fails first, and nothing else waits for the data.
  opened.defer(async () => (await loading.catch(() => null))?.close());
  return loading;
}

/** Starts the gateway's own PostgreSQL, unless the settings name another one. */
async function openEmbedded({ config, options, opened }: Start): Promise<EmbeddedPostgres | null> {
  if (config.databaseUrl !== undefined) return null;
  const starting =
    options.postgres ??
    startEmbeddedPostgres({ dataDir: config.dataDir, log: printOf(options), onLost: options.onDatabaseLost });
  const embedded = await starting;
  opened.defer(embedded.stop);
  return embedded;
}

function openAppStorage(
  { config, options, clock, log, opened }: Start,
  embedded: EmbeddedPostgres | null,
): Promise<Storage> {
  return openStorage({
    config,
    opened,
    clock,
    log,
    print: printOf(options),
    connectionString: config.databaseUrl ?? embedded!.ownerUrl,
    onStatement: options.onStatement,
    onTrip: options.onTrip,
  });
}

const printOf = ({ print = () => {} }: AppOptions) => print;

function openMaintenance(
  { options, config, clock, log, opened }: Start,
  { database, people, access }: Storage,
  { services }: Domain,
  { stats }: Workers,
): Maintenance {
  const { eventRetentionDays, sessionRetentionDays, emailRetentionDays, auditValueRetentionDays } = config;
  const maintenance = startMaintenance({
    runsAlone: options.worksInBackground,
    database,
    people,
    media: services.media,
    getProject: access.findProjectById,
    stats,
    clock,
    log,
    eventRetentionDays,
    sessionRetentionDays,
    emailRetentionDays,
    auditValueRetentionDays,
  });
  opened.defer(maintenance.close);
  return maintenance;
}

function appOf(parts: AppParts, embedded: EmbeddedPostgres | null): App {
  const { start, storage, domain, http } = parts;
  let closing: Promise<void> | undefined;
  const close = (options?: DrainOptions) => {
    // The embedded PostgreSQL is not restarted when it exits.
    embedded?.expectEnd();
    domain.emailCheckRunner.stopWaiting();
    closing ??= http.close(options).finally(() => start.opened.disposeAsync());
    return closing;
  };
  return {
    projects: storage.projects,
    parts,
    serve() {
      start.bound.serve(http.handle);
      return { baseUrl: start.address.baseUrl };
    },
    sandboxSecret: http.sandboxKey.secret,
    firstAdministratorLink: () => inviteFirstAdministrator(parts),
    close,
  };
}

async function inviteFirstAdministrator({ storage, http }: AppParts): Promise<string | null> {
  const { invitations, origins } = http.persons;
  const known = await storage.projects.projects(MAX_PROJECTS);
  const invited = await invitations.inviteFirst(known.map(({ project_id }) => project_id));
  return invited && invitationLink(origins.origin, invited.secret);
}

/** Binds the port. Requests receive 503 until the gateway serves them, and `/livez` returns 200. */
async function listen({ config, address, bound: { server, abandon }, opened }: Start): Promise<void> {
  opened.defer(abandon);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(config, error)));
    server.listen(config.port, config.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  address.baseUrl = config.publicUrl ?? `http://${host}:${port}`;
}
