/**
 * Remembers values for a short time: those of the running half of it and of the half before. Whole halves are
 * dropped, so that remembering costs no more than a Map does, and nothing stays beyond its time even when nobody asks.
 */
export class RecentCache<Value> {
  readonly #largestHalf: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(options: { seconds: number; entries: number }) {
    this.#largestHalf = Math.ceil(options.entries / 2);
    setInterval(() => this.#turn(), (options.seconds * 1000) / 2).unref();
  }

  /** The remembered value, or the one that `make` returns. */
  get(key: string, make: () => Value): Value {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    // What is found in the old half is not moved on: it would never be dropped.
    const old = this.#old.get(key);
    if (old !== undefined) return old;
    const value = make();
    if (this.#young.size >= this.#largestHalf) this.#turn();
    this.#young.set(key, value);
    return value;
  }

  #turn(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }
}
