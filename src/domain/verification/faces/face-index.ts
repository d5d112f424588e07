import { DESCRIPTOR_LENGTH } from '../../vision/faces/face-pipeline.ts';

/*
 * Descriptors side by side in blocks: an exact search compares with all of them, and 100,000 take some 15 ms. An
 * approximate index would be faster and could miss the one face that matters.
 */

/** Faces of a block: 4 MB. More faces are more blocks, so that nothing large is ever copied. */
const BLOCK = 8192;
/** A project with few faces takes little. */
const FIRST_CAPACITY = 256;
/** Looked at between two turns of the event loop: 1 or 2 ms. */
const SLICE = 5000;

export type FoundFace = { readonly templateId: string; readonly distance: number };

/** Number of faces of an account group. */
type Gallery = { readonly group: string; size: number };

/** The faces of one project, for a search of all. Those that were erased since are told apart by who asks. */
export class FaceIndex {
  readonly #blocks: Float32Array[] = [];
  readonly #ids: string[] = [];
  /** The gallery of each: one object for all faces of a group, since every row that is read has its own copy of the name. */
  readonly #galleryOf: Gallery[] = [];
  readonly #galleries = new Map<string, Gallery>();
  readonly #places = new Map<string, number>();

  get size(): number {
    return this.#ids.length;
  }

  /** Faces of an account group: the gallery of its searches. */
  sizeOf(group: string): number {
    return this.#galleries.get(group)?.size ?? 0;
  }

  /** Adds a face, or replaces the one with this id. */
  set(templateId: string, descriptor: ArrayLike<number>, group = ''): void {
    if (descriptor.length !== DESCRIPTOR_LENGTH)
      throw new RangeError(`a descriptor has ${DESCRIPTOR_LENGTH} numbers`);
    let place = this.#places.get(templateId);
    if (place === undefined) {
      place = this.#ids.length;
      this.#ids.push(templateId);
      this.#places.set(templateId, place);
      this.#makeRoomFor(place);
    } else {
      this.#leave(this.#galleryOf[place]!);
    }
    this.#galleryOf[place] = this.#enter(group);
    this.#at(place).set(descriptor);
  }

  #enter(group: string): Gallery {
    const gallery = this.#galleries.get(group) ?? { group, size: 0 };
    gallery.size += 1;
    this.#galleries.set(group, gallery);
    return gallery;
  }

  #leave(gallery: Gallery): void {
    gallery.size -= 1;
    if (gallery.size === 0) this.#galleries.delete(gallery.group);
  }

  #makeRoomFor(place: number): void {
    const number = Math.floor(place / BLOCK);
    const block = this.#blocks[number];
    if (!block) {
      const capacity = number === 0 ? FIRST_CAPACITY : BLOCK;
      this.#blocks.push(new Float32Array(capacity * DESCRIPTOR_LENGTH));
    } else if ((place % BLOCK) * DESCRIPTOR_LENGTH >= block.length) {
      const larger = new Float32Array(block.length * 2);
      larger.set(block);
      this.#blocks[number] = larger;
    }
  }

  #at(place: number): Float32Array {
    const start = (place % BLOCK) * DESCRIPTOR_LENGTH;
    return this.#blocks[Math.floor(place / BLOCK)]!.subarray(start, start + DESCRIPTOR_LENGTH);
  }

  /** The last takes its place, and nothing of it stays in memory. */
  delete(templateId: string): void {
    const place = this.#places.get(templateId);
    if (place === undefined) return;
    const last = this.#ids.length - 1;
    const lastId = this.#ids[last]!;
    const lastFace = this.#at(last);
    this.#at(place).set(lastFace);
    lastFace.fill(0);
    this.#leave(this.#galleryOf[place]!);
    this.#ids[place] = lastId;
    this.#galleryOf[place] = this.#galleryOf[last]!;
    this.#places.set(lastId, place);
    this.#ids.pop();
    this.#galleryOf.pop();
    this.#places.delete(templateId);
    // One spare block stays, for whoever comes and goes at its border.
    this.#blocks.length = Math.min(this.#blocks.length, Math.ceil(last / BLOCK) + 1);
  }

  /**
   * All faces of an account group nearer than a distance, the nearest first, at most `most`. Same distance: by id. Lets others have the event
   * loop between slices; faces may come and go meanwhile. It goes from the last to the first: a face that takes the place
   * of another one moves to the front, where it is still to come, and is at worst met twice.
   */
  async search(descriptor: ArrayLike<number>, below: number, most: number, group = ''): Promise<FoundFace[]> {
    const wanted = Float32Array.from(descriptor);
    const limit = below * below;
    let found = new Map<string, number>();
    for (let end = this.#ids.length; end > 0; end -= SLICE) {
      const first = Math.max(0, end - SLICE);
      for (let place = Math.min(end, this.#ids.length) - 1; place >= first; place -= 1) {
        if (this.#galleryOf[place]?.group !== group) continue;
        const square = this.#squareWithin(place, wanted, limit);
        if (square < limit) found.set(this.#ids[place]!, square);
      }
      // However many are the same face, no more are kept than are asked for.
      if (found.size > 2 * most) found = new Map(nearest(found, most));
      if (first > 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    return nearest(found, most).map(([templateId, square]) => ({ templateId, distance: Math.sqrt(square) }));
  }

  /** The squared distance; once it is beyond the limit it is not counted to its end. */
  #squareWithin(place: number, wanted: Float32Array, limit: number): number {
    const all = this.#blocks[Math.floor(place / BLOCK)]!;
    const start = (place % BLOCK) * DESCRIPTOR_LENGTH;
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

function nearest(found: ReadonlyMap<string, number>, most: number): [string, number][] {
  return [...found].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1)).slice(0, most);
}
