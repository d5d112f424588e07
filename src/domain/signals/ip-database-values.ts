/* Types of the MaxMind DB file format specification 2.0 (maxmind.github.io/MaxMind-DB), section "Output Data Section". */
const POINTER = 1;
const TEXT = 2;
const DOUBLE = 3;
const UINT16 = 5;
const UINT32 = 6;
const MAP = 7;
const INT32 = 8;
const ARRAY = 11;
const BOOLEAN = 14;
const FLOAT = 15;

/** What is added to a pointer of one, two, three and four bytes. */
const POINTER_BASE = [0, 2048, 526_336, 0] as const;

/** Reads the value that begins at a position of the file. */
export type ValueReader = (position: number) => unknown;

/**
 * Reads values out of a database's file. `sectionStart` is where its data begins, from which pointers count. Types that
 * records of places do not have, such as numbers of 128 bits, are passed over and read as null.
 */
export function createValueReader(file: Buffer, sectionStart: number): ValueReader {
  // Every record names its fields by pointers to the same few texts.
  const keys = new Map<number, string>();
  let at = 0;

  function unsigned(length: number): number {
    const value = length === 0 ? 0 : file.readUIntBE(at, length);
    at += length;
    return value;
  }

  function pointer(control: number): number {
    const length = ((control >> 3) & 3) + 1;
    const high = length === 4 ? 0 : (control & 7) * 2 ** (8 * length);
    return sectionStart + POINTER_BASE[length - 1]! + high + unsigned(length);
  }

  function sizeOf(short: number): number {
    if (short < 29) return short;
    if (short === 29) return 29 + unsigned(1);
    return short === 30 ? 285 + unsigned(2) : 65_821 + unsigned(3);
  }

  function text(size: number): string {
    at += size;
    return size === 0 ? '' : file.toString('utf8', at - size, at);
  }

  function behind<Value>(target: number, read: () => Value): Value {
    const back = at;
    at = target;
    const value = read();
    at = back;
    return value;
  }

  function key(): string {
    if (file[at]! >> 5 !== POINTER) return String(next());
    const target = pointer(file[at++]!);
    let known = keys.get(target);
    if (known === undefined) {
      known = String(behind(target, next));
      keys.set(target, known);
    }
    return known;
  }

  function map(size: number): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    for (let entry = 0; entry < size; entry++) {
      const name = key();
      value[name] = next();
    }
    return value;
  }

  function ofType(type: number, size: number): unknown {
    switch (type) {
      case TEXT:
        return text(size);
      case DOUBLE:
        at += 8;
        return file.readDoubleBE(at - 8);
      case FLOAT:
        at += 4;
        return file.readFloatBE(at - 4);
      case UINT16:
      case UINT32:
        return unsigned(size);
      case INT32:
        // Shorter ones have no sign.
        return size === 4 ? unsigned(4) | 0 : unsigned(size);
      case BOOLEAN:
        return size === 1;
      case ARRAY:
        return Array.from({ length: size }, next);
      case MAP:
        return map(size);
      default:
        at += size;
        return null;
    }
  }

  function next(): unknown {
    const control = file[at++]!;
    const type = control >> 5;
    if (type === POINTER) return behind(pointer(control), next);
    // Types above 7 stand in a byte of their own, less 7.
    return type === 0
      ? ofType(7 + unsigned(1), sizeOf(control & 0x1f))
      : ofType(type, sizeOf(control & 0x1f));
  }

  return (position) => behind(position, next);
}
