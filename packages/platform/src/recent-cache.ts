/**
 * Caches values for a short time, in two generations of half the time each. Complete generations are dropped, so that the cost is
 * that of a Map, and values expire even without further reads.
 */
export class RecentCache<Value> {
  readonly #maxHalf: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(options: { seconds: number; entries: number }) {
    this.#maxHalf = Math.ceil(options.entries / 2);
    setInterval(() => this.#rotate(), (options.seconds * 1000) / 2).unref();
  }

  /** Returns the cached value, or caches the result of `make`. */
  get(key: string, make: () => Value): Value {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    // A value of the old generation is not moved to the young one: it would never expire.
    const old = this.#old.get(key);
    if (old !== undefined) return old;
    const value = make();
    if (this.#young.size >= this.#maxHalf) this.#rotate();
    this.#young.set(key, value);
    return value;
  }

  #rotate(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }
}
