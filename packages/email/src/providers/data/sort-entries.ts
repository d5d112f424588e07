import { ENTRY_BYTES } from './entry.ts';

const DIGIT = 65_536;

/** A copy of the entries in ascending order of their bytes: a radix sort of 8 bytes, then whatever is equal in those. */
export function sortEntries(entries: Buffer): Buffer {
  const count = entries.length / ENTRY_BYTES;
  let order = new Uint32Array(count).map((_, index) => index);
  // Digits of 16 bits, the least significant first; each pass keeps the order of the previous one.
  for (let digit = 3; digit >= 0; digit--) order = sortByDigit(entries, order, digit * 2);
  sortTies(entries, order);
  const sorted = Buffer.allocUnsafe(entries.length);
  for (let index = 0; index < count; index++) {
    const from = order[index]! * ENTRY_BYTES;
    entries.copy(sorted, index * ENTRY_BYTES, from, from + ENTRY_BYTES);
  }
  return sorted;
}

function sortByDigit(entries: Buffer, order: Uint32Array, at: number): Uint32Array<ArrayBuffer> {
  const starts = new Uint32Array(DIGIT + 1);
  const digitOf = (index: number) =>
    (entries[index * ENTRY_BYTES + at]! << 8) | entries[index * ENTRY_BYTES + at + 1]!;
  for (const index of order) starts[digitOf(index) + 1]! += 1;
  for (let digit = 0; digit < DIGIT; digit++) starts[digit + 1]! += starts[digit]!;
  const next = new Uint32Array(order.length);
  for (const index of order) {
    const digit = digitOf(index);
    next[starts[digit]!] = index;
    starts[digit]! += 1;
  }
  return next;
}

function sortTies(entries: Buffer, order: Uint32Array): void {
  let start = 0;
  for (let end = 1; end <= order.length; end++) {
    if (end < order.length && compareBytes(entries, order[start]!, order[end]!, 8) === 0) continue;
    if (end - start > 1) order.subarray(start, end).sort((a, b) => compareBytes(entries, a, b, ENTRY_BYTES));
    start = end;
  }
}

function compareBytes(entries: Buffer, a: number, b: number, bytes: number): number {
  const [first, second] = [a * ENTRY_BYTES, b * ENTRY_BYTES];
  for (let at = 0; at < bytes; at++) {
    const difference = entries[first + at]! - entries[second + at]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
