import { LRUCache } from 'lru-cache';
import type pg from 'pg';

/*
 * Reports connections that wrote events, when they return to their pool: the events are then committed or rolled back. It
 * checks the text of every statement, so that no writer of events can forget to report.
 */

/** A statement as pg takes it, or a batch of several. */
type Sent = string | { readonly text?: string; readonly texts?: readonly string[] };

const INSERTS_EVENTS = /\binsert\s+into\s+(?:"?\w+"?\.)?"?outbox_events\b/i;

/** Calls `onWritten` after each use of a connection that may have committed events. */
export function watchEventWrites(pool: pg.Pool, onWritten: () => void): void {
  const writers = new WeakSet<pg.PoolClient>();
  pool.on('connect', (client) => {
    const query = client.query as (sent: Sent, ...rest: unknown[]) => unknown;
    const observed: typeof query = (sent, ...rest) => {
      if (textsOf(sent).some(insertsEvents)) writers.add(client);
      return query.call(client, sent, ...rest);
    };
    client.query = observed as typeof client.query;
  });
  pool.on('release', (_error, client) => {
    if (writers.delete(client)) onWritten();
  });
}

function textsOf(sent: Sent): readonly string[] {
  if (typeof sent === 'string') return [sent];
  return sent.texts ?? (sent.text === undefined ? [] : [sent.text]);
}

const known = new LRUCache<string, boolean>({ max: 2000 });
function insertsEvents(text: string): boolean {
  let answer = known.get(text);
  if (answer === undefined) {
    answer = INSERTS_EVENTS.test(text);
    known.set(text, answer);
  }
  return answer;
}
