import { type EventRow, eventBody, PAYLOAD_FORMATS, toPublicEvent } from '@vouchgraph/events';
import {
  type BodyCache,
  type BodyKey,
  type DispatchPlan,
  type EndpointKey,
  planDeliveries,
} from '@vouchgraph/events/webhooks';
import type { Clock } from '@vouchgraph/platform/clock';
import { AppError } from '@vouchgraph/platform/errors';
import { firstIdAt, newId } from '@vouchgraph/platform/ids';
import { LRUCache } from 'lru-cache';
import type { Call, Transaction } from '../../storage/database.ts';
import { isSerializationFailure, isTimeout } from '../../storage/translate-error.ts';
import type { Project } from '../projects/project.ts';
import { encryptBody } from './body-service.ts';
import {
  FIND_BEHIND,
  INSERT_DELIVERIES,
  LOCK_BEHIND,
  LOCK_ORDER,
  type QueueDatabase,
  queueRows,
  READ_BEHIND,
} from './delivery-queue-store.ts';

/*
 * Makes deliveries of events: the events behind the position of enabled endpoints become rows, with their bodies, in one transaction with
 * that position, so that a crash at any moment neither loses nor repeats one. Endpoints of a project at the same position are
 * dispatched together: their deliveries of a batch of events are one statement, and a body is rendered once for all.
 */

export type Dispatcher = {
  /** Dispatches new events of projects; null for all. */
  wake(projectIds: readonly string[] | null): void;
  /** Dispatches for those of these projects whose deliveries waited for room. */
  noteRoom(projectIds: readonly string[]): void;
  /** Makes all deliveries that can be made now; how many. */
  dispatchAll(): Promise<number>;
  close(): Promise<void>;
};

type DispatcherDependencies = {
  system: QueueDatabase;
  clock: Clock;
  getProject: (projectId: string) => Promise<Project | null>;
  cache: BodyCache;
  /** Receives endpoints with deliveries that are due. */
  onDue: (endpoints: readonly EndpointKey[]) => void;
  onError: (error: unknown) => void;
};

/** Events of one transaction, and deliveries. */
const MAX_EVENTS = 500;
const MAX_DELIVERIES = 2000;
/** Positions of one read: there can be many events between two of the types of the endpoints. */
const MAX_POSITIONS = 100_000;
/** Deliveries of one endpoint that wait for their first attempt: what comes behind stays with the events. */
const MAX_UNTRIED = 500;
const MINUTE_MS = 60_000;
/** Endpoints of a group that time out alone before the rest of the group is left to the next dispatch. */
const MAX_TIMEOUTS = 2;
const MAX_REMEMBERED = 1000;

type TimedOut = LRUCache<string, true>;
/** Endpoints of one project at one position. */
type Group = { projectId: string; position: string; endpointIds: readonly string[] };
/** Result of a transaction. `isMore`: there are more events for endpoints that have room. `held`: endpoints without room. */
type Step = { made: number; isMore: boolean; held: readonly string[] };

export function startDispatcher(deps: DispatcherDependencies): Dispatcher {
  const { onError } = deps;
  let isStopped = false;
  let waiting: Set<string> | 'all' | null = null;
  let running: Promise<void> | null = null;
  /** Projects with more events than could be made deliveries of. */
  const held = new Set<string>();
  /** Endpoints whose last dispatch alone timed out: others are tried before them. */
  const timedOut: TimedOut = new LRUCache({ max: MAX_REMEMBERED });

  async function dispatch(projectIds: readonly string[] | null): Promise<number> {
    let made = 0;
    const failures: unknown[] = [];
    /** Endpoints that are done with, have no room, or are left to another process. */
    const passed = new Set<string>();
    for (let isMore = true; isMore && !isStopped; ) {
      isMore = false;
      for (const group of await findGroups(deps, projectIds, passed)) {
        if (isStopped) break;
        const step = await dispatchGroup(deps, group, failures, timedOut);
        made += step.made;
        if (step.held.length > 0) held.add(group.projectId);
        for (const endpointId of step.isMore ? step.held : group.endpointIds) passed.add(endpointId);
        isMore ||= step.isMore;
        if (failures.some(concernsAll)) break;
      }
      if (failures.some(concernsAll)) break;
    }
    if (failures.length > 1) throw new AggregateError(failures, 'Several endpoints were not dispatched');
    if (failures.length > 0) throw failures[0];
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
      // Projects woken meanwhile contain the skipped endpoints.
      await running;
      return made;
    },
    async close() {
      isStopped = true;
      await running;
    },
  };
}

const isUnavailable = (error: unknown) => error instanceof AppError && error.kind === 'unavailable';

/** The database is lost, full or has no connection left: no other endpoint can be dispatched either. */
const concernsAll = (error: unknown) =>
  isUnavailable(error) && !isTimeout(error) && !isSerializationFailure(error);

/**
 * If endpoints cannot be dispatched together, each is dispatched alone, so that one delays no others. Each timeout takes seconds:
 * after two of them the rest waits for the next dispatch, which begins with the endpoints that did not time out.
 */
async function dispatchGroup(
  deps: DispatcherDependencies,
  group: Group,
  failures: unknown[],
  timedOut: TimedOut,
): Promise<Step> {
  const { endpointIds } = group;
  try {
    const step = await dispatchStep(deps, group);
    for (const endpointId of endpointIds) timedOut.delete(endpointId);
    return step;
  } catch (error) {
    if (concernsAll(error) || endpointIds.length === 1) {
      failures.push(error);
      if (isUnavailable(error) && !concernsAll(error)) timedOut.set(endpointIds[0]!, true);
      return { made: 0, isMore: false, held: [] };
    }
  }
  let made = 0;
  let timeouts = 0;
  for (const endpointId of endpointIds.toSorted(
    (a, b) => Number(timedOut.has(a)) - Number(timedOut.has(b)),
  )) {
    const before = failures.length;
    made += (await dispatchGroup(deps, { ...group, endpointIds: [endpointId] }, failures, timedOut)).made;
    const failure = failures[before];
    if (failures.length === before || !isUnavailable(failure)) continue;
    timeouts += 1;
    if (concernsAll(failure) || timeouts === MAX_TIMEOUTS) break;
  }
  return { made, isMore: false, held: [] };
}

type BehindRow = { project_id: string; endpoint_id: string; position: string };

async function findGroups(
  { system }: DispatcherDependencies,
  projectIds: readonly string[] | null,
  passed: ReadonlySet<string>,
): Promise<Group[]> {
  const rows = await queueRows<BehindRow>(system, FIND_BEHIND, [projectIds, PAYLOAD_FORMATS]);
  const behind = rows.filter(({ endpoint_id }) => !passed.has(endpoint_id));
  const groups = Map.groupBy(behind, ({ project_id, position }) => `${project_id} ${position}`);
  return [...groups.values()].map((own) => ({
    projectId: own[0]!.project_id,
    position: own[0]!.position,
    endpointIds: own.map(({ endpoint_id }) => endpoint_id),
  }));
}

type LockedRow = {
  endpoint_id: string;
  event_types: EventRow['type'][];
  payload_format: number;
  rate_per_minute: number | null;
  head: string;
  untried: number;
  recent: number;
};

async function dispatchStep(
  deps: DispatcherDependencies,
  { projectId, position, endpointIds }: Group,
): Promise<Step> {
  const { system, clock, getProject, cache, onDue } = deps;
  const project = await getProject(projectId);
  if (!project) return { made: 0, isMore: false, held: [] };
  const now = clock.now();
  const bodies: Rendered[] = [];
  const { step, rows } = await system.queueTransaction(async (transaction) => {
    bodies.length = 0;
    const since = firstIdAt(new Date(now.getTime() - MINUTE_MS));
    const [locked = []] = (await transaction.run(
      LOCK_BEHIND.call({
        projectId,
        endpointIds,
        position,
        recentSince: since,
        isRetry: false,
        maxUntried: MAX_UNTRIED,
        payloadFormats: PAYLOAD_FORMATS,
      }),
    )) as LockedRow[][];
    const withRoom = locked.filter((row) => roomOf(row) > 0);
    const held = locked.filter((row) => roomOf(row) <= 0).map(({ endpoint_id }) => endpoint_id);
    if (withRoom.length === 0) {
      await transaction.commit();
      return { step: { made: 0, isMore: false, held }, rows: [] };
    }
    const batch = await readEvents(transaction, projectId, position, withRoom);
    const endpoints = withRoom.map((row) => ({
      endpointId: row.endpoint_id,
      eventTypes: row.event_types,
      room: roomOf(row),
    }));
    const plan = planDeliveries(
      endpoints,
      batch.events.map((event) => ({ position: Number(event.position), type: event.type })),
      batch.through,
    );
    const formats = withRoom.map((row) => row.payload_format);
    bodies.push(...renderAll(deps, project, batch.events, plan, formats));
    const [, rows = []] = await transaction.commit(
      [LOCK_ORDER, [projectId]],
      insertCall(project, now, batch.events, plan, withRoom, bodies),
    );
    for (const index of plan.full) held.push(withRoom[index]!.endpoint_id);
    return { step: { made: plan.deliveries.length, isMore: batch.isMore, held }, rows };
  });
  const stored = new Set(rows.map(({ event_id, payload_format }) => `${event_id} ${payload_format}`));
  for (const { key, body } of bodies)
    if (body !== null && stored.has(`${key.eventId} ${key.format}`)) cache.set(key, body);
  onDue(rows.flatMap(({ endpoint_id: endpointId }) => (endpointId ? [{ projectId, endpointId }] : [])));
  return step;
}

/** How many deliveries may be added: as many as its limit allows a minute, and never far ahead of its receiver. */
function roomOf({ rate_per_minute: rate, untried, recent }: LockedRow): number {
  return Math.min(MAX_UNTRIED - untried, rate === null ? MAX_UNTRIED : rate - recent);
}

type WrittenRow = EventRow & { write_id: string };
type EventBatch = { events: WrittenRow[]; through: number; isMore: boolean };

/** Events for some of these endpoints, as far as all their deliveries fit into one statement. */
async function readEvents(
  transaction: Transaction,
  projectId: string,
  position: string,
  endpoints: readonly LockedRow[],
): Promise<EventBatch> {
  const limit = Math.min(MAX_EVENTS, Math.max(1, Math.floor(MAX_DELIVERIES / endpoints.length)));
  const wantsAll = endpoints.some(({ event_types }) => event_types.length === 0);
  const types = wantsAll ? [] : [...new Set(endpoints.flatMap(({ event_types }) => event_types))];
  const end = Math.min(Number(endpoints[0]!.head), Number(position) + MAX_POSITIONS);
  const [events = []] = (await transaction.run([
    READ_BEHIND,
    [projectId, position, end + 1, types, limit],
  ])) as WrittenRow[][];
  const isFull = events.length === limit;
  const through = isFull ? Number(events.at(-1)!.position) : end;
  return { events, through, isMore: isFull || end < Number(endpoints[0]!.head) };
}

/** `body` is null where the event does not decrypt. */
type Rendered = { key: BodyKey; event: number; body: string | null };

/** Bodies of the planned deliveries, each once. */
function renderAll(
  { onError }: DispatcherDependencies,
  { projectId, cipher }: Project,
  events: readonly EventRow[],
  { deliveries }: DispatchPlan,
  formats: readonly number[],
): Rendered[] {
  const rendered = new Map<string, Rendered>();
  for (const { endpoint, event } of deliveries) {
    const format = formats[endpoint]!;
    const row = events[event]!;
    if (rendered.has(`${event} ${format}`)) continue;
    let body: string | null = null;
    try {
      body = eventBody(toPublicEvent(cipher, projectId, row), format);
    } catch (error) {
      // It will never decrypt: its deliveries are dead, and later ones are sent.
      onError(error);
    }
    rendered.set(`${event} ${format}`, { key: { projectId, eventId: row.event_id, format }, event, body });
  }
  return [...rendered.values()];
}

function insertCall(
  project: Project,
  now: Date,
  events: readonly WrittenRow[],
  { deliveries, positions }: DispatchPlan,
  endpoints: readonly LockedRow[],
  bodies: readonly Rendered[],
): Call {
  const stored = bodies.flatMap(({ body, ...rest }) => (body === null ? [] : [{ ...rest, body }]));
  const broken = new Set(bodies.flatMap(({ body, event }) => (body === null ? [event] : [])));
  // Deliveries of an endpoint have ids in the order of their events.
  const ids = deliveries.map(() => newId(now.getTime())).sort();
  return INSERT_DELIVERIES.call({
    projectId: project.projectId,
    now,
    eventIds: events.map(({ event_id }) => event_id),
    eventTimes: events.map(({ created_at }) => created_at),
    eventWrites: events.map(({ write_id }) => write_id),
    eventPositions: events.map(({ position }) => position),
    bodyEvents: stored.map(({ event }) => event + 1),
    bodyFormats: stored.map(({ key }) => key.format),
    bodies: stored.map(({ key, body }) => encryptBody(project, key, body)),
    deliveryIds: ids,
    deliveryEndpoints: deliveries.map(({ endpoint }) => endpoints[endpoint]!.endpoint_id),
    deliveryEvents: deliveries.map(({ event }) => event + 1),
    deliveryFormats: deliveries.map(({ endpoint }) => endpoints[endpoint]!.payload_format),
    areDead: deliveries.map(({ event }) => broken.has(event)),
    endpointIds: endpoints.map(({ endpoint_id }) => endpoint_id),
    positions,
  });
}
