import { LRUCache } from 'lru-cache';
import type { EndpointKey } from './due-endpoints.ts';

/*
 * Slots for attempts. Each endpoint has a few, and each project a part of all. A slow attempt leaves the fast slots and
 * takes a slow one. An endpoint with a slow last attempt begins in the slow slots, with one attempt at a time, until it
 * responds quickly again. So any number of hanging receivers does not delay deliveries to others.
 */

export const PER_ENDPOINT = 4;
const QUICK = 64;
const SLOW = 128;
/** A project's part of the quick ones: less by each of its attempts that takes long, down to a quarter of all. */
const QUICK_OF_PROJECT = 48;
const MIN_OF_PROJECT = 16;
const SLOW_OF_PROJECT = 32;
/** Claims wait until so many attempts may begin, in all and of a project. */
export const MIN_ROOM = 16;
const MAX_REMEMBERED = 10_000;

export type Slot = {
  /** It takes long: its slot is given to others, as far as there is room among the slow ones. */
  markSlow(): void;
  free(): void;
};

/** How many attempts may begin at an endpoint. */
export type Grant = EndpointKey & { readonly count: number };

/** Running attempts of one project. */
type Share = {
  quick: number;
  slow: number;
  /** Attempts that take long, in either kind of slots. */
  longRunning: number;
};

export class Slots {
  readonly #busy = new Map<string, number>();
  readonly #shares = new Map<string, Share>();
  /** Endpoints whose last attempt was slow, with their projects. */
  readonly #slow = new LRUCache<string, string>({ max: MAX_REMEMBERED });
  #quickCount = 0;
  #slowCount = 0;

  /** How many attempts of endpoints that are not known as slow may begin. */
  get room(): number {
    return Math.max(0, QUICK - this.#quickCount);
  }

  /** How many are under way. */
  get busy(): number {
    return this.#quickCount + this.#slowCount;
  }

  /** How many attempts may begin at each of these endpoints now, in their order, as far as all of them together have room. */
  allot(endpoints: Iterable<EndpointKey>): Grant[] {
    const grants: Grant[] = [];
    const rooms = new Map<string, { quick: number; slow: number }>();
    let { room } = this;
    let slowRoom = SLOW - this.#slowCount;
    for (const { projectId, endpointId } of endpoints) {
      if (room === 0 && slowRoom === 0) break;
      const own = rooms.get(projectId) ?? this.#roomsOf(projectId);
      rooms.set(projectId, own);
      const busy = this.#busy.get(endpointId) ?? 0;
      if (this.#slow.has(endpointId)) {
        if (busy > 0 || slowRoom === 0 || own.slow === 0) continue;
        slowRoom -= 1;
        own.slow -= 1;
        grants.push({ projectId, endpointId, count: 1 });
        continue;
      }
      const count = Math.min(PER_ENDPOINT - busy, room, own.quick);
      if (count <= 0) continue;
      room -= count;
      own.quick -= count;
      grants.push({ projectId, endpointId, count });
    }
    return grants;
  }

  /** Null where it has to wait. */
  take(projectId: string, endpointId: string): Slot | null {
    const share = this.#shareOf(projectId);
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
    let isLongRunning = false;
    return {
      markSlow: () => {
        if (!isLongRunning) share.longRunning += 1;
        isLongRunning = true;
        this.#slow.set(endpointId, projectId);
        if (isSlow || !this.#hasSlowRoom(projectId)) return;
        isSlow = true;
        this.#count(share, -1, 1);
      },
      free: () => {
        if (isSlow) this.#count(share, 0, -1);
        else this.#count(share, -1, 0);
        if (isLongRunning) share.longRunning -= 1;
        else this.#slow.delete(endpointId);
        const remaining = this.#busy.get(endpointId)! - 1;
        if (remaining === 0) this.#busy.delete(endpointId);
        else this.#busy.set(endpointId, remaining);
        this.#forget(projectId, share);
      },
    };
  }

  #hasSlowRoom(projectId: string): boolean {
    return this.#slowCount < SLOW && (this.#shares.get(projectId)?.slow ?? 0) < SLOW_OF_PROJECT;
  }

  #roomsOf(projectId: string): { quick: number; slow: number } {
    const share = this.#shares.get(projectId);
    if (!share) return { quick: QUICK_OF_PROJECT, slow: SLOW_OF_PROJECT };
    const quick = roomOf(share);
    // A few are claimed together, instead of each as soon as a slot is free.
    return { quick: quick < MIN_ROOM && share.quick > 0 ? 0 : quick, slow: SLOW_OF_PROJECT - share.slow };
  }

  #shareOf(projectId: string): Share {
    let share = this.#shares.get(projectId);
    if (!share) {
      share = { quick: 0, slow: 0, longRunning: 0 };
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
function roomOf({ quick, longRunning }: Share): number {
  return Math.max(MIN_OF_PROJECT, QUICK_OF_PROJECT - longRunning) - quick;
}
