/*
 * Blocking keys of near emails. Accounts that share a key are candidates: their emails are then compared in clear text
 * (compare-persons.ts), so false candidates only cost time. A key over its sharing limit finds no candidates, so an email has
 * several keys:
 *
 * - the local part without its digits, and without one of its three parts, each with the domain: for large providers
 * - the local part alone: for any domain
 * - the start or end of the local part with the start or end of the domain: for typing errors on both sides of the `@`
 * - the start and end of the local part with the first letter of the domain: for typing errors in the middle of both
 * - the first letters of the whole address without punctuation: for a misplaced `@` or dot
 */

/** Shorter local parts are near the local parts of too many other people: `anna` and `anne`. */
const MIN_EDITED = 5;
const MIN_WITHOUT_DIGITS = 4;
const PARTS = 3;
const LOCAL_END = 2;
const DOMAIN_END = 3;
const ADDRESS_START = 5;

/** Whether a text is an email with a missing or mistyped `@`: it contains a dot and no white space. */
export function isMistypedEmail(canonical: string): boolean {
  return /^[^@\s]{4,}\.[^@\s]{2,}$/.test(canonical);
}

/**
 * Keys of a canonical email, at most 14. A text without an `@` is split in the middle. A text shorter than six characters
 * has no keys.
 */
export function nearEmailBlocks(canonical: string): string[] {
  if (canonical.length < ADDRESS_START + 1) return [];
  const at = canonical.lastIndexOf('@');
  const middle = canonical.length >> 1;
  const local = canonical.slice(0, at < 0 ? middle : at);
  const domain = canonical.slice(at < 0 ? middle : at + 1).replace(/\.[^.]*$/, '');
  const address = canonical.replace(/[^\p{L}\p{N}]/gu, '');
  return [
    ...new Set([
      ...nearLocalPartKeys(local).map((key) => `${domain} ${key}`),
      ...(local.length < MIN_EDITED ? [] : [`local ${local}`]),
      ...endsOf(local, LOCAL_END).flatMap((one) =>
        endsOf(domain, DOMAIN_END).map((two) => `ends ${one} ${two}`),
      ),
      ...frameOf(local, domain),
      `start ${address.slice(0, ADDRESS_START)}`,
    ]),
  ];
}

function frameOf(local: string, domain: string): string[] {
  if (local.length < MIN_EDITED) return [];
  return [`frame ${local.slice(0, LOCAL_END)} ${local.slice(-LOCAL_END)} ${domain.slice(0, 1)}`];
}

function endsOf(text: string, length: number): string[] {
  return [`^${text.slice(0, length)}`, `${text.slice(-length)}$`];
}

/**
 * Keys shared by local parts that are equal without their digits, or that differ by one inserted, deleted or replaced
 * character.
 *
 * A local part is split into three parts, and each key omits one of them: an edit falls into one part, and the key without
 * that part is equal for both. A local part of n characters is split once as n characters, and once as n − 1 with one more
 * character in the omitted part, which matches local parts that are one character shorter.
 */
function nearLocalPartKeys(local: string): string[] {
  return [...withoutDigits(local), ...withoutOnePart(local)];
}

function withoutDigits(local: string): string[] {
  const letters = local.replace(/\d/g, '');
  return letters.length < MIN_WITHOUT_DIGITS ? [] : [`letters ${letters}`];
}

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

function boundary(length: number, part: number): number {
  return Math.floor((length * part) / PARTS);
}
