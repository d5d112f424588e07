import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes that are read by position. */
export type ByteSource = {
  readonly size: number;
  /** Throws a RangeError beyond the end, and an UnreadableFileError if the bytes cannot be read. */
  byteAt(position: number): number;
};

/** The file is closed or was shortened, or the operating system reports an error. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

const PAGE_BITS = 12;
const PAGE_BYTES = 2 ** PAGE_BITS;

/**
 * A file of less than 4 GB that is read in pages of 4 KB, when a byte of them is asked for. It keeps `2 ** slotBits` pages
 * at most; the page cache of the operating system serves the others in about a microsecond, without counting as memory
 * of this process. The file must not be changed in place; replacing it by another one leaves the opened one as it is.
 */
export class PagedFile implements ByteSource, Disposable {
  readonly size: number;
  readonly #descriptor: number;
  readonly #mask: number;
  /** Pages by their number modulo the slots, and in `#numbers` which page each slot has, plus one. */
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

  /** Reading fails from then on. */
  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#numbers.fill(0);
    closeSync(this.#descriptor);
  }

  #load(page: number, slot: number): void {
    // The number of a closed file may be another file's.
    if (this.#isClosed) throw new UnreadableFileError('the file is closed');
    const position = page * PAGE_BYTES;
    const wanted = Math.min(PAGE_BYTES, this.size - position);
    if (wanted <= 0) throw new RangeError('beyond the end of the file');
    // A page that is only read in part belongs to nobody.
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
