import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Random access to bytes. */
export type ByteSource = {
  readonly size: number;
  /** Throws a RangeError after the end, and an UnreadableFileError if the bytes cannot be read. */
  byteAt(position: number): number;
};

/** The file is closed or was truncated, or the operating system reports an error. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

const PAGE_BITS = 12;
const PAGE_BYTES = 2 ** PAGE_BITS;

/**
 * A file of less than 4 GB that is read on demand in pages of 4 KB. It caches at most `2 ** slotBits` pages; the page cache of the
 * operating system serves others in about a microsecond, without using memory of this process. The file must not be modified in
 * place. Replacing it with another file does not affect the open one.
 */
export class PagedFile implements ByteSource, Disposable {
  readonly size: number;
  readonly #descriptor: number;
  readonly #mask: number;
  /** Cached pages by page number modulo slots. `#numbers`: page number of each slot, plus one. */
  readonly #slots: Buffer;
  readonly #numbers: Uint32Array;
  #isClosed = false;

  constructor(path: string, slotBits: number) {
    this.#descriptor = openSync(path, 'r');
    this.size = fstatSync(this.#descriptor).size;
    this.#mask = 2 ** slotBits - 1;
    this.#slots = Buffer.allocUnsafeSlow(2 ** slotBits * PAGE_BYTES);
    this.#numbers = new Uint32Array(2 ** slotBits);
  }

  byteAt(position: number): number {
    const page = position >>> PAGE_BITS;
    const slot = page & this.#mask;
    if (this.#numbers[slot] !== page + 1) this.#load(page, slot);
    if (position >= this.size) throw new RangeError('beyond the end of the file');
    return this.#slots[(slot << PAGE_BITS) | (position & (PAGE_BYTES - 1))]!;
  }

  /** Closes the file; later reads fail. */
  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#numbers.fill(0);
    closeSync(this.#descriptor);
  }

  #load(page: number, slot: number): void {
    // The descriptor of a closed file can belong to another file.
    if (this.#isClosed) throw new UnreadableFileError('the file is closed');
    const position = page * PAGE_BYTES;
    const wanted = Math.min(PAGE_BYTES, this.size - position);
    if (wanted <= 0) throw new RangeError('beyond the end of the file');
    // A partially read slot has no valid page.
    this.#numbers[slot] = 0;
    for (let read = 0; read < wanted; ) {
      const bytes = this.#read(slot * PAGE_BYTES + read, wanted - read, position + read);
      if (bytes === 0) throw new UnreadableFileError('the file is shorter than it was');
      read += bytes;
    }
    this.#numbers[slot] = page + 1;
  }

  #read(to: number, length: number, position: number): number {
    try {
      return readSync(this.#descriptor, this.#slots, to, length, position);
    } catch (error) {
      throw new UnreadableFileError('the file cannot be read', { cause: error });
    }
  }
}
