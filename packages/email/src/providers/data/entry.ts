/*
 * An entry of an imported file: the first 16 bytes of a SHA-1 or SHA-256 digest, and where its record stands. Of n
 * entries, an address that is on no list matches one by chance with a probability of n / 2^128: about 3 × 10^-30 for a
 * thousand million entries.
 */

/** Stored bytes of a digest. */
export const HASH_BYTES = 16;
/** Bytes of the position of a record: files of up to 256 TB. */
const POSITION_BYTES = 6;
export const ENTRY_BYTES = HASH_BYTES + POSITION_BYTES;

/** Entries are found by the first two bytes of their hash. */
export const PREFIXES = 65_536;

export function prefixOf(hash: Buffer, at = 0): number {
  return hash.readUInt16BE(at);
}

/** Writes an entry; `hash` has at least 16 bytes. */
export function writeEntry(target: Buffer, at: number, hash: Buffer, position: number): void {
  hash.copy(target, at, 0, HASH_BYTES);
  target.writeUIntBE(position, at + HASH_BYTES, POSITION_BYTES);
}

export function positionOf(entries: Buffer, at: number): number {
  return entries.readUIntBE(at + HASH_BYTES, POSITION_BYTES);
}
