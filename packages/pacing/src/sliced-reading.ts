import type { Duplex } from 'node:stream';

/** What a connection may deliver, and when. */
export type Slicer = {
  /** Whether the next slice may be delivered now; otherwise `wake` is called when to ask again. */
  mayRead(wake: () => void): boolean;
  /** Length of the first slice of a chunk, at least 1. */
  take(chunk: Buffer): number;
  /** Called after each slice, with whether more of the data was received already. */
  delivered(hasMore: boolean): void;
  /** Continues to read, unless the connection is paused for another reason. */
  resume(): void;
};

type OnData = (this: Duplex, chunk: Buffer) => void;

/**
 * Stands before the one reader of a connection and delivers what arrives in slices. A reader of frames or requests handles
 * all of a chunk of 64 KB in one turn of the event loop, which can be thousands. The rest returns to the buffer of the
 * stream, so that a full buffer stops the sender, and an end or an upgrade finds the data in its place.
 */
export class SlicedReading {
  readonly #stream: Duplex;
  readonly #slicer: Slicer;
  readonly #deliver: OnData;
  readonly #onData: (chunk: Buffer) => void;
  #isHeld = false;

  constructor(stream: Duplex, slicer: Slicer) {
    this.#stream = stream;
    this.#slicer = slicer;
    this.#deliver = stream.listeners('data')[0] as OnData;
    this.#onData = (chunk) => this.#read(chunk);
    stream.removeListener('data', this.#deliver);
    stream.on('data', this.#onData);
  }

  /** Whether received data waits for its slice. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Leaves the connection to its next reader. */
  stop(): void {
    this.#stream.removeListener('data', this.#onData);
  }

  #read(chunk: Buffer): void {
    const stream = this.#stream;
    // A closing library reads the rest of the buffer itself.
    if (stream.destroyed) return;
    if (this.#isHeld || !this.#slicer.mayRead(this.#wake)) {
      this.#isHeld = true;
      stream.pause();
      stream.unshift(chunk);
      return;
    }
    const length = this.#slicer.take(chunk);
    if (length < chunk.length) {
      stream.pause();
      stream.unshift(chunk.subarray(length));
      // Before the delivery, in which the reader may pause.
      stream.resume();
      this.#deliver.call(stream, chunk.subarray(0, length));
    } else this.#deliver.call(stream, chunk);
    this.#slicer.delivered(stream.readableLength > 0);
  }

  readonly #wake = () => {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    if (!this.#stream.destroyed) this.#slicer.resume();
  };
}
