/** Queue size as a multiple of `concurrency`, so that consecutive items of one key do not block the items after them. */
const LOOK_AHEAD = 8;

type Entry<Item> = { readonly item: Item; readonly key: string | null; isDone: boolean };

export type OrderedWrites<Item> = {
  /** Enqueues an item; waits while the queue is full. False after a stop or failure. */
  add(item: Item, key: string | null): Promise<boolean>;
  /** Starts no further writes. */
  stop(): void;
  /** Waits for all enqueued items, or after a stop or failure for the started writes. Throws the first error of a write. */
  settle(): Promise<void>;
};

/**
 * Writes items concurrently, but items with the same key one after another, in order. An item without a key is not written.
 * `done` is called in the order of the items, so that completed items are always a prefix of all items. The first failure stops
 * further writes.
 */
export function createOrderedWrites<Item>(options: {
  concurrency: number;
  write: (item: Item) => Promise<void>;
  done: (item: Item) => void;
}): OrderedWrites<Item> {
  const { concurrency, write, done } = options;
  const entries: Entry<Item>[] = [];
  /** For each key with a running or ready entry: the entries after it. */
  const behind = new Map<string, Entry<Item>[]>();
  const ready: Entry<Item>[] = [];
  let running = 0;
  let isStopped = false;
  let failure: { error: unknown } | null = null;
  let wake = () => {};

  function startReady(): void {
    while (!isStopped && running < concurrency && ready.length > 0) void start(ready.shift()!);
  }

  async function start(entry: Entry<Item>): Promise<void> {
    running += 1;
    try {
      await write(entry.item);
      entry.isDone = true;
    } catch (error) {
      failure ??= { error };
      isStopped = true;
    }
    running -= 1;
    makeReady(entry.key!);
    retire();
    startReady();
    wake();
  }

  function makeReady(key: string): void {
    const next = behind.get(key)?.shift();
    if (next) ready.push(next);
    else behind.delete(key);
  }

  function retire(): void {
    while (entries[0]?.isDone) done(entries.shift()!.item);
  }

  async function waitUntil(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    async add(item, key) {
      await waitUntil(() => isStopped || entries.length < concurrency * LOOK_AHEAD);
      if (isStopped) return false;
      const entry = { item, key, isDone: key === null };
      entries.push(entry);
      if (key === null) retire();
      else if (behind.has(key)) behind.get(key)!.push(entry);
      else {
        behind.set(key, []);
        ready.push(entry);
        startReady();
      }
      return true;
    },
    stop() {
      isStopped = true;
      wake();
    },
    async settle() {
      await waitUntil(() => running === 0 && (isStopped || entries.length === 0));
      if (failure) throw failure.error;
    },
  };
}
