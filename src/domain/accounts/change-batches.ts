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
  readonly isAlone: boolean;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  /** Ends the wait; absent while nothing prevented a start. */
  timer?: NodeJS.Timeout;
};

export type BatchOptions<Item, Outcome> = {
  maxSize: number;
  concurrency: number;
  keysOf: (item: Item) => ConflictKeys;
  run: (items: readonly Item[]) => Promise<readonly Outcome[]>;
  /** Items that get a batch of their own, of which `aloneConcurrency` run concurrently beside the others. */
  isAlone?: (item: Item) => boolean;
  aloneConcurrency?: number;
  /** A batch that runs longer is no longer counted, so that one that waits for a lock does not keep all others waiting. */
  slowMs?: number;
  /** Items that waited for another one, which start before all others. */
  isFirst?: (item: Item) => boolean;
  /** Milliseconds that an item may wait from now on; null: as long as it takes. */
  maxWaitOf?: (item: Item) => number | null;
  /** Error of an item that waited too long. `isBlocked`: it shares a key with an item of a running batch. */
  lateError?: (isBlocked: boolean) => Error;
};

/**
 * Collects items into batches of at most `maxSize`, of which at most `concurrency` run concurrently. A batch starts as soon as one
 * may run, with the items that wait then: an item that finds nothing running waits for no other. Two items with a common key are
 * never in concurrent batches, and in the same batch only when it is a key of `acrossBatches`. Items of a batch keep their order. A
 * failed batch rejects all its items.
 */
export function createBatches<Item, Outcome>(
  options: BatchOptions<Item, Outcome>,
): (item: Item) => Promise<Outcome> {
  const { maxSize, concurrency, keysOf, run, aloneConcurrency = 1, slowMs } = options;
  const { isAlone, isFirst, maxWaitOf = () => null, lateError } = options;
  let waiting: Waiting<Item, Outcome>[] = [];
  /** Keys of the running batches. */
  const locked = new Set<string>();
  /** Numbers of running batches: of several items, and of items that run alone. */
  const running = { joint: 0, alone: 0 };
  let isScheduled = false;

  /** Runs after all items that arrive in the same turn of the event loop. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      while (startBatches());
      for (const one of waiting) one.timer ??= timerOf(one);
    });
  }

  function timerOf(one: Waiting<Item, Outcome>): NodeJS.Timeout | undefined {
    const maxWaitMs = maxWaitOf(one.item);
    return maxWaitMs === null ? undefined : setTimeout(() => refuse(one), maxWaitMs);
  }

  function refuse(late: Waiting<Item, Outcome>): void {
    waiting = waiting.filter((one) => one !== late);
    late.reject(lateError!(isBlocked(late)));
  }

  const isBlocked = ({ keys }: Waiting<Item, Outcome>): boolean =>
    [...keys.inBatch, ...keys.acrossBatches].some((key) => locked.has(key));

  /** Starts what may run: a batch of several items, and items that run alone. False when nothing may. */
  function startBatches(): boolean {
    const batch: Waiting<Item, Outcome>[] = [];
    const postponed: Waiting<Item, Outcome>[] = [];
    const shared: string[] = [];
    let alone = 0;
    for (const one of waiting) {
      const hasPlace = one.isAlone
        ? running.alone < aloneConcurrency
        : running.joint < concurrency && batch.length < maxSize;
      if (!hasPlace || isBlocked(one)) postponed.push(one);
      else if (one.isAlone) {
        for (const key of [...one.keys.inBatch, ...one.keys.acrossBatches]) locked.add(key);
        alone += 1;
        void runCounted([one], 'alone');
      } else {
        for (const key of one.keys.inBatch) locked.add(key);
        shared.push(...one.keys.acrossBatches);
        batch.push(one);
      }
    }
    for (const key of shared) locked.add(key);
    waiting = postponed;
    if (batch.length > 0) void runCounted(batch, 'joint');
    return batch.length > 0 || alone > 0;
  }

  async function runCounted(
    batch: readonly Waiting<Item, Outcome>[],
    kind: keyof typeof running,
  ): Promise<void> {
    let isCounted = true;
    running[kind] += 1;
    const uncount = () => {
      if (isCounted) running[kind] -= 1;
      isCounted = false;
      schedule();
    };
    const timer = slowMs === undefined ? undefined : setTimeout(uncount, slowMs);
    for (const one of batch) clearTimeout(one.timer);
    await settle(batch);
    clearTimeout(timer);
    for (const { keys } of batch)
      for (const key of [...keys.inBatch, ...keys.acrossBatches]) locked.delete(key);
    uncount();
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
      const one = { item, keys: keysOf(item), isAlone: isAlone?.(item) ?? false, resolve, reject };
      if (isFirst?.(item)) waiting.unshift(one);
      else waiting.push(one);
      schedule();
    });
}
