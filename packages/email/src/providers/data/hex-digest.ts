import type { HashAlgorithm } from '../spelled-hashes.ts';

const NIBBLES = new Int8Array(256).fill(-1);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  NIBBLES[digit.charCodeAt(0)] = value;
  NIBBLES[digit.toUpperCase().charCodeAt(0)] = value;
}

/** The digest algorithm with this number of hexadecimal digits. */
export function algorithmOf(digits: number): HashAlgorithm | null {
  if (digits === 40) return 'sha1';
  return digits === 64 ? 'sha256' : null;
}

/** Reads an even number of hexadecimal digits into `target`; false for another character. */
export function readHex(bytes: Buffer, start: number, end: number, target: Buffer): boolean {
  for (let at = start, to = 0; at < end; at += 2, to += 1) {
    const byte = (NIBBLES[bytes[at]!]! << 4) | NIBBLES[bytes[at + 1]!]!;
    if (byte < 0) return false;
    target[to] = byte;
  }
  return true;
}

/** Whether all bytes are hexadecimal digits. */
export function isHex(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (NIBBLES[bytes[at]!]! < 0) return false;
  return true;
}

/** A digest in hexadecimal digits; null for another text. */
export function parseDigest(text: string): { algorithm: HashAlgorithm; hash: Buffer } | null {
  const algorithm = algorithmOf(text.length);
  if (algorithm === null || !/^[0-9a-f]*$/i.test(text)) return null;
  return { algorithm, hash: Buffer.from(text, 'hex') };
}
