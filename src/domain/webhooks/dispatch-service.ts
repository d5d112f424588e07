import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { firstIdAt, LAST_ID, newId } from '../../platform/ids.ts';
import {
  ADVANCE,
  COUNT_RECENT,
  FIND_BEHIND,
  INSERT_DELIVERIES,
  LOCK_BEHIND,
  READ_BEHIND,
} from './delivery-store.ts';
import { type Jobs, orderOf, type SystemTransaction } from './job-store.ts';
import { PER_ENDPOINT } from './slots.ts';

/*
 * Makes deliveries of events: for each enabled endpoint, the events behind its position become rows and jobs in one
 * transaction with that position, so that none is lost and none comes twice, whoever dies when.
 */

export type Dispatcher = {
  /** Looks at projects that have new events; null for all. */
  wake(projectIds: readonly string[] | null): void;
  /** Looks at those of these projects whose deliveries waited for room. */
  noteRoom(projectIds: readonly string[]): void;
  /** Makes all deliveries that can be made now; how many. */
  dispatchAll(): Promise<number>;
  close(): Promise<void>;
};

const AT_ONCE = 500;
/** Deliveries of one endpoint that wait for their first attempt: what comes behind stays with the events. */
const MOST_UNTRIED = 500;
const MINUTE_MS = 60_000;

type Behind = { project_id: string; endpoint_id: string };

export function startDispatcher(deps: {
  jobs: Jobs;
  clock: Clock;
  /** Told that there are new jobs. */
  onJobs: () => void;
  onError: (error: unknown) => void;
}): Dispatcher {
  const { jobs, clock, onJobs, onError } = deps;
  let isStopped = false;
  let waiting: Set<string> | 'all' | null = null;
  let running: Promise<void> | null = null;
  /** Projects with more events than could be made deliveries of. */
  const held = new Set<string>();

  async function dispatch(projectIds: readonly string[] | null): Promise<number> {
    const behind = await jobs.query<Behind>(FIND_BEHIND, [projectIds]);
    let made = 0;
    const failures: unknown[] = [];
    for (const { project_id, endpoint_id } of behind) {
      if (isStopped) break;
      try {
        made += await dispatchTo(project_id, endpoint_id);
      } catch (error) {
        // The others go on, unless the database is away.
        failures.push(error);
        if (error instanceof AppError && error.kind === 'unavailable') break;
      }
    }
    if (failures.length > 1) throw new AggregateError(failures, 'Several endpoints were not told');
    if (failures.length > 0) throw failures[0];
    return made;
  }

  async function dispatchTo(projectId: string, endpointId: string): Promise<number> {
    let made = 0;
    for (let isMore = true; isMore && !isStopped; ) {
      const step = await jobs.transaction(
        (transaction) => dispatchSome(transaction, projectId, endpointId, clock.now()),
        { isRepeatable: true },
      );
      made += step.made;
      if (step.isHeld) held.add(projectId);
      isMore = step.isMore;
      if (step.made > 0) onJobs();
    }
    return made;
  }

  async function run(): Promise<void> {
    while (waiting !== null && !isStopped) {
      const projectIds = waiting === 'all' ? null : [...waiting];
      waiting = null;
      await dispatch(projectIds).catch(onError);
    }
  }

  function wake(projectIds: readonly string[] | null): void {
    if (isStopped) return;
    if (projectIds === null) waiting = 'all';
    else if (waiting !== 'all') waiting = new Set([...(waiting ?? []), ...projectIds]);
    running ??= run().finally(() => {
      running = null;
    });
  }

  return {
    wake,
    noteRoom(projectIds) {
      const now = projectIds.filter((projectId) => held.delete(projectId));
      if (now.length > 0) wake(now);
    },
    async dispatchAll() {
      await running;
      const made = await dispatch(null);
      // What was woken meanwhile has the endpoints that were passed over.
      await running;
      return made;
    },
    async close() {
      isStopped = true;
      await running;
    },
  };
}

type Step = { made: number; isMore: boolean; isHeld: boolean };
const NOTHING: Step = { made: 0, isMore: false, isHeld: false };

type NewEvent = {
  position: string;
  event_id: string;
  type: string;
  account_id: string | null;
  created_at: Date;
};

async function dispatchSome(
  transaction: SystemTransaction,
  projectId: string,
  endpointId: string,
  now: Date,
): Promise<Step> {
  const [endpoint] = await transaction.run(LOCK_BEHIND, [projectId, endpointId]);
  if (!endpoint || Number(endpoint.position) >= Number(endpoint.head)) return NOTHING;
  const { limit, untried } = await roomFor(transaction, projectId, endpointId, endpoint.rate_per_minute, now);
  if (limit <= 0) return { ...NOTHING, isHeld: true };
  const { position, head, event_types } = endpoint;
  const events = await transaction.run<NewEvent>(READ_BEHIND, [
    projectId,
    position,
    head,
    event_types,
    limit,
  ]);
  const isMore = events.length === limit;
  const deliveryIds = events.map(() => newId(now.getTime())).sort();
  if (events.length > 0) {
    await transaction.run(INSERT_DELIVERIES, [
      projectId,
      endpointId,
      now,
      deliveryIds,
      events.map(({ event_id }) => event_id),
      events.map(({ created_at }) => created_at),
      events.map(({ type }) => type),
      events.map((event) => event.position),
      events.map(({ account_id }) => account_id),
    ]);
    await transaction.addJobs(
      'first',
      deliveryIds.map((deliveryId, index) => ({
        projectId,
        endpointId,
        deliveryId,
        order: orderOf(events[index]!),
        // What many endpoints wait for is mixed: jobs that come in the order of endpoints would be taken a few at a time.
        rank: Math.floor((untried + index) / PER_ENDPOINT),
      })),
    );
  }
  // What it did not ask for is passed over.
  await transaction.run(ADVANCE, [projectId, endpointId, isMore ? events.at(-1)!.position : head]);
  return { made: events.length, isMore, isHeld: false };
}

/** How many deliveries may be made: as many as its limit allows a minute, and never far ahead of its receiver. */
async function roomFor(
  transaction: SystemTransaction,
  projectId: string,
  endpointId: string,
  ratePerMinute: number | null,
  now: Date,
): Promise<{ limit: number; untried: number }> {
  const since = ratePerMinute === null ? LAST_ID : firstIdAt(new Date(now.getTime() - MINUTE_MS));
  const [recent] = await transaction.run(COUNT_RECENT, [projectId, endpointId, since, MOST_UNTRIED]);
  const byRate = ratePerMinute === null ? AT_ONCE : Math.max(0, ratePerMinute - recent.made);
  const { untried } = recent;
  return { limit: Math.min(AT_ONCE, MOST_UNTRIED - untried, byRate), untried };
}
