import {
  type AttemptKind,
  type BodyCache,
  DueEndpoints,
  type EndpointKey,
  type Grant,
  MIN_ROOM,
  RateLimits,
  type Slot,
  Slots,
} from '@vouchgraph/events/webhooks';
import { startBackgroundLoop } from '@vouchgraph/platform/background-loop';
import type { Clock } from '@vouchgraph/platform/clock';
import { AppError } from '@vouchgraph/platform/errors';
import { newId } from '@vouchgraph/platform/ids';
import { isLostBy } from '../../storage/translate-error.ts';
import type { Project } from '../projects/project.ts';
import { type Attempts, createAttempts } from './attempt-service.ts';
import { Bodies, type Claimed, type LoadedBody } from './body-service.ts';
import {
  CLAIM,
  type ClaimedRow,
  FIND_DUE_ENDPOINTS,
  type QueueDatabase,
  queueRows,
} from './delivery-queue-store.ts';
import { createResultWriter, type Result, type ResultWriter } from './result-service.ts';
import type { Sender } from './sender-service.ts';

/*
 * Makes the attempts: claims due deliveries of endpoints that have room, sends them, and has the results written in batches. Which
 * endpoints have due deliveries is known from this process's dispatches and results, and once a second from the database, which
 * also knows retries and what other gateways left.
 */

export type Deliverer = {
  /** These endpoints have first attempts that are due. */
  wake(endpoints: readonly EndpointKey[]): void;
  /** Looks for endpoints with due deliveries now. */
  poll(): void;
  /** Begins all that can be begun, and waits until nothing is under way in this process. */
  drain(): Promise<void>;
  close(): Promise<void>;
};

type DelivererDependencies = {
  system: QueueDatabase;
  sender: Sender;
  clock: Clock;
  cache: BodyCache;
  getProject: (projectId: string) => Promise<Project | null>;
  allowsLoopback: (project: Project) => Promise<boolean>;
  /** Receives projects whose endpoints have room again. */
  onRoom: (projectIds: readonly string[]) => void;
  onError: (error: unknown) => void;
};

const EVERY_MS = 1000;
/** An attempt that lasts longer makes room for others. */
const SLOW_MS = 2000;
/** How long attempts may continue when the process ends. */
const CLOSE_MS = 5000;
/** Delay of a delivery that cannot be attempted for an internal reason. */
const BROKEN_MS = 60_000;
/** A statement times out after 10 seconds, and a claim is valid for 60. */
const MAX_TIMEOUTS = 2;

export function startDeliverer(deps: DelivererDependencies): Deliverer {
  const deliverer = new RunningDeliverer(deps);
  const polling = startBackgroundLoop({ everyMs: EVERY_MS, work: deliverer.findDue, onError: deps.onError });
  return {
    wake: deliverer.wake,
    poll: () => void polling.run(),
    async drain() {
      await polling.idle();
      await polling.run();
      await deliverer.drain();
    },
    async close() {
      await polling.close();
      await deliverer.close();
    },
  };
}

class RunningDeliverer {
  readonly #deps: DelivererDependencies;
  readonly #slots = new Slots();
  readonly #limits = new RateLimits();
  readonly #due = new DueEndpoints();
  readonly #attempts: Attempts;
  readonly #claims: Claims;
  readonly #results: ResultWriter;
  readonly #interrupt = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;
  #pumping: Promise<void> | null = null;

  constructor(deps: DelivererDependencies) {
    this.#deps = deps;
    const gatewayId = newId();
    this.#attempts = createAttempts({ ...deps, limits: this.#limits, signal: this.#interrupt.signal });
    this.#claims = createClaims(deps, gatewayId);
    this.#results = createResultWriter({
      ...deps,
      gatewayId,
      isIdle: () => this.#slots.busy === 0,
      onWritten: (written, released) => this.#noteWritten(written, released),
    });
  }

  readonly wake = (endpoints: readonly EndpointKey[]): void => {
    for (const endpoint of endpoints) this.#due.add('first', endpoint);
    this.#resume();
  };

  /** Finds endpoints with due deliveries, also those that other gateways made due. */
  readonly findDue = async (): Promise<void> => {
    const { system, clock } = this.#deps;
    const rows = await queueRows(system, FIND_DUE_ENDPOINTS, [clock.now()]);
    for (const { project_id, endpoint_id, is_retry } of rows)
      this.#due.add(is_retry ? 'retry' : 'first', { projectId: project_id, endpointId: endpoint_id });
    this.#resume();
  };

  async drain(): Promise<void> {
    for (;;) {
      const current = this.#pumping ?? this.#results.writing ?? [...this.#running][0];
      if (!current) return;
      await current;
    }
  }

  async close(): Promise<void> {
    this.#isStopped = true;
    await this.#pumping;
    const limit = setTimeout(() => this.#interrupt.abort(), CLOSE_MS);
    await Promise.all(this.#running);
    clearTimeout(limit);
    await this.#results.writing;
  }

  #resume(): void {
    if (this.#isStopped || this.#due.size === 0) return;
    this.#pumping ??= this.#pump()
      .catch(this.#deps.onError)
      .finally(() => {
        this.#pumping = null;
      });
  }

  async #pump(): Promise<void> {
    // The end of an attempt makes room for another.
    while (!this.#isStopped && !(this.#slots.room < MIN_ROOM && this.#slots.busy > 0)) {
      for (const endpointId of this.#limits.exhausted(this.#deps.clock.now()))
        for (const kind of this.#due.kinds()) this.#due.delete(kind, endpointId);
      const next = this.#nextGrants();
      if (!next) return;
      await this.#begin(next.kind, next.grants);
    }
  }

  /** First attempts and retries alternate. */
  #nextGrants(): { kind: AttemptKind; grants: Grant[] } | null {
    for (const kind of this.#due.kinds()) {
      const grants = this.#slots.allot(this.#due.of(kind));
      if (grants.length > 0) return { kind, grants };
    }
    return null;
  }

  /** Claims deliveries, and begins an attempt of each. */
  async #begin(kind: AttemptKind, grants: readonly Grant[]): Promise<void> {
    this.#due.noteClaim(kind);
    // Before the read: a delivery that is added meanwhile may not be among the results.
    for (const { endpointId } of grants) this.#due.delete(kind, endpointId);
    const rows = await this.#claims.claim(kind, grants);
    const counts = Map.groupBy(rows, ({ endpoint_id }) => endpoint_id);
    for (const grant of grants)
      if (counts.get(grant.endpointId)?.length === grant.count) this.#due.add(kind, grant);
    for (const { claimed, body } of await this.#claims.load(rows)) {
      const slot = this.#slots.take(claimed.row.project_id, claimed.row.endpoint_id);
      if (slot && body !== null) this.#start(claimed, body, slot);
      else this.#release(claimed, body === null ? BROKEN_MS : 0);
      if (slot && body === null) slot.free();
    }
  }

  #release(claimed: Claimed, afterMs: number): void {
    const at = new Date(this.#deps.clock.now().getTime() + afterMs);
    this.#results.note(this.#attempts.release(claimed, at));
  }

  #start(claimed: Claimed, body: LoadedBody, slot: Slot): void {
    const work: Promise<void> = this.#attempt(claimed, body, slot)
      .catch((error) => {
        this.#deps.onError(error);
        // The other attempts continue; this delivery is attempted later.
        this.#release(claimed, BROKEN_MS);
      })
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async #attempt(claimed: Claimed, body: LoadedBody, slot: Slot): Promise<void> {
    const slow = setTimeout(() => {
      slot.markSlow();
      this.#resume();
    }, SLOW_MS);
    try {
      const result = await this.#attempts.attempt(claimed, body);
      if (result.attempt?.outcome.error === 'timeout') slot.markSlow();
      this.#results.note(result);
    } finally {
      clearTimeout(slow);
      slot.free();
      if (this.#slots.busy === 0) this.#results.flush();
      this.#resume();
    }
  }

  #noteWritten(written: readonly Result[], released: readonly EndpointKey[]): void {
    const now = this.#deps.clock.now();
    for (const endpoint of released) this.#due.add('first', endpoint);
    for (const result of written) {
      const { isEnded, nextAttemptAt } = result;
      if (!isEnded && nextAttemptAt !== null && nextAttemptAt <= now)
        this.#due.add(kindOf(result), keyOf(result));
    }
    this.#deps.onRoom([...new Set(written.map(({ claimed }) => claimed.row.project_id))]);
    this.#resume();
  }
}

type Loaded = { claimed: Claimed; body: LoadedBody | null };

type Claims = ReturnType<typeof createClaims>;

/** Claims deliveries with what their attempts need. */
function createClaims(deps: DelivererDependencies, gatewayId: string) {
  const { system, clock, getProject, onError } = deps;
  const bodies = new Bodies(deps);

  async function claim(kind: AttemptKind, grants: readonly Grant[]): Promise<ClaimedRow[]> {
    const values = CLAIM.values({
      projectIds: grants.map(({ projectId }) => projectId),
      endpointIds: grants.map(({ endpointId }) => endpointId),
      counts: grants.map(({ count }) => count),
      isRetry: kind === 'retry',
      now: clock.now(),
      gatewayId,
    });
    const rows = await queueRows<ClaimedRow>(system, CLAIM, values);
    // The order of the rows of an update is undefined.
    return rows.sort((a, b) => (a.delivery_id < b.delivery_id ? -1 : 1));
  }

  /** Loads the body of each delivery; null for one that cannot be loaded now, whose delivery is attempted later. */
  async function load(rows: readonly ClaimedRow[]): Promise<Loaded[]> {
    const loaded: Loaded[] = [];
    for (const [projectId, own] of Map.groupBy(rows, ({ project_id }) => project_id)) {
      try {
        const project = await getProject(projectId);
        if (!project) continue;
        const claimed = own.map((row) => ({ project, row }));
        await loadBodies(claimed, loaded);
      } catch (error) {
        // The claims of deliveries that are not loaded are void in a minute.
        onError(error);
      }
    }
    return loaded;
  }

  /**
   * Adds bodies to `loaded`. If they cannot be loaded together, each is loaded separately, so that a failing one delays no
   * other delivery. After two statements that time out the rest is attempted later: the claims would expire during further
   * ones.
   */
  async function loadBodies(claimed: readonly Claimed[], loaded: Loaded[]): Promise<void> {
    if ((await tryLoad(claimed, loaded)) === 'loaded') return;
    let timeouts = 0;
    for (const each of claimed) {
      const isTried = claimed.length > 1 && timeouts < MAX_TIMEOUTS;
      const result = isTried ? await tryLoad([each], loaded) : 'failed';
      if (result === 'unavailable') timeouts += 1;
      if (result !== 'loaded') loaded.push({ claimed: each, body: null });
    }
  }

  /** Throws when the connection is lost, or none is free: no other body can be loaded then. */
  async function tryLoad(
    claimed: readonly Claimed[],
    loaded: Loaded[],
  ): Promise<'loaded' | 'unavailable' | 'failed'> {
    try {
      const found = await bodies.load(claimed);
      for (const each of claimed) loaded.push({ claimed: each, body: found.get(each.row) ?? null });
      return 'loaded';
    } catch (error) {
      const isUnavailable = error instanceof AppError && error.kind === 'unavailable';
      if (isUnavailable && isLostBy(error)) throw error;
      onError(error);
      return isUnavailable ? 'unavailable' : 'failed';
    }
  }

  return { claim, load };
}

function kindOf({ attempts }: Result): AttemptKind {
  return attempts > 0 ? 'retry' : 'first';
}

function keyOf({ claimed: { row } }: Result): EndpointKey {
  return { projectId: row.project_id, endpointId: row.endpoint_id };
}
