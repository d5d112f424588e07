import type { Project } from '../projects/project.ts';
import { type StoredEvent, toStoredEvents } from './event.ts';
import { readEvents, readHead } from './event-store.ts';
import type { Relay } from './relay-service.ts';

/*
 * Follows the events of the projects that somebody in this process listens to, each from the head on, and reads
 * nothing of the others. A project's events are read once and opened once, however many listen. The position moves on
 * when all listeners have taken the events, so that a failure repeats them rather than leaving one out: listeners pass
 * over what they have had.
 */

export type FeedListener = (events: readonly StoredEvent[]) => Promise<void>;

export type Following = {
  /** The position behind which the listener is told; once it is known. */
  readonly start: Promise<number>;
  stop(): void;
};

export type EventHub = {
  /** Tells of all events from now on, in their order and each batch after the one before was taken. */
  follow(project: Project, listener: FeedListener): Following;
  /** How many projects are followed. */
  readonly followed: number;
  /** Resolves when nothing is read any more. */
  close(): Promise<void>;
};

const BATCH = 200;
const RETRY_MS = 500;

type Feed = {
  readonly project: Project;
  readonly listeners: Set<FeedListener>;
  /** Resolves when it is known where it begins. */
  readonly known: Promise<void>;
  /** Through which all listeners were told; while they are being told, through which they then are. */
  reached: number | null;
  isStale: boolean;
  wake: () => void;
};

export function createEventHub(deps: { relay: Relay; onError: (error: unknown) => void }): EventHub {
  const { relay, onError } = deps;
  const feeds = new Map<string, Feed>();
  const running = new Set<Promise<void>>();
  let isClosed = false;

  function startFeed(project: Project): Feed {
    const known = Promise.withResolvers<void>();
    const feed: Feed = {
      project,
      listeners: new Set(),
      known: known.promise,
      reached: null,
      isStale: true,
      wake: () => {},
    };
    feeds.set(project.projectId, feed);
    const run = readOn(feed, known.resolve).finally(() => running.delete(run));
    running.add(run);
    return feed;
  }

  const isFollowed = (feed: Feed) => !isClosed && feed.listeners.size > 0;

  async function readOn(feed: Feed, tellStart: () => void): Promise<void> {
    let position: number | null = null;
    // Its first listener comes in the same turn.
    await Promise.resolve();
    while (isFollowed(feed)) {
      try {
        if (position === null) {
          position = (await readHead(feed.project.database)).position;
          feed.reached = position;
          tellStart();
        }
        feed.isStale = false;
        const rows = await readEvents(feed.project.database, { after: position, limit: BATCH });
        if (rows.length > 0) position = await deliver(feed, rows);
        if (rows.length < BATCH) await untilWoken(feed);
      } catch (error) {
        onError(error);
        await pause(feed);
      }
    }
  }

  async function deliver(feed: Feed, rows: Awaited<ReturnType<typeof readEvents>>): Promise<number> {
    const { project, listeners } = feed;
    const events = toStoredEvents(project, rows, onError);
    const last = Number(rows.at(-1)!.position);
    feed.reached = last;
    // Who comes while they are told begins behind these.
    await Promise.all([...listeners].map((listener) => listener(events)));
    return last;
  }

  function untilWoken(feed: Feed): Promise<void> {
    if (feed.isStale || !isFollowed(feed)) return Promise.resolve();
    return new Promise((resolve) => {
      feed.wake = resolve;
    });
  }

  function pause(feed: Feed): Promise<void> {
    if (!isFollowed(feed)) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, RETRY_MS);
      feed.wake = () => {
        if (isFollowed(feed)) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const leaveRelay = relay.onEvents((projectIds) => {
    for (const feed of projectIds?.map((id) => feeds.get(id)) ?? feeds.values()) {
      if (!feed) continue;
      feed.isStale = true;
      feed.wake();
    }
  });

  return {
    follow(project, listener) {
      const feed = feeds.get(project.projectId) ?? startFeed(project);
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
    },
    get followed() {
      return feeds.size;
    },
    async close() {
      isClosed = true;
      leaveRelay();
      for (const feed of feeds.values()) feed.wake();
      feeds.clear();
      await Promise.all(running);
    },
  };
}
