/*
 * Descriptors side by side in one array: an exact search compares with all of them, and 100,000 take some 15 ms. An
 * approximate index would be faster and could miss the one face that matters.
 */

export const DESCRIPTOR_LENGTH = 128;
const FIRST_CAPACITY = 256;

export type FoundFace = { readonly templateId: string; readonly distance: number };

/** The faces of one project, for a search of all. Those that were erased since are told apart by who asks. */
export class FaceIndex {
  #descriptors = new Float32Array(FIRST_CAPACITY * DESCRIPTOR_LENGTH);
  readonly #ids: string[] = [];
  readonly #places = new Map<string, number>();

  get size(): number {
    return this.#ids.length;
  }

  /** Adds a face, or replaces the one with this id. */
  set(templateId: string, descriptor: ArrayLike<number>): void {
    if (descriptor.length !== DESCRIPTOR_LENGTH) throw new RangeError('a descriptor has 128 numbers');
    let place = this.#places.get(templateId);
    if (place === undefined) {
      place = this.#ids.length;
      this.#ids.push(templateId);
      this.#places.set(templateId, place);
      this.#grow();
    }
    this.#descriptors.set(descriptor, place * DESCRIPTOR_LENGTH);
  }

  #grow(): void {
    if (this.#ids.length * DESCRIPTOR_LENGTH <= this.#descriptors.length) return;
    const larger = new Float32Array(this.#descriptors.length * 2);
    larger.set(this.#descriptors);
    this.#descriptors = larger;
  }

  /** The last takes its place. */
  delete(templateId: string): void {
    const place = this.#places.get(templateId);
    if (place === undefined) return;
    const last = this.#ids.length - 1;
    const lastId = this.#ids[last]!;
    const from = last * DESCRIPTOR_LENGTH;
    this.#descriptors.copyWithin(place * DESCRIPTOR_LENGTH, from, from + DESCRIPTOR_LENGTH);
    this.#ids[place] = lastId;
    this.#places.set(lastId, place);
    this.#ids.pop();
    this.#places.delete(templateId);
  }

  /** All faces nearer than a distance, the nearest first, at most `most`. Same distance: by id. */
  search(descriptor: ArrayLike<number>, below: number, most: number): FoundFace[] {
    const wanted = Float32Array.from(descriptor);
    const found: FoundFace[] = [];
    for (const [place, templateId] of this.#ids.entries()) {
      const square = this.#squareWithin(place * DESCRIPTOR_LENGTH, wanted, below * below);
      if (square < below * below) found.push({ templateId, distance: Math.sqrt(square) });
    }
    return found
      .sort((a, b) => a.distance - b.distance || (a.templateId < b.templateId ? -1 : 1))
      .slice(0, most);
  }

  /** The squared distance; once it is beyond the limit it is not counted to its end. */
  #squareWithin(start: number, wanted: Float32Array, limit: number): number {
    const all = this.#descriptors;
    let sum = 0;
    for (let from = 0; from < DESCRIPTOR_LENGTH && sum < limit; from += 16) {
      for (let index = from; index < from + 16; index += 1) {
        const difference = all[start + index]! - wanted[index]!;
        sum += difference * difference;
      }
    }
    return sum;
  }
}
