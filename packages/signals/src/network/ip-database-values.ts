import type { ByteSource } from '@vouchgraph/platform/paged-file';

/* Types of the MaxMind DB file format specification 2.0 (maxmind.github.io/MaxMind-DB), section "Output Data Section". */
const POINTER = 1;
const TEXT = 2;
const DOUBLE = 3;
const UINT16 = 5;
const UINT32 = 6;
const MAP = 7;
const INT32 = 8;
const UINT64 = 9;
const ARRAY = 11;
const BOOLEAN = 14;
const FLOAT = 15;

/** Offsets of pointers of one, two, three and four bytes. */
const POINTER_BASE = [0, 2048, 526_336, 0] as const;

/**
 * Reads values out of a database's file. Types that records of places do not have, such as numbers of 128 bits, are
 * passed over and read as null.
 */
export class ValueReader {
  readonly #file: ByteSource;
  readonly #sectionStart: number;
  readonly #number = new DataView(new ArrayBuffer(8));
  /** Every record names its fields by pointers to the same few texts. */
  readonly #keys = new Map<number, string>();
  #at = 0;

  /** `sectionStart` is where the data begins, from which pointers count. */
  constructor(file: ByteSource, sectionStart: number) {
    this.#file = file;
    this.#sectionStart = sectionStart;
  }

  /** The value that begins at a position of the file. */
  valueAt(position: number): unknown {
    const back = this.#at;
    this.#at = position;
    const value = this.#next();
    this.#at = back;
    return value;
  }

  #next(): unknown {
    const control = this.#file.byteAt(this.#at++);
    const type = control >> 5;
    if (type === POINTER) return this.valueAt(this.#pointer(control));
    // Types above 7 are in a separate byte, minus 7.
    const fullType = type === 0 ? 7 + this.#unsigned(1) : type;
    return this.#ofType(fullType, this.#size(control & 0x1f));
  }

  #ofType(type: number, size: number): unknown {
    switch (type) {
      case TEXT:
        return this.#text(size);
      case DOUBLE:
        return this.#bytes(8).getFloat64(0);
      case FLOAT:
        return this.#bytes(4).getFloat32(0);
      case UINT16:
      case UINT32:
      case UINT64:
        return this.#unsigned(size);
      case INT32:
        // Shorter ones have no sign.
        return size === 4 ? this.#unsigned(4) | 0 : this.#unsigned(size);
      case BOOLEAN:
        return size === 1;
      case ARRAY:
        return Array.from({ length: size }, () => this.#next());
      case MAP:
        return this.#map(size);
      default:
        this.#pass(size);
        return null;
    }
  }

  #map(size: number): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    for (let entry = 0; entry < size; entry++) {
      const key = this.#key();
      value[key] = this.#next();
    }
    return value;
  }

  #key(): string {
    if (this.#file.byteAt(this.#at) >> 5 !== POINTER) return asKey(this.#next());
    const target = this.#pointer(this.#unsigned(1));
    let key = this.#keys.get(target);
    if (key === undefined) {
      key = asKey(this.valueAt(target));
      this.#keys.set(target, key);
    }
    return key;
  }

  #text(size: number): string {
    if (size === 0) return '';
    const start = this.#pass(size);
    if (start + size > this.#file.size) throw new RangeError('a text ends behind the file');
    const text = Buffer.allocUnsafe(size);
    for (let index = 0; index < size; index++) text[index] = this.#file.byteAt(start + index);
    return text.toString('utf8');
  }

  #pointer(control: number): number {
    const length = ((control >> 3) & 3) + 1;
    const high = length === 4 ? 0 : (control & 7) * 2 ** (8 * length);
    return this.#sectionStart + POINTER_BASE[length - 1]! + high + this.#unsigned(length);
  }

  #size(short: number): number {
    if (short < 29) return short;
    if (short === 29) return 29 + this.#unsigned(1);
    return short === 30 ? 285 + this.#unsigned(2) : 65_821 + this.#unsigned(3);
  }

  #unsigned(length: number): number {
    const start = this.#pass(length);
    let value = 0;
    for (let index = 0; index < length; index++) value = value * 256 + this.#file.byteAt(start + index);
    return value;
  }

  /** The next bytes, up to eight, as a view that the next call changes. */
  #bytes(length: number): DataView {
    const start = this.#pass(length);
    for (let index = 0; index < length; index++)
      this.#number.setUint8(index, this.#file.byteAt(start + index));
    return this.#number;
  }

  /** Advances by some bytes, and returns where they begin. */
  #pass(bytes: number): number {
    const start = this.#at;
    this.#at += bytes;
    return start;
  }
}

/** Keys are texts, unless the file is damaged. */
function asKey(value: unknown): string {
  if (typeof value !== 'string') throw new RangeError('a key of a map is not a text');
  return value;
}
