/** Waiting readers are woken at most this often, so that thousands of them cost nothing while they wait. */
const MIN_WAIT_MS = 10;
/** Amount that one woken reader is expected to spend. */
const SHARE = 4;

/**
 * A token bucket: it holds `burst` units and refills with `perSecond`. Spending may overdraw it by one slice; the next
 * one waits until it is positive again. 0 per second is no limit.
 */
export class Budget {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #now: () => number;
  #level: number;
  #countedAt: number;
  #waiting: (() => void)[] | null = null;

  constructor(perSecond: number, burst: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#now = now;
    this.#level = burst;
    this.#countedAt = now();
  }

  /** Milliseconds until something can be spent; 0 when it can be now. */
  waitMs(): number {
    if (this.#perSecond === 0 || this.#level > 0) return 0;
    this.#refill();
    return this.#level > 0 ? 0 : Math.max(1, Math.ceil(((1 - this.#level) / this.#perSecond) * 1000));
  }

  /** A negative amount is a credit. */
  spend(amount: number): void {
    if (this.#perSecond === 0) return;
    this.#refill();
    this.#level = Math.min(this.#burst, this.#level - amount);
  }

  /** Calls back once something can be spent, in the order of the calls. The reader asks again: others may be faster. */
  wait(wake: () => void): void {
    if (this.#waiting) {
      this.#waiting.push(wake);
      return;
    }
    this.#waiting = [wake];
    this.#arm();
  }

  #arm(): void {
    setTimeout(() => this.#wakeSome(), Math.max(MIN_WAIT_MS, this.waitMs())).unref();
  }

  #wakeSome(): void {
    const waiting = this.#waiting!;
    this.#refill();
    const woken = waiting.splice(0, Math.max(1, Math.floor(this.#level / SHARE)));
    if (waiting.length > 0) this.#arm();
    else this.#waiting = null;
    for (const wake of woken) wake();
  }

  #refill(): void {
    const now = this.#now();
    this.#level = Math.min(this.#burst, this.#level + ((now - this.#countedAt) / 1000) * this.#perSecond);
    this.#countedAt = now;
  }
}
