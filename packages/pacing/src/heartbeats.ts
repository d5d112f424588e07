/** Long enough that a tick costs nothing, short enough that few clients connect within one. */
const TICK_MS = 100;

/**
 * Members that are due once per period, spread over it by their time of insertion: all together would block the event loop,
 * and so would their responses.
 */
export class Heartbeats<T> {
  readonly tickMs: number;
  readonly #slots: Set<T>[];
  #current = 0;

  constructor(periodMs: number) {
    const slots = Math.max(1, Math.round(periodMs / TICK_MS));
    this.tickMs = periodMs / slots;
    this.#slots = Array.from({ length: slots }, () => new Set<T>());
  }

  get size(): number {
    return this.#slots.reduce((sum, { size }) => sum + size, 0);
  }

  /** The member is due after a whole period, and again after each further one. */
  add(member: T): void {
    this.#slots[this.#current]!.add(member);
  }

  delete(member: T): void {
    for (const slot of this.#slots) if (slot.delete(member)) return;
  }

  all(): T[] {
    return this.#slots.flatMap((slot) => [...slot]);
  }

  /** Advances by one tick; the members that are due now. */
  tick(): Iterable<T> {
    this.#current = (this.#current + 1) % this.#slots.length;
    return this.#slots[this.#current]!;
  }
}
