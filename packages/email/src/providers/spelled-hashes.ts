import { hash } from 'node:crypto';
import { domainToUnicode } from 'node:url';
import type { ParsedEmail } from '../email-address.ts';

export const HASH_ALGORITHMS = ['sha1', 'sha256'] as const;
export type HashAlgorithm = (typeof HASH_ALGORITHMS)[number];

/**
 * Spellings of an address in lists of hashes: the trimmed address in lower case, the canonical mailbox if it differs, and
 * the international spelling of a domain that is written in ASCII.
 */
export function listedSpellings({
  address,
  canonical,
}: Pick<ParsedEmail, 'address' | 'canonical'>): string[] {
  const plain = address.toLowerCase();
  const spellings = new Set([plain, canonical]);
  if (plain.includes('xn--')) {
    const at = plain.lastIndexOf('@');
    const domain = domainToUnicode(plain.slice(at + 1));
    if (domain !== '') spellings.add(plain.slice(0, at + 1) + domain);
  }
  return [...spellings];
}

/** The digest of a spelling as bytes. */
export function digestOf(algorithm: HashAlgorithm, spelling: string): Buffer {
  return hash(algorithm, spelling, 'buffer');
}
