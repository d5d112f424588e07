/*
 * Who may begin an attempt now. Each endpoint has a few at a time. An attempt that takes long leaves the slots of all
 * others and takes one of the slow ones, so that receivers that hang keep those that answer from nothing.
 */

export const PER_ENDPOINT = 4;
const QUICK = 64;
const SLOW = 128;

export type Slot = {
  /** It takes long: its slot is given to others, as far as there is room among the slow ones. */
  markSlow(): void;
  free(): void;
};

export class Slots {
  readonly #busy = new Map<string, number>();
  /** Endpoints whose last attempt took long. */
  readonly #slow = new Set<string>();
  #quickCount = 0;
  #slowCount = 0;

  /** How many attempts may begin. */
  get room(): number {
    return Math.max(0, QUICK - this.#quickCount);
  }

  /** How many are under way. */
  get busy(): number {
    return this.#quickCount + this.#slowCount;
  }

  /** Endpoints that may begin nothing for now. */
  full(): string[] {
    const full = [...this.#busy]
      .filter(([, count]) => count >= PER_ENDPOINT)
      .map(([endpointId]) => endpointId);
    if (this.#slowCount < SLOW) return full;
    return [...new Set([...full, ...this.#slow])];
  }

  take(endpointId: string): Slot {
    this.#busy.set(endpointId, (this.#busy.get(endpointId) ?? 0) + 1);
    this.#quickCount += 1;
    let isSlow = false;
    let takesLong = false;
    return {
      markSlow: () => {
        takesLong = true;
        this.#slow.add(endpointId);
        if (isSlow || this.#slowCount >= SLOW) return;
        isSlow = true;
        this.#quickCount -= 1;
        this.#slowCount += 1;
      },
      free: () => {
        if (isSlow) this.#slowCount -= 1;
        else this.#quickCount -= 1;
        if (!takesLong) this.#slow.delete(endpointId);
        const left = this.#busy.get(endpointId)! - 1;
        if (left === 0) this.#busy.delete(endpointId);
        else this.#busy.set(endpointId, left);
      },
    };
  }
}
