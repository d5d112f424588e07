const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
/** Shorter chunks cost more than their bytes. */
const SMALL_CHUNK_BYTES = 64;

/**
 * Finds the chunks of a body with `Transfer-Encoding: chunked` (RFC 9112 section 7.1) and its end, without reading them.
 * Node.js rejects malformed ones: here, everything after the digits of a size is an extension.
 */
export class ChunkCounter {
  #part: 'size' | 'extension' | 'data' | 'trailer' | 'end' = 'size';
  #size = 0;
  /** Bytes of the current chunk that are still to come, with its line end. */
  #remaining = 0;
  /** Bytes of the current trailer line. */
  #lineBytes = 0;

  /** Length of the part of the body that ends with it or with `max` chunks, and the number of small chunks that begin there. */
  take(piece: Uint8Array, max: number): { length: number; smallChunks: number } {
    let at = 0;
    let chunks = 0;
    let smallChunks = 0;
    while (at < piece.length && this.#part !== 'end' && chunks < max) {
      if (this.#part === 'data') {
        at += this.#skipData(piece.length - at);
        continue;
      }
      const isEnd = this.#readByte(piece[at]!);
      at += 1;
      if (!isEnd) continue;
      chunks += 1;
      if (this.#size > 0 && this.#size < SMALL_CHUNK_BYTES) smallChunks += 1;
      this.#begin();
    }
    return { length: this.#part === 'end' && at === 0 ? piece.length : at, smallChunks };
  }

  #skipData(available: number): number {
    const skipped = Math.min(this.#remaining, available);
    this.#remaining -= skipped;
    if (this.#remaining === 0) this.#part = 'size';
    return skipped;
  }

  /** Whether the byte ends the line of a size. */
  #readByte(byte: number): boolean {
    if (this.#part === 'trailer') {
      if (byte === LINE_FEED) {
        if (this.#lineBytes === 0) this.#part = 'end';
        this.#lineBytes = 0;
      } else if (byte !== CARRIAGE_RETURN) this.#lineBytes += 1;
      return false;
    }
    if (byte === LINE_FEED) return true;
    if (this.#part === 'extension' || byte === CARRIAGE_RETURN) return false;
    const digit = Number.parseInt(String.fromCharCode(byte), 16);
    if (Number.isNaN(digit)) this.#part = 'extension';
    else this.#size = this.#size * 16 + digit;
    return false;
  }

  #begin(): void {
    this.#part = this.#size === 0 ? 'trailer' : 'data';
    this.#remaining = this.#size + 2;
    this.#size = 0;
  }
}
