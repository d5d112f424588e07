import { unavailable } from './errors.ts';

/*
 * Divides a limited number of places, such as the connections of a pool, among users: projects, for example. A user that
 * has one already cannot take the last few: they serve users that have none, so that work which is stuck never blocks
 * others. Besides that, nothing is kept free: a single user takes all others. A place that becomes free goes to the
 * waiting user with the fewest in use.
 */
export type FairShare = {
  /** Undefined when the key has its place at once; else resolves with it, or rejects when the wait takes too long. */
  take(key: string): Promise<void> | undefined;
  release(key: string): void;
};

type Waiter = { grant(): void };

export type FairShareOptions = {
  size: number;
  /** Places that only keys without any may take. */
  reserve: number;
  maxWaitMs: number;
};

export function createFairShare({ size, reserve, maxWaitMs }: FairShareOptions): FairShare {
  let free = size;
  const inUse = new Map<string, number>();
  /** In the order in which keys are served where they have equally many. */
  const queues = new Map<string, Set<Waiter>>();

  const countOf = (key: string) => inUse.get(key) ?? 0;
  const mayTake = (key: string) => free > (countOf(key) > 0 ? reserve : 0);

  function grant(key: string): void {
    free -= 1;
    inUse.set(key, countOf(key) + 1);
  }

  function findNext(): string | undefined {
    let next: string | undefined;
    for (const key of queues.keys())
      if (mayTake(key) && (next === undefined || countOf(key) < countOf(next))) next = key;
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
    take(key) {
      // Those who wait may not take what is free now, so that nobody is overtaken.
      if (!mayTake(key)) return wait(key);
      grant(key);
      return undefined;
    },
    release(key) {
      free += 1;
      const left = countOf(key) - 1;
      if (left > 0) inUse.set(key, left);
      else inUse.delete(key);
      serveWaiting();
    },
  };
}
