/** Finds the ends of WebSocket frames (RFC 6455 section 5.2) without reading them. */
export class FrameCounter {
  /** Next byte of a header: 0 and 1 are the fixed bytes, 2 is of an extended length. */
  #part: 0 | 1 | 2 = 0;
  #lengthBytes = 0;
  #length = 0;
  /** Bytes of the mask and payload of the current frame that are still to come. */
  #remaining = 0;

  /** Length of the part of a chunk in which at most `max` frames begin, and how many do. */
  take(chunk: Uint8Array, max: number): { length: number; frames: number } {
    let frames = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#remaining > 0) {
        const skipped = Math.min(this.#remaining, chunk.length - at);
        this.#remaining -= skipped;
        at += skipped;
        continue;
      }
      if (this.#part === 0) {
        if (frames === max) break;
        frames += 1;
        this.#part = 1;
      } else this.#readLength(chunk[at]!);
      at += 1;
    }
    return { length: at, frames };
  }

  #readLength(byte: number): void {
    if (this.#part === 1) {
      const short = byte & 0x7f;
      // Frames of clients are masked; the library rejects others.
      const maskBytes = byte & 0x80 ? 4 : 0;
      if (short < 126) this.#endHeader(short + maskBytes);
      else {
        this.#part = 2;
        this.#lengthBytes = short === 126 ? 2 : 8;
        this.#length = 0;
      }
      return;
    }
    this.#length = this.#length * 256 + byte;
    this.#lengthBytes -= 1;
    if (this.#lengthBytes === 0) this.#endHeader(this.#length + 4);
  }

  #endHeader(remaining: number): void {
    this.#remaining = remaining;
    this.#part = 0;
  }
}
