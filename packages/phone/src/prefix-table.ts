/** Prefixes of international numbers have at most so many digits, so that each is a number of 32 bits. */
export const MAX_PREFIX_DIGITS = 9;

/**
 * Names by the longest prefix of a number. Prefixes are numbers in ascending order; since none begins with 0, those of one
 * length lie together.
 */
export class PrefixTable {
  readonly #prefixes: Uint32Array;
  readonly #positions: Uint16Array;
  readonly #names: readonly string[];
  /** Where the prefixes of each length begin; one more entry for the end. */
  readonly #starts: readonly number[];

  constructor(prefixes: Uint32Array, positions: Uint16Array, names: readonly string[]) {
    this.#prefixes = prefixes;
    this.#positions = positions;
    this.#names = names;
    this.#starts = Array.from({ length: MAX_PREFIX_DIGITS + 2 }, (_, digits) =>
      digits === 0 ? 0 : placeOf(prefixes, 10 ** (digits - 1), 0, prefixes.length),
    );
  }

  get size(): number {
    return this.#prefixes.length;
  }

  /** The name of the longest prefix of the digits, at least `minDigits` long; null when none is known. */
  find(digits: string, minDigits = 1): string | null {
    let length = Math.min(digits.length, MAX_PREFIX_DIGITS);
    let prefix = Number(digits.slice(0, length));
    for (; length >= minDigits; length -= 1) {
      const end = this.#starts[length + 1]!;
      const place = placeOf(this.#prefixes, prefix, this.#starts[length]!, end);
      if (place < end && this.#prefixes[place] === prefix) return this.#names[this.#positions[place]!]!;
      prefix = Math.floor(prefix / 10);
    }
    return null;
  }
}

/** The first position with a prefix that is not less. */
function placeOf(prefixes: Uint32Array, wanted: number, start: number, end: number): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (prefixes[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
