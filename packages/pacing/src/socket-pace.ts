import type { Duplex } from 'node:stream';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { Budget } from './budget.ts';
import { FrameCounter } from './frame-counter.ts';
import { SlicedReading, type Slicer } from './sliced-reading.ts';

/** Frames of one socket per turn of the event loop. Rejecting a document takes up to 0.1 ms. */
const FRAMES_PER_TURN = 4;

export type PacedSocket = {
  countBytes(bytes: number): void;
  /** Continues to read unless another limit has paused the socket. */
  resumeReading(): void;
  /** The socket has waited for its own budget for longer than a burst takes. */
  exceeded(): void;
};

/** Reads the frames of one socket in slices, and only as fast as its budget and that of its key allow. */
export class SocketPace implements Slicer {
  readonly #frames = new FrameCounter();
  readonly #socket: PacedSocket;
  readonly #own: Budget;
  readonly #maxDelayMs: number;
  readonly #reading: SlicedReading;
  #shared: Budget | null = null;
  #inTurn = 0;
  /** Since when received data has had to wait for the budget of the socket; null when all of it was read meanwhile. */
  #delayedSince: number | null = null;

  constructor(stream: Duplex, socket: PacedSocket, budget: Budget, maxDelayMs: number) {
    this.#socket = socket;
    this.#own = budget;
    this.#maxDelayMs = maxDelayMs;
    this.#reading = new SlicedReading(stream, this);
  }

  get isHeld(): boolean {
    return this.#reading.isHeld;
  }

  /** From now on the budget of the client's key applies too. */
  share(budget: Budget): void {
    this.#shared = budget;
  }

  /** Does not count the answer to a ping of the gateway. */
  credit(): void {
    this.#own.spend(-1);
    this.#shared?.spend(-1);
  }

  mayRead(wake: () => void): boolean {
    if (this.#inTurn >= FRAMES_PER_TURN) {
      this.#inTurn = 0;
      setImmediate(wake);
      return false;
    }
    if (this.#own.waitMs() > 0) {
      this.#waitForOwn(wake);
      return false;
    }
    // Other sockets of the key may have used up its budget. This one is read later, and stays open.
    if (this.#shared && this.#shared.waitMs() > 0) {
      this.#shared.wait(wake);
      return false;
    }
    return true;
  }

  take(chunk: Buffer): number {
    const { length, frames } = this.#frames.take(chunk, FRAMES_PER_TURN - this.#inTurn);
    this.#inTurn += frames;
    this.#socket.countBytes(length);
    const cost = frames + length / LIMITS.bytesPerCountedMessage;
    this.#own.spend(cost);
    this.#shared?.spend(cost);
    return length;
  }

  delivered(hasMore: boolean): void {
    if (!hasMore) this.#delayedSince = null;
  }

  resume(): void {
    this.#socket.resumeReading();
  }

  #waitForOwn(wake: () => void): void {
    const now = performance.now();
    this.#delayedSince ??= now;
    // A client that is not known yet needs one message.
    if (!this.#shared || now - this.#delayedSince > this.#maxDelayMs) this.#socket.exceeded();
    else this.#own.wait(wake);
  }
}
