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
