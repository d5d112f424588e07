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
  readonly isFirst: boolean;
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
  /**
   * Number of waiting items from which a batch starts beside a running one; 1 by default. Larger batches cost less per item, and
   * the running one ends soon.
   */
  startsBesideFrom?: number;
  /** Items that get a batch of their own, of which `aloneConcurrency` run concurrently beside the others. */
  isAlone?: (item: Item) => boolean;
  aloneConcurrency?: number;
  /**
   * A batch that runs longer is not counted, so that one that waits for a lock does not keep all others waiting. At most `maxSlow`
   * are not counted: more of them wait for connections, and small batches would use even more.
   */
  slowMs?: number;
  maxSlow?: number;
  /** Items that waited for another one, which start before all others, in the order of their arrival. */
  isFirst?: (item: Item) => boolean;
  /** Milliseconds that an item may wait from now on; null: as long as it takes. */
  maxWaitOf?: (item: Item) => number | null;
  /** Error of an item that waited too long. `isBlocked`: it shares a key with an item of a running batch. */
  lateError?: (isBlocked: boolean) => Error;
};

/**
 * Collects items into batches of at most `maxSize`, of which at most `concurrency` run concurrently, besides slow ones. A batch
 * starts as soon as one may run and is large enough, with the items that wait then: an item that finds nothing running waits for no
 * other. Two items with a common key are never in concurrent batches, and in the same batch only when it is a key of
 * `acrossBatches`. Items of a batch keep their order. A failed batch rejects all its items.
 */
export function createBatches<Item, Outcome>(
  options: BatchOptions<Item, Outcome>,
): (item: Item) => Promise<Outcome> {
  const queue = new BatchQueue(options);
  return (item) => queue.add(item);
}

class BatchQueue<Item, Outcome> {
  readonly #options: BatchOptions<Item, Outcome>;
  #waiting: Waiting<Item, Outcome>[] = [];
  /** Keys of the running batches. */
  readonly #locked = new Set<string>();
  /** Numbers of running batches: of several items, and of items that run alone. */
  readonly #running = { joint: 0, alone: 0 };
  /** Number of running batches that are not counted. */
  #slow = 0;
  #isScheduled = false;

  constructor(options: BatchOptions<Item, Outcome>) {
    this.#options = options;
  }

  add(item: Item): Promise<Outcome> {
    const { keysOf, isAlone, isFirst } = this.#options;
    return new Promise((resolve, reject) => {
      const one: Waiting<Item, Outcome> = {
        ...{ item, keys: keysOf(item), resolve, reject },
        isAlone: isAlone?.(item) ?? false,
        isFirst: isFirst?.(item) ?? false,
      };
      const behind = one.isFirst ? this.#waiting.findIndex((other) => !other.isFirst) : -1;
      this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, one);
      this.#schedule();
    });
  }

  /** Starts batches after all items that arrive in the same turn of the event loop. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#startBatches());
      for (const one of this.#waiting) one.timer ??= this.#timerOf(one);
    });
  }

  #timerOf(one: Waiting<Item, Outcome>): NodeJS.Timeout | undefined {
    const maxWaitMs = this.#options.maxWaitOf?.(one.item) ?? null;
    return maxWaitMs === null ? undefined : setTimeout(() => this.#refuse(one), maxWaitMs);
  }

  #refuse(late: Waiting<Item, Outcome>): void {
    this.#waiting = this.#waiting.filter((one) => one !== late);
    late.reject(this.#options.lateError!(this.#isBlocked(late)));
  }

  #isBlocked({ keys }: Waiting<Item, Outcome>): boolean {
    return allKeys(keys).some((key) => this.#locked.has(key));
  }

  /** Starts what may run: a batch of several items, and items that run alone. False when nothing may. */
  #startBatches(): boolean {
    const { joint, alone } = this.#nextItems();
    const started = new Set([...joint, ...alone]);
    for (const { keys } of started) for (const key of allKeys(keys)) this.#locked.add(key);
    this.#waiting = this.#waiting.filter((one) => !started.has(one));
    for (const one of alone) void this.#runCounted([one], 'alone');
    if (joint.length > 0) void this.#runCounted(joint, 'joint');
    return started.size > 0;
  }

  /** The items that may start, in the order of their arrival: those of the next batch, and those that run alone. */
  #nextItems(): Record<'joint' | 'alone', Waiting<Item, Outcome>[]> {
    const { maxSize, concurrency, startsBesideFrom = 1, aloneConcurrency = 1 } = this.#options;
    const places = {
      joint: this.#running.joint < concurrency ? maxSize : 0,
      alone: aloneConcurrency - this.#running.alone,
    };
    const next: Record<'joint' | 'alone', Waiting<Item, Outcome>[]> = { joint: [], alone: [] };
    const taken = new Set<string>();
    for (const one of this.#waiting) {
      const kind = one.isAlone ? 'alone' : 'joint';
      const hasPlace = next[kind].length < places[kind];
      if (!hasPlace || this.#isBlocked(one) || allKeys(one.keys).some((key) => taken.has(key))) continue;
      for (const key of one.isAlone ? allKeys(one.keys) : one.keys.inBatch) taken.add(key);
      next[kind].push(one);
    }
    const isTooSmall = this.#running.joint > 0 && next.joint.length < startsBesideFrom;
    return isTooSmall ? { ...next, joint: [] } : next;
  }

  async #runCounted(batch: readonly Waiting<Item, Outcome>[], kind: 'joint' | 'alone'): Promise<void> {
    const { slowMs, maxSlow = 1 } = this.#options;
    let isSlow = false;
    this.#running[kind] += 1;
    const markSlow = () => {
      if (this.#slow >= maxSlow) return;
      isSlow = true;
      this.#slow += 1;
      this.#running[kind] -= 1;
      this.#schedule();
    };
    const timer = slowMs === undefined ? undefined : setTimeout(markSlow, slowMs);
    for (const one of batch) clearTimeout(one.timer);
    await this.#settle(batch);
    clearTimeout(timer);
    for (const { keys } of batch) for (const key of allKeys(keys)) this.#locked.delete(key);
    if (isSlow) this.#slow -= 1;
    else this.#running[kind] -= 1;
    this.#schedule();
  }

  async #settle(batch: readonly Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.#options.run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

function allKeys({ inBatch, acrossBatches }: ConflictKeys): string[] {
  return [...inBatch, ...acrossBatches];
}
