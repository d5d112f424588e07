import { withoutPunctuation } from './compare-emails.ts';
import { isLargeProvider } from './large-providers.ts';
import { correctedMailbox } from './provider-spellings.ts';

/*
 * Blocking keys of near emails. Accounts that share a key are candidates: their emails are then compared in clear text
 * (compare-emails.ts), so false candidates only cost time. Near emails have the same domain after the correction of near spellings
 * of large providers, so that every key contains the corrected domain. A key over its sharing limit finds no candidates, so an
 * email has several keys:
 *
 * - the local part without its digits, and without one of its three parts
 * - at small providers the start and the end of the local part: for edits in several of its parts
 * - the letters and digits of the whole address: for a missing `@`
 */

/** Shorter local parts are near the local parts of too many other people: `anna` and `anne`. */
const MIN_EDITED = 5;
const MIN_WITHOUT_DIGITS = 4;
const PARTS = 3;
const LOCAL_END = 2;
const MIN_PLAIN = 6;

/** Whether a text is an email with a missing or mistyped `@`: it contains a dot and no white space. */
export function isMistypedEmail(canonical: string): boolean {
  return /^[^@\s]{4,}\.[^@\s]{2,}$/.test(canonical);
}

/** Keys of a canonical email, at most 10. A text without an `@` has one key, and a text shorter than six characters has none. */
export function nearEmailBlocks(canonical: string): string[] {
  const plain = withoutPunctuation(canonical);
  if (plain.length < MIN_PLAIN) return [];
  const mailbox = correctedMailbox(canonical);
  if (mailbox === null) return [`plain ${plain}`];
  const { local, domain } = mailbox;
  const ends = isLargeProvider(domain) ? [] : endsOf(local);
  const keys = [...withoutDigits(local), ...withoutOnePart(local), ...ends].map((key) => `${domain} ${key}`);
  return [...new Set([...keys, `plain ${plain}`])];
}

function endsOf(local: string): string[] {
  if (local.length < MIN_EDITED) return [];
  return [`^${local.slice(0, LOCAL_END)}`, `${local.slice(-LOCAL_END)}$`];
}

/**
 * Keys shared by local parts that differ by one inserted, deleted or replaced character.
 *
 * A local part is split into three parts, and each key omits one of them: an edit falls into one part, and the key without
 * that part is equal for both. A local part of n characters is split once as n characters, and once as n − 1 with one more
 * character in the omitted part, which matches local parts that are one character shorter.
 */
function withoutOnePart(local: string): string[] {
  if (local.length < MIN_EDITED) return [];
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

function withoutDigits(local: string): string[] {
  const letters = local.replace(/\d/g, '');
  return letters.length < MIN_WITHOUT_DIGITS ? [] : [`letters ${letters}`];
}

function boundary(length: number, part: number): number {
  return Math.floor((length * part) / PARTS);
}
