import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Database } from '../../storage/database.ts';
import { ANY_UNSTAMPED, BECOME_RELAY, STAMP, TELL_STAMPED } from './outbox-store.ts';

/*
 * Numbers the events of every project, and tells all gateways that there are new ones.
 *
 * Events are written in the transactions of the changes that they tell, and transactions commit out of order, so no
 * number that a writer gives can be a cursor: a reader would skip what commits later. One relay, alone under an
 * advisory lock, gives positions to committed rows that have none. The notification is a transaction of its own: one
 * in the writers' transactions would make all commits wait for each other.
 */

export type Relay = {
  /** Told the ids of projects that have new events, or null for any project. Returns what ends it. */
  onEvents(listener: (projectIds: readonly string[] | null) => void): () => void;
  /** Resolves when all that is committed has its number, whoever the relay is. */
  settle(): Promise<void>;
  close(): Promise<void>;
};

const POLL_MS = 40;
const RETRY_MS = 500;
/** Whoever misses a notification looks after this time. */
const LOOK_MS = 1000;
const CHANNEL = 'vouchgraph_events';
/** What fits into one notification. */
const MOST_NAMED = 150;

export function startRelay(deps: { system: Database['system']; onError: (error: unknown) => void }): Relay {
  const { system, onError } = deps;
  const listeners = new Set<(projectIds: readonly string[] | null) => void>();
  const stop = new AbortController();

  const tell = (projectIds: readonly string[] | null) => {
    for (const listener of listeners) listener(projectIds);
  };

  /** Holds one connection for as long as it lives: it listens, and is the relay when the lock is free. */
  async function serve(client: pg.PoolClient): Promise<void> {
    const lost = Promise.withResolvers<never>();
    lost.promise.catch(() => {});
    const onNotification = ({ payload }: pg.Notification) => tell(payload ? payload.split(',') : null);
    client.on('notification', onNotification);
    client.on('error', lost.reject);
    try {
      await client.query(`listen ${CHANNEL}`);
      tell(null);
      let isRelay = false;
      while (!stop.signal.aborted) {
        isRelay ||= (await client.query(BECOME_RELAY)).rows[0].held as boolean;
        const stamped = isRelay ? await stamp((text, values) => client.query(text, values)) : 0;
        if (stamped === 0) await Promise.race([pause(isRelay ? POLL_MS : RETRY_MS), lost.promise]);
      }
    } finally {
      client.off('notification', onNotification);
      client.off('error', lost.reject);
      // Closed for good: what it listens to and holds must end with it.
      client.release(true);
    }
  }

  function pause(milliseconds: number): Promise<void> {
    return delay(milliseconds, undefined, { signal: stop.signal, ref: false }).catch(() => {});
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await serve(await system.connect());
      } catch (error) {
        if (stop.signal.aborted) return;
        onError(error);
        await pause(RETRY_MS);
      }
    }
  }

  const running = run();
  const looking = setInterval(() => tell(null), LOOK_MS);
  looking.unref();
  return {
    onEvents(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async settle() {
      while ((await system.query(ANY_UNSTAMPED, []))[0].waiting) await pause(POLL_MS);
    },
    async close() {
      stop.abort();
      clearInterval(looking);
      await running;
    },
  };
}

type Query = (
  text: string,
  values: unknown[],
) => Promise<{ rows: { project_id: string; stamped: string }[] }>;

/** Numbers a batch, and tells of it; how many there were. */
async function stamp(query: Query): Promise<number> {
  const { rows } = await query(STAMP, []);
  if (rows.length === 0) return 0;
  const projects = rows.map(({ project_id }) => project_id);
  await query(TELL_STAMPED, [CHANNEL, projects.length > MOST_NAMED ? '' : projects.join(',')]);
  return rows.reduce((sum, { stamped }) => sum + Number(stamped), 0);
}
