/* Columns of numbers, as the files of address data store them. */

function differences(ascending: Uint32Array): Uint32Array {
  return ascending.map((value, index) => (index === 0 ? value : value - ascending[index - 1]!));
}

/** Writes columns of unsigned LEB128 numbers. */
export class NumberWriter {
  readonly #bytes: number[] = [];

  column(values: Uint32Array): void {
    for (const value of values) this.#number(value);
  }

  /** Ascending numbers as their differences. */
  ascending(values: Uint32Array): void {
    this.column(differences(values));
  }

  #number(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes.push((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.#bytes.push(rest);
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

/** Reads what NumberWriter wrote; throws a RangeError when the bytes end too early. */
export class NumberReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  column(length: number): Uint32Array {
    const values = new Uint32Array(length);
    for (let index = 0; index < length; index++) values[index] = this.#number();
    return values;
  }

  ascending(length: number): Uint32Array {
    const values = new Uint32Array(length);
    let value = 0;
    for (let index = 0; index < length; index++) values[index] = value += this.#number();
    return values;
  }

  #number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError('the file ends too early');
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }
}
