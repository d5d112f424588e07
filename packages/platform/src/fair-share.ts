import { unavailable } from './errors.ts';

/*
 * A fair semaphore: divides a limited number of slots, such as the connections of a pool, among keys, such as projects. A key that
 * has a slot cannot acquire the reserved slots, which are for keys without any, so that stuck work never blocks other keys. All
 * other slots can be used by a single key. A released slot goes to the waiting key with the fewest slots.
 */
export type FairShare = {
  /** Acquires a slot. Undefined if it is available immediately; otherwise a promise that rejects after `maxWaitMs`. */
  acquire(key: string): Promise<void> | undefined;
  release(key: string): void;
};

type Waiter = { grant(): void };

export type FairShareOptions = {
  size: number;
  /** Slots that only keys without a slot can acquire. */
  reserve: number;
  maxWaitMs: number;
};

export function createFairShare({ size, reserve, maxWaitMs }: FairShareOptions): FairShare {
  let free = size;
  const inUse = new Map<string, number>();
  /** Waiting keys, in the order in which keys with equally many slots are served. */
  const queues = new Map<string, Set<Waiter>>();

  const countOf = (key: string) => inUse.get(key) ?? 0;
  const mayAcquire = (key: string) => free > (countOf(key) > 0 ? reserve : 0);

  function grant(key: string): void {
    free -= 1;
    inUse.set(key, countOf(key) + 1);
  }

  function findNext(): string | undefined {
    let next: string | undefined;
    for (const key of queues.keys())
      if (mayAcquire(key) && (next === undefined || countOf(key) < countOf(next))) next = key;
    return next;
  }

  function serveWaiting(): void {
    for (let key = findNext(); key !== undefined; key = findNext()) {
      const queue = queues.get(key)!;
      const [waiter] = queue;
      queue.delete(waiter!);
      queues.delete(key);
      if (queue.size > 0) queues.set(key, queue);
      grant(key);
      waiter!.grant();
    }
  }

  function wait(key: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = queues.get(key) ?? new Set();
      queues.set(key, queue);
      const waiter: Waiter = {
        grant() {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        queue.delete(waiter);
        if (queue.size === 0 && queues.get(key) === queue) queues.delete(key);
        reject(unavailable());
      }, maxWaitMs);
      queue.add(waiter);
    });
  }

  return {
    acquire(key) {
      // Waiting keys may not acquire the slots that are free now, so an immediate grant overtakes none of them.
      if (!mayAcquire(key)) return wait(key);
      grant(key);
      return undefined;
    },
    release(key) {
      free += 1;
      const remaining = countOf(key) - 1;
      if (remaining > 0) inUse.set(key, remaining);
      else inUse.delete(key);
      serveWaiting();
    },
  };
}
