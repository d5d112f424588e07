/*
 * Pairs of contacts that a person would consider nearly equal. Written independently of the measured rules, so
 * that their misses appear in the figures.
 */
const MIN_LETTERS = 4;

/** One character more, less, other, or two swapped, anywhere; or other digits before the same domain. */
export function isNearEmail(a: string, b: string): boolean {
  if (a === '' || b === '') return false;
  const [one, two] = [a.toLowerCase(), b.toLowerCase()];
  const [lettersOfOne, lettersOfTwo] = [withoutDigits(one), withoutDigits(two)];
  const isSameWord = lettersOfOne.indexOf('@') >= MIN_LETTERS && lettersOfOne === lettersOfTwo;
  return isSameWord || isOneEditAway(one, two);
}

/** One digit other. */
export function isNearPhone(a: string, b: string): boolean {
  return a !== '' && a.length === b.length && isOneEditAway(a, b);
}

/** The local part without its digits, and the domain. */
export function withoutDigits(email: string): string {
  const at = email.lastIndexOf('@');
  return email.slice(0, Math.max(at, 0)).replace(/\d/g, '') + email.slice(Math.max(at, 0));
}

function isOneEditAway(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1);
  const isSwapped = short[at] === long[at + 1] && short[at + 1] === long[at];
  return (
    short.slice(at + 1) === long.slice(at + 1) || (isSwapped && short.slice(at + 2) === long.slice(at + 2))
  );
}
