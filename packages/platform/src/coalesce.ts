import { setImmediate as turn } from 'node:timers/promises';

/** Combines look-ups of single keys into calls for several keys. */
export type Coalescer<Key, Value> = { find(key: Key): Promise<Value> };

export type CoalescerOptions<Key, Value> = {
  /** Loads the values of keys, in the same order. */
  load: (keys: readonly Key[]) => Promise<readonly Value[]>;
  /** Maximum number of keys of the next call. */
  maxKeys: () => number;
  /** Maximum number of concurrent calls. */
  maxRunning: number;
  /** Whether handling these values would block the event loop, so that each is resolved in a separate iteration. */
  isExpensive: (values: readonly Value[]) => boolean;
};

type Waiter<Key, Value> = {
  readonly key: Key;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
};

/**
 * Combines look-ups of concurrent requests. Look-ups of one iteration of the event loop share a call. While `maxRunning`
 * calls run, further look-ups wait and share the next one. A single look-up is sent immediately. A call starts after its
 * look-ups, so that each sees all commits before it. A failure rejects all look-ups of its call.
 */
export function createCoalescer<Key, Value>(options: CoalescerOptions<Key, Value>): Coalescer<Key, Value> {
  const { load, maxKeys, maxRunning, isExpensive } = options;
  const waiting: Waiter<Key, Value>[] = [];
  let running = 0;
  let isScheduled = false;

  function startCalls(): void {
    isScheduled = false;
    while (running < maxRunning && waiting.length > 0) void call(waiting.splice(0, maxKeys()));
  }

  async function call(waiters: readonly Waiter<Key, Value>[]): Promise<void> {
    running += 1;
    try {
      const values = await load(waiters.map(({ key }) => key));
      const inTurns = isExpensive(values);
      for (const [index, { resolve }] of waiters.entries()) {
        if (inTurns && index > 0) await turn();
        resolve(values[index]!);
      }
    } catch (error) {
      for (const { reject } of waiters) reject(error);
    } finally {
      running -= 1;
      startCalls();
    }
  }

  return {
    find(key) {
      return new Promise((resolve, reject) => {
        waiting.push({ key, resolve, reject });
        if (isScheduled || running >= maxRunning) return;
        isScheduled = true;
        setImmediate(startCalls);
      });
    },
  };
}
