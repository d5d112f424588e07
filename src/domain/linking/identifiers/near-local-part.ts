/** Shorter local parts have too many honest neighbours: `anna` and `anne` are two people. */
const SHORTEST_EDITED = 5;
const SHORTEST_WITHOUT_DIGITS = 4;
/** Five parts make at most 11 keys, each of which still fixes about four fifths of the local part. */
const PARTS = 5;

/**
 * Keys that near-equal local parts share: those that are the same without their digits, or differ by one inserted,
 * deleted or replaced character.
 *
 * A local part is cut into five parts and each key leaves one of them out: an edit falls into one part, and the key
 * without that part is the same on both sides. A local part of n characters is cut once as n characters, and once as
 * n − 1 with one character more in the part left out, which is where it meets the neighbours that are one shorter.
 */
export function nearLocalPartKeys(local: string): string[] {
  return [...new Set([...withoutDigits(local), ...withoutOnePart(local)])];
}

function withoutDigits(local: string): string[] {
  const letters = local.replace(/\d/g, '');
  return letters.length < SHORTEST_WITHOUT_DIGITS ? [] : [`letters ${letters}`];
}

function withoutOnePart(local: string): string[] {
  if (local.length < SHORTEST_EDITED) return [];
  const keys: string[] = [];
  for (const cutLength of [local.length, local.length - 1]) {
    const extra = local.length - cutLength;
    for (let part = 0; part < PARTS; part += 1) {
      const head = local.slice(0, boundary(cutLength, part));
      const tail = local.slice(boundary(cutLength, part + 1) + extra);
      keys.push(`${cutLength}.${part} ${head} ${tail}`);
    }
  }
  return keys;
}

function boundary(length: number, part: number): number {
  return Math.floor((length * part) / PARTS);
}
