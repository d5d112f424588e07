import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { SharedResult } from './shared-result.ts';

/** Sink of one subscriber. */
export type Sink = {
  /** Sends a result, unless the client has disconnected. */
  send(result: SharedResult): void;
  /** Unsent bytes; 0 after the client has disconnected. */
  readonly waitingBytes: number;
  /** Resolves when all data is sent or the client has disconnected. */
  flushed(): Promise<void>;
  /** Runs work one after the other, for all subscriptions of the sink. */
  inTurn(work: () => Promise<void>): Promise<void>;
  /** Ends the subscription with an error. */
  fail(error: unknown): void;
  /** Disconnects a slow consumer. */
  disconnectSlow(): void;
};

/** Group of a subscriber. */
export type Membership = {
  /** Position through which the whole group has received all events. */
  readonly position: number;
  leave(subscriber: Subscriber): void;
};

/** One subscription of one client. There are many of them: each is small. */
export class Subscriber {
  readonly sink: Sink;
  readonly #membership: Membership;
  /** Position through which it has received its events. It may be ahead of its group. */
  floor: number;
  /** Whether it receives events with its group; false while it catches up. */
  isLive = false;
  isOpen = true;

  /** `after`: position to resume after; null for new events only. */
  constructor(sink: Sink, membership: Membership, after: number | null) {
    this.sink = sink;
    this.#membership = membership;
    this.floor = after ?? -1;
  }

  /** Position through which it has received all events; null before its start position is known. */
  get position(): number | null {
    if (this.floor < 0) return null;
    return this.isLive ? Math.max(this.#membership.position, this.floor) : this.floor;
  }

  /** Nothing is sent from here on. */
  stop(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#membership.leave(this);
  }
}

/**
 * Sending pauses after this time, measured after every few subscribers. Two passes may follow each other without a pause
 * for other work: the first in the callback of the database, the second in the immediate of the same iteration.
 */
const TURN_MS = 4;
const LOOK_AFTER = 10;

/**
 * Sends a result to the members of a group that have not received it, pausing for other work in between. The group's
 * position advances synchronously with the last send: a subscriber that joins before is sent the result, one that joins
 * later resumes after it.
 */
export async function sendToAll(
  group: { readonly members: ReadonlySet<Subscriber>; position: number },
  result: SharedResult,
  position: number,
): Promise<void> {
  let written = 0;
  let turnBegan = performance.now();
  // A subscriber that joins meanwhile is at the end of the set and receives it as well.
  for (const subscriber of group.members) {
    if (subscriber.floor >= position) continue;
    sendTo(subscriber, result);
    written += 1;
    if (written % LOOK_AFTER !== 0 || performance.now() - turnBegan < TURN_MS) continue;
    await nextTurn();
    turnBegan = performance.now();
  }
  group.position = position;
}

function sendTo({ sink }: Subscriber, result: SharedResult): void {
  if (sink.waitingBytes > LIMITS.waitingBytesPerSubscriber) sink.disconnectSlow();
  else sink.send(result);
}
