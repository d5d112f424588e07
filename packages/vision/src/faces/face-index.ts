import { DESCRIPTOR_LENGTH } from './face-pipeline.ts';

/*
 * Descriptors stored contiguously in blocks. An exact search compares with all of them; 100,000 take about 15 ms. An
 * approximate index would be faster, but could miss a match.
 */

/** Faces per block: 4 MB. The index grows by blocks, so that nothing large is copied. */
const BLOCK = 8192;
/** Initial block size, so that a project with few faces uses little memory. */
const FIRST_CAPACITY = 256;
/** Faces compared per iteration of the event loop: 1 or 2 ms. */
const SLICE = 5000;

export type FoundFace = { readonly templateId: string; readonly distance: number };

/** Number of faces of an account group. */
type Gallery = { readonly group: string; size: number };

/** Faces of one project, for a search among all. The caller drops those that were erased since. */
export class FaceIndex {
  readonly #blocks: Float32Array[] = [];
  readonly #ids: string[] = [];
  /** Gallery of each face: one object per group, since every row read has its own copy of the name. */
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

  /** Moves the last face to the removed one's place and clears the freed memory. */
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
    // One spare block stays, against reallocation when the size varies around its border.
    this.#blocks.length = Math.min(this.#blocks.length, Math.ceil(last / BLOCK) + 1);
  }

  /**
   * All faces of an account group nearer than a distance, nearest first, then by id, at most `most`. Yields to the event
   * loop between slices; faces can be added and removed meanwhile. It scans from the last to the first: a face that
   * replaces a removed one moves toward the front, which is scanned later, so that it can be found twice but never missed.
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
      // Keeps no more matches than requested.
      if (found.size > 2 * most) found = new Map(nearest(found, most));
      if (first > 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    return nearest(found, most).map(([templateId, square]) => ({ templateId, distance: Math.sqrt(square) }));
  }

  /** Squared distance; stops adding once it exceeds the limit. */
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
