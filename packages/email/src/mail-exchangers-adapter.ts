import { promises } from 'node:dns';
import { type Clock, systemClock } from '@vouchgraph/platform/clock';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { MailEvidence } from './email-evidence.ts';
import {
  limitQueries,
  type MailExchange,
  type MailRoute,
  resolveMailRoute,
  UNKNOWN_ROUTE,
} from './mail-route-adapter.ts';
import { createResolverHealth, type ResolverState } from './resolver-health-adapter.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CANARY_MS = 5 * MINUTE_MS;
/** A resolver without internet access denies every domain, so `none` needs a recent successful canary. */
const CONFIRMING_CANARY_MS = 1000;
const TIMEOUT_MS = 800;
const MAX_CONCURRENT = 8;
/** Maximum number of waiting look-ups. Domains are client input, and the queue must not grow without limit. */
const MAX_WAITING = 1000;
const MAX_CACHED = 50_000;

/** Validity of an answer. A domain that receives no mail now may be set up within the hour. */
const KEPT_MS: Record<MailExchange, number> = {
  accepts: 24 * HOUR_MS,
  none: HOUR_MS,
  unknown: 5 * MINUTE_MS,
};
/** Share of the validity after which an answer is refreshed, so that a domain in use always has one. */
const REFRESHED_AFTER = 0.5;

export type MailExchangerOptions = {
  /** Name servers as `address` or `address:port`; those of the machine when absent. */
  servers?: readonly string[];
  clock?: Clock;
  /** Time limit of a query. */
  timeoutMs?: number;
};

export type MailExchangers = {
  /** Cached status. Refreshes it in the background. Never waits and never throws. */
  status(domain: string): MailExchange;
  /** Status after the look-up of this domain. */
  settled(domain: string): Promise<MailExchange>;
  /** Cached status with the hosts that receive the mail, like `status`. */
  evidence(domain: string): MailEvidence;
  /** Evidence after the look-up of this domain. */
  settledEvidence(domain: string): Promise<MailEvidence>;
  /** Whether the name servers are reliable. While they are not, every status is `unknown`. */
  readonly resolver: ResolverState;
  close(): void;
};

type Remembered = { route: MailRoute; atMs: number };

/**
 * Caches which mail domains receive mail. Starts with the first look-up. Throws when a server
 * is not an address.
 */
export function createMailExchangers(options: MailExchangerOptions = {}): MailExchangers {
  const { servers, clock = systemClock, timeoutMs = TIMEOUT_MS } = options;
  const resolver = new promises.Resolver({ timeout: timeoutMs, tries: 1 });
  if (servers) resolver.setServers([...servers]);
  const queries = limitQueries(resolver, timeoutMs);
  const health = createResolverHealth(queries, clock);
  const remembered = new LRUCache<string, Remembered>({ max: MAX_CACHED });
  const lookUps = createLookUps(MAX_CONCURRENT, MAX_WAITING);
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function start(): void {
    if (timer || closed) return;
    timer = setInterval(() => void health.check(), CANARY_MS).unref();
  }

  function ageMs({ atMs }: Remembered): number {
    return clock.now().getTime() - atMs;
  }

  function known(domain: string): MailRoute {
    const entry = remembered.get(domain);
    const usable = entry && health.state === 'healthy' && ageMs(entry) < KEPT_MS[entry.route.exchange];
    return usable ? entry.route : UNKNOWN_ROUTE;
  }

  async function lookUp(domain: string): Promise<void> {
    if (closed || !(await health.isHealthy(CANARY_MS))) return;
    const route = await resolveMailRoute(queries, domain);
    if (closed || (route.exchange === 'none' && !(await health.isHealthy(CONFIRMING_CANARY_MS)))) return;
    remembered.set(domain, { route, atMs: clock.now().getTime() });
  }

  /** The running look-up, or a new one if the answer is missing or old. */
  function refreshed(domain: string): Promise<void> | undefined {
    if (closed || domain === '') return undefined;
    start();
    const entry = remembered.get(domain);
    if (entry && ageMs(entry) < KEPT_MS[entry.route.exchange] * REFRESHED_AFTER) return undefined;
    return lookUps.run(domain, () => lookUp(domain));
  }

  return {
    status(domain) {
      void refreshed(domain);
      return known(domain).exchange;
    },
    async settled(domain) {
      await refreshed(domain);
      return known(domain).exchange;
    },
    evidence(domain) {
      void refreshed(domain);
      return known(domain);
    },
    async settledEvidence(domain) {
      await refreshed(domain);
      return known(domain);
    },
    get resolver() {
      return health.state;
    },
    close() {
      closed = true;
      clearInterval(timer);
      resolver.cancel();
    },
  };
}

type LookUps = { run(key: string, task: () => Promise<void>): Promise<void> | undefined };

/** Runs one task per key with a concurrency limit; undefined if too many wait. */
function createLookUps(maxConcurrent: number, maxWaiting: number): LookUps {
  const inFlight = new Map<string, Promise<void>>();
  const limit = pLimit(maxConcurrent);
  return {
    run(key, task) {
      const known = inFlight.get(key);
      if (known || inFlight.size >= maxConcurrent + maxWaiting) return known;
      const begun = limit(task).finally(() => inFlight.delete(key));
      inFlight.set(key, begun);
      return begun;
    },
  };
}
