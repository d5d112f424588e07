import { type StoredEvent, toStoredEvents } from '@vouchgraph/events';
import type { Project } from '../projects/project.ts';
import { readEvents, readHead } from './event-store.ts';
import type { Relay } from './relay-service.ts';

/*
 * Reads the events of the projects that have subscribers in this process, each from the head on. A project's events are
 * read and decrypted once for all listeners. The position advances after all listeners have accepted the events: a failure
 * repeats events rather than dropping one, and listeners skip received ones.
 */

export type FeedListener = (events: readonly StoredEvent[]) => Promise<void>;

export type FeedSubscription = {
  /** Resolves to the position after which the listener receives events. */
  readonly start: Promise<number>;
  stop(): void;
};

export type EventHub = {
  /** Delivers all events from now on, in order, each batch after the listener has accepted the previous one. */
  subscribe(project: Project, listener: FeedListener): FeedSubscription;
  /** Number of projects that have listeners. */
  readonly feedCount: number;
  /** Resolves when no read is running any more. */
  close(): Promise<void>;
};

const BATCH = 200;
const RETRY_MS = 500;

type Feed = {
  readonly project: Project;
  readonly listeners: Set<FeedListener>;
  /** Resolves when its start position is known. */
  readonly known: Promise<void>;
  /** Position through which all listeners have, or are being sent, the events. */
  reached: number | null;
  isStale: boolean;
  wake: () => void;
};

type Hub = {
  readonly onError: (error: unknown) => void;
  /** By project id. */
  readonly feeds: Map<string, Feed>;
  readonly running: Set<Promise<void>>;
  isClosed: boolean;
};

/** Reads the events of projects that have listeners. */
export function createEventHub(deps: { relay: Relay; onError: (error: unknown) => void }): EventHub {
  const { relay, onError } = deps;
  const hub: Hub = { onError, feeds: new Map(), running: new Set(), isClosed: false };
  const leaveRelay = relay.onEvents((projectIds) => wakeFeeds(hub, projectIds));
  return {
    subscribe: (project, listener) => subscribe(hub, project, listener),
    get feedCount() {
      return hub.feeds.size;
    },
    async close() {
      hub.isClosed = true;
      leaveRelay();
      for (const feed of hub.feeds.values()) feed.wake();
      hub.feeds.clear();
      await Promise.all(hub.running);
    },
  };
}

/** Wakes the feeds of these projects; of all projects when null. */
function wakeFeeds({ feeds }: Hub, projectIds: readonly string[] | null): void {
  for (const feed of projectIds?.map((id) => feeds.get(id)) ?? feeds.values()) {
    if (!feed) continue;
    feed.isStale = true;
    feed.wake();
  }
}

function subscribe(hub: Hub, project: Project, listener: FeedListener): FeedSubscription {
  const { feeds } = hub;
  const feed = feeds.get(project.projectId) ?? startFeed(hub, project);
  feed.listeners.add(listener);
  return {
    start: feed.reached === null ? feed.known.then(() => feed.reached!) : Promise.resolve(feed.reached),
    stop() {
      feed.listeners.delete(listener);
      if (feed.listeners.size > 0) return;
      if (feeds.get(project.projectId) === feed) feeds.delete(project.projectId);
      feed.wake();
    },
  };
}

function startFeed(hub: Hub, project: Project): Feed {
  const known = Promise.withResolvers<void>();
  const feed: Feed = {
    project,
    listeners: new Set(),
    known: known.promise,
    reached: null,
    isStale: true,
    wake: () => {},
  };
  hub.feeds.set(project.projectId, feed);
  const run = readNext(hub, feed, known.resolve).finally(() => hub.running.delete(run));
  hub.running.add(run);
  return feed;
}

function hasListeners(hub: Hub, feed: Feed): boolean {
  return !hub.isClosed && feed.listeners.size > 0;
}

async function readNext(hub: Hub, feed: Feed, resolveStart: () => void): Promise<void> {
  let position: number | null = null;
  // Its first listener is added in the same iteration of the event loop.
  await Promise.resolve();
  while (hasListeners(hub, feed)) {
    try {
      if (position === null) {
        position = (await readHead(feed.project.database)).position;
        feed.reached = position;
        resolveStart();
      }
      feed.isStale = false;
      const rows = await readEvents(feed.project.database, { after: position, limit: BATCH });
      if (rows.length > 0) position = await deliver(feed, rows, hub.onError);
      if (rows.length < BATCH) await untilWoken(hub, feed);
    } catch (error) {
      hub.onError(error);
      await pause(hub, feed);
    }
  }
}

/** Delivers rows to all listeners of a feed; returns the position after them. */
async function deliver(
  feed: Feed,
  rows: Awaited<ReturnType<typeof readEvents>>,
  onError: (error: unknown) => void,
): Promise<number> {
  const { project, listeners } = feed;
  const events = toStoredEvents(project, rows, onError);
  const last = Number(rows.at(-1)!.position);
  feed.reached = last;
  // A listener that is added during the delivery starts after these rows.
  await Promise.all([...listeners].map((listener) => listener(events)));
  return last;
}

function untilWoken(hub: Hub, feed: Feed): Promise<void> {
  if (feed.isStale || !hasListeners(hub, feed)) return Promise.resolve();
  return new Promise((resolve) => {
    feed.wake = resolve;
  });
}

function pause(hub: Hub, feed: Feed): Promise<void> {
  if (!hasListeners(hub, feed)) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, RETRY_MS);
    feed.wake = () => {
      if (hasListeners(hub, feed)) return;
      clearTimeout(timer);
      resolve();
    };
  });
}
