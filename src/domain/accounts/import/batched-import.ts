/** So many accounts are stored together: each takes a lock for itself and about ten for its identifiers. */
export const BATCH = 50;

/** What an item must not have in common with another one. */
export type ConflictKeys = {
  /** With an item of any batch that runs, its own included. */
  readonly inBatch: readonly string[];
  /** With an item of another batch that runs at the same time. */
  readonly acrossBatches: readonly string[];
};

type Waiting<Item, Outcome> = {
  readonly item: Item;
  readonly keys: ConflictKeys;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Collects single items into batches, `atOnce` of which run at the same time. Two items that have a key in common are never
 * in batches that run at the same time, and in one batch only when the key is one of `acrossBatches`. A batch runs its items
 * in the order in which they came. A batch that fails fails all its items.
 */
export function createBatches<Item, Outcome>(options: {
  atOnce: number;
  keysOf: (item: Item) => ConflictKeys;
  run: (items: readonly Item[]) => Promise<readonly Outcome[]>;
}): (item: Item) => Promise<Outcome> {
  const { atOnce, keysOf, run } = options;
  let waiting: Waiting<Item, Outcome>[] = [];
  /** Keys of the batches that run. */
  const held = new Set<string>();
  const isHeld = (key: string) => held.has(key);
  let running = 0;
  let isScheduled = false;

  /** After all items that arrive in the same turn of the event loop. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      while (running < atOnce && startBatch());
    });
  }

  function startBatch(): boolean {
    const batch: Waiting<Item, Outcome>[] = [];
    const left: Waiting<Item, Outcome>[] = [];
    const shared: string[] = [];
    for (const one of waiting) {
      const { inBatch, acrossBatches } = one.keys;
      const isFree = batch.length < BATCH && !inBatch.some(isHeld) && !acrossBatches.some(isHeld);
      (isFree ? batch : left).push(one);
      if (!isFree) continue;
      for (const key of inBatch) held.add(key);
      shared.push(...acrossBatches);
    }
    if (batch.length === 0) return false;
    for (const key of shared) held.add(key);
    waiting = left;
    running += 1;
    void settle(batch).finally(() => {
      running -= 1;
      for (const { keys } of batch)
        for (const key of [...keys.inBatch, ...keys.acrossBatches]) held.delete(key);
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
