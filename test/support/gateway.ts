import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '@vouchgraph/platform/clock';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type { NetworkIntelligence } from '@vouchgraph/signals/network-intelligence';
import { openNetworkIntelligence } from '@vouchgraph/signals/network-intelligence';
import pLimit from 'p-limit';
import { type AppOptions, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Environment, KeyRole } from '../../src/domain/projects/api-key.ts';
import { type TestApp, testApp } from './app.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** A clock that stands still until it is advanced. */
export class TestClock implements Clock {
  #now: number;

  constructor(start: Date = new Date()) {
    this.#now = start.getTime();
  }

  now(): Date {
    return new Date(this.#now);
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the test is about
export type Body = any;

export type Answer = { status: number; headers: Headers; body: Body; text: string };

/** A project of the gateway under test, with a key to call it. */
export type TestProject = {
  projectId: string;
  key: string;
  keyId: string;
  /** One request; the body is sent as JSON unless it is text already. */
  rest(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** A GraphQL operation with status 200 and without errors; returns its data. */
  graphql(query: string, variables?: Record<string, unknown>): Promise<Body>;
  /** A GraphQL operation; returns its whole response. */
  rawGraphql(
    query: string,
    variables?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<Answer>;
  /** Opens a simulated session and returns its id. */
  session(facts?: Record<string, unknown>): Promise<string>;
  /** Authenticates an account with a new session of these facts; returns the response body. */
  authenticate(account: Record<string, unknown>, facts?: Record<string, unknown>): Promise<Body>;
  /** Authenticates many accounts concurrently, so few that none waits longer than a gateway on a slow machine allows. */
  authenticateAll(
    accounts: readonly Record<string, unknown>[],
    facts?: Record<string, unknown>,
  ): Promise<Body[]>;
  /** A client with another key of the same project. */
  withKey(key: string): TestProject;
};

export type Gateway = {
  app: TestApp;
  baseUrl: string;
  database: TestDatabase;
  /** Folder of images and videos: one for all gateways of a database. */
  mediaDir: string;
  /** Names of the SQL statements sent since the last call. */
  takeStatements(): string[];
  /**
   * Round trips to the database since the last call, each as the names of its statements, without trips of the gateway
   * itself and without statements that find the viewer of a request.
   */
  takeTrips(): string[][];
  /** The same of the connection that numbers events, which the other method excludes. */
  takeRelayStatements(): string[];
  project(options?: { environment?: Environment; role?: KeyRole }): Promise<TestProject>;
  close(): Promise<void>;
};

let network: Promise<NetworkIntelligence> | undefined;

function ownNetwork(): Promise<NetworkIntelligence> {
  network ??= openNetworkIntelligence();
  return network;
}

export type GatewayOptions = {
  clock?: Clock;
  log?: AppOptions['log'];
  /** Another gateway on the same database. */
  database?: TestDatabase;
  masterKey?: string;
  /** Network data; without lists of the operator by default. */
  network?: NetworkIntelligence;
  /** False: no background work, so that only statements of requests are counted. */
  worksInBackground?: boolean;
  /** False: the test itself starts the recalculation of links, identity groups and face templates. */
  recalculatesLinks?: boolean;
  /** False: the test itself completes batches of email checks. */
  completesEmailChecks?: boolean;
  /** False: the gateway behaves as without the packages that read images. */
  hasVision?: boolean;
  webhooks?: AppOptions['webhooks'];
  realtime?: AppOptions['realtime'];
  relay?: AppOptions['relay'];
  nameServers?: AppOptions['nameServers'];
  readSandboxKey?: AppOptions['readSandboxKey'];
  showsSandboxLink?: boolean;
  /** Environment variables of the settings. */
  settings?: Record<string, string>;
};

/** Sent every second, or by maintenance, independently of a test. */
const BACKGROUND_STATEMENTS =
  /^(link|list|match_keys|face)\.find_projects_with|^(backtest|email_check|verification)\.(claim|renew)_|^stats\.find_uncounted$|^(media\.)?purge|^audit\.(lock_chain|read_unchained|read_last_links|insert_links)$|^outbox\.(prepare|record_purged|drop|delete_writes)$/;
const RELAY_STATEMENTS = /^outbox\.(become_relay|listen_written|notify_written|number)$/;

/** Unnamed statements are of the relay; `webhook.` and `jobs:` of deliveries; `stats.` of its worker. */
const isOfGateway = (name: string) =>
  name === '' ||
  /^(webhook\.|jobs:|stats\.(try_lock|read_uncounted|advance|add$|\w+_of_events))/.test(name) ||
  name === 'set_project' ||
  name.startsWith('key.') ||
  RELAY_STATEMENTS.test(name) ||
  BACKGROUND_STATEMENTS.test(name);

/** The shared gateways of this worker, by their options. */
const sharedGateways = new Map<string, Promise<Gateway>>();

/** Options and settings with few values, none of which belongs to one test. */
const SHARED_OPTIONS = new Set(['worksInBackground', 'recalculatesLinks', 'completesEmailChecks']);
const SHARED_SETTINGS = new Set(['TRUSTED_PROXIES', 'WEBHOOK_ALLOW_LOOPBACK']);

const isShared = ({ settings = {}, ...options }: GatewayOptions): boolean =>
  Object.keys(options).every((name) => SHARED_OPTIONS.has(name)) &&
  Object.keys(settings).every((name) => SHARED_SETTINGS.has(name));

/**
 * A complete gateway, listening on a free port. The test files of a worker that pass the same plain options share it
 * and its database, as tenants do: each creates its own projects. Any other option gives a gateway of its own. A file
 * that reads or changes more than its projects calls `startOwnGateway`.
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  if (!isShared(options)) return startOwnGateway(options);
  const { settings = {}, ...others } = options;
  const name = JSON.stringify([Object.entries(others).toSorted(), Object.entries(settings).toSorted()]);
  const starting = sharedGateways.get(name) ?? startOwnGateway(options);
  sharedGateways.set(name, starting);
  const gateway = await starting;
  // What was counted before belongs to another file.
  gateway.takeStatements();
  gateway.takeTrips();
  gateway.takeRelayStatements();
  // It ends with the worker, and its database with the run.
  return { ...gateway, close: async () => {} };
}

/** A complete gateway on a separate database, listening on a free port. */
export async function startOwnGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const database = options.database ?? (await createTestDatabase());
  const statements: string[] = [];
  const trips: (readonly string[])[] = [];
  const relayStatements: string[] = [];
  const mediaDir = path.join(tmpdir(), `vouchgraph-media-${new URL(database.ownerUrl).pathname.slice(1)}`);
  const config = readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: database.ownerUrl,
    MASTER_KEY: options.masterKey ?? generateMasterKey(),
    RATE_LIMIT_PER_MINUTE: '0',
    COLLECTOR_LIMIT_PER_MINUTE: '0',
    FAILED_KEY_LIMIT_PER_MINUTE: '0',
    SOCKET_LIMIT_PER_MINUTE: '0',
    MAX_SOCKETS_PER_KEY: '0',
    PATCH_LIMIT_PER_MINUTE: '0',
    PATCH_BYTES_PER_MINUTE: '0',
    MX_LOOKUPS: 'off',
    MEDIA_DIR: mediaDir,
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    ...options.settings,
  });
  const created = await createApp({
    config,
    clock: options.clock,
    log: options.log,
    network: options.network ?? (await ownNetwork()),
    worksInBackground: options.worksInBackground,
    recalculatesLinks: options.recalculatesLinks,
    hasVision: options.hasVision,
    completesEmailChecks: options.completesEmailChecks,
    webhooks: options.webhooks,
    realtime: options.realtime,
    relay: options.relay,
    nameServers: options.nameServers,
    readSandboxKey: options.readSandboxKey,
    showsSandboxLink: options.showsSandboxLink,
    onTrip: (names) => trips.push(names),
    onStatement: (name) => {
      if (RELAY_STATEMENTS.test(name)) return relayStatements.push(name);
      if (!BACKGROUND_STATEMENTS.test(name)) statements.push(name);
    },
  });
  const app = testApp(created);
  const { baseUrl } = app.serve();
  return {
    app,
    baseUrl,
    database,
    mediaDir,
    takeStatements: () => statements.splice(0),
    takeTrips: () =>
      trips
        .splice(0)
        .map((names) => names.filter((name) => !isOfGateway(name)))
        .filter((names) => names.length > 0),
    takeRelayStatements: () => relayStatements.splice(0),
    async project({ environment = 'sandbox', role = 'operator' } = {}) {
      const { projectId } = await app.projects.createProject(`test ${randomUUID()}`, environment);
      const { key, keyId } = await app.projects.createKey(projectId, role);
      return projectClient(baseUrl, projectId, key, keyId);
    },
    async close() {
      await app.close();
      if (options.database) return;
      await database.drop();
      await rm(mediaDir, { recursive: true, force: true });
    },
  };
}

/** A client of one project. */
export function projectClient(baseUrl: string, projectId: string, key: string, keyId = ''): TestProject {
  const client: TestProject = {
    projectId,
    key,
    keyId,
    rest: (method, path, body, headers) =>
      send(baseUrl + path, method, body, { 'x-api-key': key, ...headers }),
    rawGraphql: (query, variables, headers) =>
      send(`${baseUrl}/graphql`, 'POST', { query, variables }, { 'x-api-key': key, ...headers }),
    async graphql(query, variables) {
      const { body, status } = await client.rawGraphql(query, variables);
      if (status !== 200 || body.errors) throw new Error(`${status} ${JSON.stringify(body.errors ?? body)}`);
      return body.data;
    },
    async session(facts = {}) {
      const { body, status } = await client.rest('POST', '/session', facts);
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body.session_id;
    },
    async authenticate(account, facts = {}) {
      const session_id = await client.session(facts);
      const { body, status } = await client.rest('POST', '/session/authenticate', { session_id, account });
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body;
    },
    authenticateAll: (accounts, facts) =>
      pLimit(8).map(accounts, (account) => client.authenticate(account, facts)),
    withKey: (other) => projectClient(baseUrl, projectId, other),
  };
  return client;
}

/** One HTTP request. */
export async function send(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  };
}

/** A unique name. */
export function unique(name: string): string {
  return `${name}-${randomUUID().slice(0, 8)}`;
}
