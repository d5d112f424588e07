import { HttpError } from '@vouchgraph/platform/http';

export type OpenSockets = {
  /** Counts a socket or stream of a key or token; throws 429 above the limit. */
  add(key: string): void;
  /** Releases the place of one that `add` counted; once. */
  remove(key: string): void;
};

/** Counts the open WebSockets and event streams of each key or token in this process; 0 is no limit. */
export function countOpenSockets(maxPerKey: number): OpenSockets {
  const counts = new Map<string, number>();
  return {
    add(key) {
      const count = counts.get(key) ?? 0;
      if (maxPerKey > 0 && count >= maxPerKey)
        throw new HttpError(429, 'Too many open WebSockets for this key');
      counts.set(key, count + 1);
    },
    remove(key) {
      const remaining = (counts.get(key) ?? 0) - 1;
      if (remaining <= 0) counts.delete(key);
      else counts.set(key, remaining);
    },
  };
}
