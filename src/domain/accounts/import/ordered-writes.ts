/** How many times `concurrency` may wait, so that a run of lines of one key does not hold up those behind it. */
const LOOK_AHEAD = 8;

type Entry<Item> = { readonly item: Item; readonly key: string | null; isDone: boolean };

export type OrderedWrites<Item> = {
  /** Takes an item, whose turn may come later; waits while too many wait. False when nothing more is taken. */
  add(item: Item, key: string | null): Promise<boolean>;
  /** Starts nothing more. */
  stop(): void;
  /** Waits for what was taken, or after a stop or failure for what has started. Throws what a write threw. */
  settle(): Promise<void>;
};

/**
 * Writes several items at once, but those of one key one after another, in their order. An item without a key has
 * nothing to write. `done` is called in the order of all items, each behind every item before it, so that what it was
 * called for is a beginning of the whole. The first failure stops it.
 */
export function createOrderedWrites<Item>(options: {
  concurrency: number;
  write: (item: Item) => Promise<void>;
  done: (item: Item) => void;
}): OrderedWrites<Item> {
  const { concurrency, write, done } = options;
  const entries: Entry<Item>[] = [];
  /** Of each key that has something to write: the entries behind the one that is running or ready. */
  const behind = new Map<string, Entry<Item>[]>();
  const ready: Entry<Item>[] = [];
  let running = 0;
  let isStopped = false;
  let failure: { error: unknown } | null = null;
  let wake = () => {};

  function startWhatMay(): void {
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
    startWhatMay();
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
        startWhatMay();
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
