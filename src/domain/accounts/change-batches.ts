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
  /** Ends the wait; absent while nothing prevented a start. */
  timer?: NodeJS.Timeout;
};

/** A batch that runs longer waits for locks of others: it does not keep the next batches waiting. */
const SLOW_MS = 100;

/**
 * Collects items into batches of at most `maxSize`, of which at most `concurrency` run concurrently. A batch starts as soon as one
 * may run, with the items that wait then: an item that finds nothing running waits for no other. Two items with a common key are
 * never in concurrent batches, and in the same batch only when it is a key of `acrossBatches`. Items of a batch keep their order.
 * An item for which `isAlone` gets a batch of its own. A failed batch rejects all its items. Batches that wait for locks of others
 * are not counted. An item that cannot start within `maxWaitMs` is rejected with `lateError`.
 */
export function createBatches<Item, Outcome>(options: {
  maxSize: number;
  concurrency: number;
  keysOf: (item: Item) => ConflictKeys;
  isAlone?: (item: Item) => boolean;
  maxWaitMs?: number | null;
  lateError?: () => Error;
  run: (items: readonly Item[]) => Promise<readonly Outcome[]>;
}): (item: Item) => Promise<Outcome> {
  const { maxSize, concurrency, keysOf, isAlone = () => false, run } = options;
  const { maxWaitMs = null, lateError } = options;
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
      if (maxWaitMs === null) return;
      for (const one of waiting) one.timer ??= setTimeout(() => refuse(one), maxWaitMs);
    });
  }

  function refuse(late: Waiting<Item, Outcome>): void {
    waiting = waiting.filter((one) => one !== late);
    late.reject(lateError!());
  }

  function startBatch(): boolean {
    const batch: Waiting<Item, Outcome>[] = [];
    const postponed: Waiting<Item, Outcome>[] = [];
    const shared: string[] = [];
    for (const one of waiting) {
      const { inBatch, acrossBatches } = one.keys;
      const isFree = fits(one, batch) && !inBatch.some(isLocked) && !acrossBatches.some(isLocked);
      (isFree ? batch : postponed).push(one);
      if (!isFree) continue;
      for (const key of inBatch) locked.add(key);
      shared.push(...acrossBatches);
    }
    if (batch.length === 0) return false;
    for (const key of shared) locked.add(key);
    waiting = postponed;
    void runCounted(batch);
    return true;
  }

  async function runCounted(batch: readonly Waiting<Item, Outcome>[]): Promise<void> {
    let isCounted = true;
    running += 1;
    const uncount = () => {
      if (isCounted) running -= 1;
      isCounted = false;
      schedule();
    };
    const timer = setTimeout(uncount, SLOW_MS);
    for (const one of batch) clearTimeout(one.timer);
    await settle(batch);
    clearTimeout(timer);
    for (const { keys } of batch)
      for (const key of [...keys.inBatch, ...keys.acrossBatches]) locked.delete(key);
    uncount();
  }

  function fits(one: Waiting<Item, Outcome>, batch: readonly Waiting<Item, Outcome>[]): boolean {
    const [first] = batch;
    return !first || (batch.length < maxSize && !isAlone(first.item) && !isAlone(one.item));
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
