import type { EmbeddedPostgres } from '@vouchgraph/embedded-postgres';
import type { Clock } from '@vouchgraph/platform/clock';
import type { Logger } from '@vouchgraph/platform/logger';
import type { NetworkIntelligence } from '@vouchgraph/signals/network-intelligence';
import type { Config } from '../config.ts';
import type { Resolve } from '../domain/outbound/guarded-agent-adapter.ts';
import type { BoundServer } from '../http/bound-server.ts';
import type { StatementObserver } from '../storage/database.ts';
import type { TripObserver } from '../storage/trip-observer.ts';

export type AppOptions = {
  config: Config;
  /** Receives progress messages of the start. */
  print?: (line: string) => void;
  /** The gateway's own PostgreSQL, if it is already starting. */
  postgres?: Promise<EmbeddedPostgres> | undefined;
  /** Receives the reason, once, when the gateway's own PostgreSQL ended and cannot be started again. */
  onDatabaseLost?: (error: Error) => void;
  clock?: Clock;
  log?: Logger;
  /** Receives the name of every SQL statement. */
  onStatement?: StatementObserver;
  /** Receives every round trip to the database. */
  onTrip?: TripObserver;
  /**
   * Whether this process does background work: links, expired members of lists, backtests, statistics, email checks and
   * maintenance; true by default. Events and webhooks are not part of it.
   */
  worksInBackground?: boolean;
  /**
   * Whether this process recalculates links, and recomputes stale match keys and face templates, in the background;
   * `worksInBackground` by default.
   */
  recalculatesLinks?: boolean;
  /** Whether this process completes batches of email checks without a request; `worksInBackground` by default. */
  completesEmailChecks?: boolean;
  /** Whether images can be read; by default, whether the packages for it are installed. */
  hasVision?: boolean;
  /** Already open: tests share one. */
  network?: NetworkIntelligence;
  /** Reads the key of the sandbox project that the first start created. */
  readSandboxKey?: () => Promise<string | null>;
  /**
   * Whether the operator sees the secret of `sandboxSecret`, for which a page receives that key. Without this option there is
   * no secret.
   */
  showsSandboxLink?: boolean | undefined;
  /** Resolver of receivers' names, and their response timeout: name servers and 15 seconds by default. */
  webhooks?: { resolve?: Resolve; timeoutMs?: number };
  /** Longest time between two searches for events that another process committed without a notification: 1 second by default. */
  relay?: { pollMs?: number };
  /** Response timeout of name servers: 800 ms by default. */
  nameServers?: { timeoutMs?: number };
  /** How often quiet streams and sockets are written to: every 12 seconds by default. */
  realtime?: {
    heartbeatMs?: number;
    pingMs?: number;
    /** Longest time for which a socket can exceed its budget of messages: 10 seconds by default. */
    maxExcessMs?: number;
  };
};

/** What every opening function needs. */
export type Start = {
  readonly options: AppOptions;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  /** Closes opened resources in reverse order, after a failed start and at the end. */
  readonly opened: AsyncDisposableStack;
  /** The server, which listens before the database is migrated. */
  readonly bound: BoundServer;
  /** Base URL for clients; known once the server listens. */
  readonly address: { baseUrl: string };
  /** Logs the errors of a part that continues after them. */
  onError(message: string): (error: unknown) => void;
};
