import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Database, Row, Statement, StatementObserver } from '../../storage/database.ts';
import {
  ANY_UNNUMBERED,
  BECOME_RELAY,
  NOTIFY_WRITTEN,
  NUMBER,
  NUMBER_BATCH,
  NUMBERED_CHANNEL,
  RELAY_SETTINGS,
  WRITTEN_CHANNEL,
} from './outbox-store.ts';

/*
 * Numbers the events of every project, and notifies all gateways of new ones.
 *
 * Events are written in the transactions of their changes, and transactions commit out of order, so no number set by a
 * writer can be a cursor: a reader would skip later commits. One relay, alone under an advisory lock, sets the positions of
 * committed writes, each of which is the events of one statement.
 *
 * The relay runs when events were committed: the storage layer reports commits of this process, and a gateway that is not
 * the relay sends a notification. Notifications are separate transactions: in the writers' transactions they would make all
 * commits wait for each other. Once a second the relay also runs without a notification, for events of processes that send
 * none: the command line, and a gateway that crashed after its commit.
 */

export type Relay = {
  /**
   * The listener receives the ids of projects that have new events, or null for any project. Returns a function that
   * removes it.
   */
  onEvents(listener: (projectIds: readonly string[] | null) => void): () => void;
  /** Resolves when all that is committed has its number, whichever gateway is the relay. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

/** Shortest time between two runs, or two notifications of one gateway: under load a run numbers many commits. */
const MIN_INTERVAL_MS = 25;
const POLL_MS = 1000;
/** How often another gateway tries to become the relay: the longest delay of events after the relay crashes. */
const TAKEOVER_MS = 1000;
const RETRY_MS = 500;
/** Longer than the statement timeout of the server: without a response by then the connection is lost. */
const ANSWER_MS = 12_000;
/**
 * Interval at which listeners look for events of all projects, regardless of notifications: a webhook endpoint at its limit
 * per minute has room again without a new event. After a lost connection they look as soon as it is replaced.
 */
const LISTENERS_POLL_MS = 5000;

type RelayDependencies = {
  database: Pick<Database, 'system' | 'onEventsWritten'>;
  pollMs?: number;
  /** Receives the name of every statement of the relay's connection. */
  onStatement?: StatementObserver;
  onError: (error: unknown) => void;
};

export function startRelay(deps: RelayDependencies): Relay {
  const { database, pollMs = POLL_MS, onStatement = () => {}, onError } = deps;
  const { system } = database;
  const listeners = new Set<(projectIds: readonly string[] | null) => void>();
  const stop = new AbortController();
  const wakeSignal = createWakeSignal();
  const stopWatching = database.onEventsWritten(wakeSignal.set);
  const emit = (projectIds: readonly string[] | null) => {
    for (const listener of listeners) listener(projectIds);
  };
  const running = reconnect({
    system,
    pollMs,
    wakeSignal,
    stopSignal: stop.signal,
    emit,
    onStatement,
    onError,
  });
  const looking = setInterval(() => emit(null), LISTENERS_POLL_MS);
  looking.unref();
  return {
    onEvents(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async settle() {
      while ((await system.query(ANY_UNNUMBERED, []))[0].waiting) {
        wakeSignal.set();
        await pause(MIN_INTERVAL_MS, stop.signal);
      }
    },
    async close() {
      stopWatching();
      stop.abort();
      wakeSignal.set();
      clearInterval(looking);
      await running;
    },
  };
}

/** Shared state of a relay. */
type RelayParts = {
  system: Database['system'];
  pollMs: number;
  wakeSignal: ReturnType<typeof createWakeSignal>;
  stopSignal: AbortSignal;
  /** Notifies the listeners: of these projects, or null for any project. */
  emit: (projectIds: readonly string[] | null) => void;
  onStatement: StatementObserver;
  onError: (error: unknown) => void;
};

/** Sends a statement on the connection of the relay; resolves to the first row. */
type Send = (statement: Statement) => Promise<Row>;

/** Replaces a lost connection, until the relay is closed. */
async function reconnect(parts: RelayParts): Promise<void> {
  const { system, stopSignal, onError } = parts;
  while (!stopSignal.aborted) {
    try {
      await serve(parts, await system.connect());
    } catch (error) {
      if (stopSignal.aborted) return;
      onError(error);
      await pause(RETRY_MS, stopSignal);
    }
  }
}

/** Keeps one connection open: it listens, and is the relay when the lock is free. */
async function serve(parts: RelayParts, client: pg.PoolClient): Promise<void> {
  const { wakeSignal, emit, onStatement } = parts;
  let failure: Error | null = null;
  const onLost = (error: Error) => {
    failure ??= error;
    wakeSignal.set();
  };
  const onNotification = ({ channel, payload }: pg.Notification) => {
    if (channel === WRITTEN_CHANNEL) wakeSignal.set();
    else emit(payload ? payload.split(',') : null);
  };
  const send: Send = async ({ name, text }) => {
    if (failure) throw failure;
    onStatement(name);
    return (await answerOf(client.query({ name, text }))).rows[0];
  };
  client.on('notification', onNotification);
  // Permanently: one loss of a connection is several errors, some of which follow its release.
  client.on('error', onLost);
  try {
    await answerOf(client.query(`${RELAY_SETTINGS}; listen ${NUMBERED_CHANNEL}`));
    emit(null);
    await numberEvents(parts, send);
  } finally {
    client.off('notification', onNotification);
    // Closed: its LISTEN and its lock must end with the connection.
    client.release(true);
  }
}

/** Numbers events after commits, while this gateway is the relay; otherwise wakes the relay. */
async function numberEvents({ pollMs, wakeSignal, stopSignal }: RelayParts, send: Send): Promise<void> {
  let isRelay = false;
  let pollAt = 0;
  // A notification of the previous connection may be lost with it.
  wakeSignal.set();
  while (!stopSignal.aborted) {
    const startedAt = performance.now();
    const isWoken = wakeSignal.take();
    if (!isRelay && startedAt >= pollAt) {
      pollAt = startedAt + TAKEOVER_MS;
      isRelay = (await send(BECOME_RELAY)).held;
      // Before the first run, so that no commit after it is missed.
      if (isRelay) await send(LISTEN_WRITTEN);
    }
    if (isRelay) {
      const row = await send(NUMBER);
      if (row?.numbered === NUMBER_BATCH) wakeSignal.set();
      pollAt = startedAt + pollMs;
    } else if (isWoken) await send(NOTIFY_WRITTEN);
    await pause(startedAt + MIN_INTERVAL_MS - performance.now(), stopSignal);
    await wakeSignal.wait(pollAt - performance.now());
  }
}

/** Resolves after a time, or when the relay is closed. */
async function pause(milliseconds: number, stopSignal: AbortSignal): Promise<void> {
  if (milliseconds <= 0) return;
  await delay(milliseconds, undefined, { signal: stopSignal, ref: false }).catch(() => {});
}

const LISTEN_WRITTEN: Statement = { name: 'outbox.listen_written', text: `listen ${WRITTEN_CHANNEL}` };

/** The response of the database; rejects after a timeout. */
async function answerOf<T>(answer: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error('The database does not answer')), ANSWER_MS);
  timer.unref();
  try {
    return await Promise.race([answer, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A signal that stays set until it is taken; one reader waits for it. */
function createWakeSignal() {
  let isSet = false;
  let resolveWait = () => {};
  return {
    set(): void {
      isSet = true;
      resolveWait();
    },
    /** Resets the signal; returns whether it was set. */
    take(): boolean {
      const wasSet = isSet;
      isSet = false;
      return wasSet;
    },
    /** Resolves when the signal is set, or after a time. */
    wait(milliseconds: number): Promise<void> {
      if (isSet || milliseconds <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        timer.unref();
        resolveWait = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
