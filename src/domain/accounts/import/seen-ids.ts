/*
 * A Bloom filter of 32 MB: it has no false negatives, and a false positive rate of 0.003 % at 10 million ids and 1 % at 30
 * million. It is used for a count only, not for decisions.
 */
const WORDS = 2 ** 23;
const PROBES = 7;

export type SeenIds = {
  /** Adds the id; true if it was already present. */
  add(id: string): boolean;
};

export function createSeenIds(): SeenIds {
  const words = new Uint32Array(WORDS);
  return {
    add(id) {
      const [first, second] = hashesOf(id);
      let isKnown = true;
      for (let probe = 0; probe < PROBES; probe += 1) {
        const bit = (first + Math.imul(probe, second)) >>> 0;
        const word = (bit >>> 5) % WORDS;
        const mask = 1 << (bit & 31);
        if ((words[word]! & mask) === 0) isKnown = false;
        words[word]! |= mask;
      }
      return isKnown;
    },
  };
}

/** Two 32-bit hashes in one pass: FNV-1a and a multiplicative one, both mixed as MurmurHash3 ends. */
function hashesOf(id: string): [number, number] {
  let first = 0x811c9dc5;
  let second = 0x9e3779b9;
  for (let index = 0; index < id.length; index += 1) {
    const unit = id.charCodeAt(index);
    first = Math.imul(first ^ unit, 0x01000193);
    second = Math.imul(second, 0x85ebca6b) + unit;
  }
  return [mix(first), mix(second) | 1];
}

function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
