import { setImmediate as turn } from 'node:timers/promises';

/** Look-ups of single keys that are answered by one call for many. */
export type Coalescer<Key, Value> = { find(key: Key): Promise<Value> };

export type CoalescerOptions<Key, Value> = {
  /** The values of keys, in their order. */
  load: (keys: readonly Key[]) => Promise<readonly Value[]>;
  /** Keys of the next call. */
  maxKeys: () => number;
  /** Calls at the same time. */
  maxRunning: number;
  /** Whether what the requests do with these values would hold the event loop, so that each gets a turn of its own. */
  isMuch: (values: readonly Value[]) => boolean;
};

type Waiter<Key, Value> = {
  readonly key: Key;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
};

/**
 * Answers look-ups of concurrent requests together. Look-ups of one turn of the event loop share a call; while as many
 * calls run as may, further look-ups wait and share the next one. A lone look-up is sent alone, and at once. A call begins
 * after its look-ups did, so that each sees all that was committed before it. A failure rejects all look-ups of its call.
 */
export function createCoalescer<Key, Value>(options: CoalescerOptions<Key, Value>): Coalescer<Key, Value> {
  const { load, maxKeys, maxRunning, isMuch } = options;
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
      const inTurns = isMuch(values);
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
