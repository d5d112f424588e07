/** Requests of the parent to a server or to its subscribers, and their responses. */
export type ServerQuestion = { kind: 'look'; collect: boolean } | { kind: 'publish'; n: number };
export type ServerState = {
  subscribers: number;
  /** Memory of the process in bytes; with `collect`, after a garbage collection. */
  memory: number;
  /** Longest delay of the event loop since the last request, in milliseconds. */
  blockedMs: number;
};

export type SubscriberQuestion =
  | { kind: 'open'; url: string; count: number; init: object | null; subscribe: object | null }
  | { kind: 'expect'; n: number };

/** Arrival of one event: the delay between the first and the last, and the time of each. */
export type Arrivals = { spreadMs: number; lastAt: number; p50At: number; p99At: number; mistakes: string[] };
export type SubscriberReply = { opened: number } | { arrivals: Arrivals };

/** Milliseconds of a clock that all processes of a machine share. */
export const commonNow = (): number => performance.timeOrigin + performance.now();

export const QUERY = 'subscription { events { id: eventId type cursor createdAt accountId sessionId data } }';

/** About 360 bytes as an event of the gateway, with an account in it. */
export const dataOf = (n: number) => ({
  n,
  account: { id: 'user-4711', email: 'user-4711@example.com', username: 'user4711', lists: ['regulars'] },
  decision: 'Real',
});
