/** How many times `concurrency` may wait, so that a run of lines of one key does not hold up those behind it. */
const LOOK_AHEAD = 8;

type Entry<Item> = { item: Item; key: string | null; state: 'waiting' | 'running' | 'failed' | 'done' };

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
  let running = 0;
  let isStopped = false;
  let failure: { error: unknown } | null = null;
  let wake = () => {};

  function startWhatMay(): void {
    const held = new Set<string>();
    for (const entry of entries) {
      if (isStopped || running >= concurrency) return;
      if (entry.state === 'waiting' && !held.has(entry.key!)) void start(entry);
      if (entry.state !== 'done') held.add(entry.key!);
    }
  }

  async function start(entry: Entry<Item>): Promise<void> {
    running += 1;
    entry.state = 'running';
    try {
      await write(entry.item);
      entry.state = 'done';
    } catch (error) {
      entry.state = 'failed';
      failure ??= { error };
      isStopped = true;
    }
    running -= 1;
    retire();
    startWhatMay();
    wake();
  }

  function retire(): void {
    while (entries[0]?.state === 'done') done(entries.shift()!.item);
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
      entries.push({ item, key, state: key === null ? 'done' : 'waiting' });
      if (key === null) retire();
      else startWhatMay();
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
