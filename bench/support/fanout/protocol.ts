/** Requests of the parent to a server or to its subscribers, and their responses. */
export type ServerQuestion = { kind: 'look'; collect: boolean } | { kind: 'publish'; n: number };
export type ServerState = {
  subscribers: number;
  /** Memory of the process in bytes; with `collect`, after a garbage collection. */
  memory: number;
  /** Longest time that the event loop stood still since the last look, in milliseconds. */
  blockedMs: number;
};

export type SubscriberQuestion =
  | { kind: 'open'; url: string; count: number; init: object | null; subscribe: object | null }
  | { kind: 'expect'; n: number };

/** How one event came: how long after the first the last came, and when each came. */
export type Arrivals = { spreadMs: number; lastAt: number; p50At: number; p99At: number; mistakes: string[] };
export type SubscriberReply = { opened: number } | { arrivals: Arrivals };

/** Milliseconds that all processes of a machine count alike. */
export const commonNow = (): number => performance.timeOrigin + performance.now();

export const QUERY = 'subscription { events { id: eventId type cursor createdAt accountId sessionId data } }';

/** About 360 bytes as an event of the gateway, with an account in it. */
export const dataOf = (n: number) => ({
  n,
  account: { id: 'user-4711', email: 'user-4711@example.com', username: 'user4711', lists: ['regulars'] },
  decision: 'Real',
});
