/* Columns of numbers, as the files of address data store them. */

/** Reads columns of unsigned LEB128 numbers; throws a RangeError when the bytes end too early. */
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
