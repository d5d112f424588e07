/** Accounts per batch: each needs its own lock and about ten locks of identifiers. */
const BATCH_SIZE = 50;

/** Keys that an item must not share with another item. */
export type ConflictKeys = {
  /** With an item of any running batch, including its own. */
  readonly inBatch: readonly string[];
  /** With an item of another running batch. */
  readonly acrossBatches: readonly string[];
};

type Waiting<Item, Outcome> = {
  readonly item: Item;
  readonly keys: ConflictKeys;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Collects items into batches, of which at most `concurrency` run concurrently. Two items with a common key are never in
 * concurrent batches, and in the same batch only when it is a key of `acrossBatches`. Items of a batch keep their order. A
 * failed batch rejects all its items.
 */
export function createBatches<Item, Outcome>(options: {
  concurrency: number;
  keysOf: (item: Item) => ConflictKeys;
  run: (items: readonly Item[]) => Promise<readonly Outcome[]>;
}): (item: Item) => Promise<Outcome> {
  const { concurrency, keysOf, run } = options;
  let waiting: Waiting<Item, Outcome>[] = [];
  /** Keys of the running batches. */
  const locked = new Set<string>();
  const isLocked = (key: string) => locked.has(key);
  let running = 0;
  let isScheduled = false;

  /** Runs after all items that arrive in the same turn of the event loop. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      while (running < concurrency && startBatch());
    });
  }

  function startBatch(): boolean {
    const batch: Waiting<Item, Outcome>[] = [];
    const postponed: Waiting<Item, Outcome>[] = [];
    const shared: string[] = [];
    for (const one of waiting) {
      const { inBatch, acrossBatches } = one.keys;
      const isFree = batch.length < BATCH_SIZE && !inBatch.some(isLocked) && !acrossBatches.some(isLocked);
      (isFree ? batch : postponed).push(one);
      if (!isFree) continue;
      for (const key of inBatch) locked.add(key);
      shared.push(...acrossBatches);
    }
    if (batch.length === 0) return false;
    for (const key of shared) locked.add(key);
    waiting = postponed;
    running += 1;
    void settle(batch).finally(() => {
      running -= 1;
      for (const { keys } of batch)
        for (const key of [...keys.inBatch, ...keys.acrossBatches]) locked.delete(key);
      schedule();
    });
    return true;
  }

  async function settle(batch: readonly Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, keys: keysOf(item), resolve, reject });
      schedule();
    });
}
