/*
 * Keys that near emails share. Accounts with a key in common are candidates: their emails are then compared in clear
 * text (compare-persons.ts), so that a key has to find near emails and may find others. A key that many accounts share
 * finds nobody; the keys therefore differ in what they keep:
 *
 * - the local part without its digits, and with one of three parts left out, each with the domain: emails at a large provider
 * - the local part alone, whatever the domain
 * - the beginning or end of the local part with the beginning or end of the domain: slips on both sides of the `@`
 * - the beginning and end of the local part with the first letter of the domain: slips in the middle of both
 * - the first letters of the whole address without punctuation: an `@` or dot in another place
 */

/** Shorter local parts have too many honest neighbors: `anna` and `anne` are two people. */
const MIN_EDITED = 5;
const MIN_WITHOUT_DIGITS = 4;
const PARTS = 3;
const LOCAL_END = 2;
const DOMAIN_END = 3;
const ADDRESS_START = 5;

/** Whether a text is an email whose `@` was lost or mistyped: it has a dot and no white space, and is no single word. */
export function isMistypedEmail(canonical: string): boolean {
  return /^[^@\s]{4,}\.[^@\s]{2,}$/.test(canonical);
}

/**
 * Keys of an email in its canonical form, at most 14. A text without an `@`, as after a slip of the hand, is cut in the
 * middle. None of fewer than six characters.
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
 * Keys that local parts share which are the same without their digits, or differ by one inserted, deleted or replaced
 * character.
 *
 * A local part is cut into three parts and each key leaves one of them out: an edit falls into one part, and the key
 * without that part is the same on both sides. A local part of n characters is cut once as n characters, and once as
 * n − 1 with one character more in the part left out, which is where it meets those that are one shorter.
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
