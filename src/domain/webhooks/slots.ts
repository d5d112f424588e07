import { LRUCache } from 'lru-cache';

/*
 * Who may begin an attempt now. Each endpoint has a few at a time, and each project a part of all. An attempt that takes long
 * leaves the slots of all others and takes one of the slow ones; an endpoint that took long begins among these, with one attempt
 * at a time, until it answers quickly again. So receivers that hang, however many, keep those that answer from nothing.
 */

export const PER_ENDPOINT = 4;
const QUICK = 64;
const SLOW = 128;
/** A project's part of the quick ones: less by each of its attempts that takes long, down to a quarter of all. */
const QUICK_OF_PROJECT = 48;
const LEAST_OF_PROJECT = 16;
const SLOW_OF_PROJECT = 32;
/** Jobs are taken so many at once at least: a project with less room is left out. */
export const LEAST_ROOM = 16;
const MOST_REMEMBERED = 10_000;

export type Slot = {
  /** It takes long: its slot is given to others, as far as there is room among the slow ones. */
  markSlow(): void;
  free(): void;
};

/** What one project has under way. */
type Share = {
  quick: number;
  slow: number;
  /** Attempts that take long, in either kind of slots. */
  lasting: number;
  /** Endpoints with something under way, and those that were told to wait. */
  readonly endpoints: Set<string>;
};

export class Slots {
  readonly #busy = new Map<string, number>();
  readonly #shares = new Map<string, Share>();
  /** Endpoints whose last attempt took long, with their projects. */
  readonly #slow = new LRUCache<string, string>({ max: MOST_REMEMBERED });
  #quickCount = 0;
  #slowCount = 0;

  /** How many attempts of endpoints that are not known as slow may begin. */
  get room(): number {
    return Math.max(0, QUICK - this.#quickCount);
  }

  /** How many may begin whosever they are: of one project alone, if it comes to that. */
  get batch(): number {
    const rooms = [...this.#shares.values()].map(roomOf).filter((room) => room >= LEAST_ROOM);
    return Math.min(this.room, QUICK_OF_PROJECT, ...rooms);
  }

  /** How many are under way. */
  get busy(): number {
    return this.#quickCount + this.#slowCount;
  }

  /** Endpoints that may begin nothing for now. */
  full(): string[] {
    const full = new Set<string>();
    for (const [endpointId, count] of this.#busy)
      if (count >= (this.#slow.has(endpointId) ? 1 : PER_ENDPOINT)) full.add(endpointId);
    for (const [endpointId, projectId] of this.#slow.entries())
      if (!this.#hasSlowRoom(projectId)) full.add(endpointId);
    for (const share of this.#shares.values())
      if (roomOf(share) < LEAST_ROOM) for (const endpointId of share.endpoints) full.add(endpointId);
    return [...full];
  }

  /** Null where it has to wait. */
  take(projectId: string, endpointId: string): Slot | null {
    const share = this.#shareOf(projectId);
    share.endpoints.add(endpointId);
    const count = this.#busy.get(endpointId) ?? 0;
    const isKnown = this.#slow.has(endpointId);
    const mayBegin = isKnown
      ? count === 0 && this.#hasSlowRoom(projectId)
      : count < PER_ENDPOINT && this.room > 0 && roomOf(share) > 0;
    if (!mayBegin) {
      this.#forget(projectId, share);
      return null;
    }
    this.#busy.set(endpointId, count + 1);
    if (isKnown) this.#count(share, 0, 1);
    else this.#count(share, 1, 0);
    return this.#slot(projectId, endpointId, share, isKnown);
  }

  #slot(projectId: string, endpointId: string, share: Share, isKnown: boolean): Slot {
    let isSlow = isKnown;
    let takesLong = false;
    return {
      markSlow: () => {
        if (!takesLong) share.lasting += 1;
        takesLong = true;
        this.#slow.set(endpointId, projectId);
        if (isSlow || !this.#hasSlowRoom(projectId)) return;
        isSlow = true;
        this.#count(share, -1, 1);
      },
      free: () => {
        if (isSlow) this.#count(share, 0, -1);
        else this.#count(share, -1, 0);
        if (takesLong) share.lasting -= 1;
        else this.#slow.delete(endpointId);
        const left = this.#busy.get(endpointId)! - 1;
        if (left === 0) this.#busy.delete(endpointId);
        else this.#busy.set(endpointId, left);
        this.#forget(projectId, share);
      },
    };
  }

  #hasSlowRoom(projectId: string): boolean {
    return this.#slowCount < SLOW && (this.#shares.get(projectId)?.slow ?? 0) < SLOW_OF_PROJECT;
  }

  #shareOf(projectId: string): Share {
    let share = this.#shares.get(projectId);
    if (!share) {
      share = { quick: 0, slow: 0, lasting: 0, endpoints: new Set() };
      this.#shares.set(projectId, share);
    }
    return share;
  }

  #count(share: Share, quick: number, slow: number): void {
    share.quick += quick;
    share.slow += slow;
    this.#quickCount += quick;
    this.#slowCount += slow;
  }

  #forget(projectId: string, { quick, slow }: Share): void {
    if (quick + slow === 0) this.#shares.delete(projectId);
  }
}

/** How many attempts of endpoints of a project that are not known as slow may begin. */
function roomOf({ quick, lasting }: Share): number {
  return Math.max(LEAST_OF_PROJECT, QUICK_OF_PROJECT - lasting) - quick;
}
