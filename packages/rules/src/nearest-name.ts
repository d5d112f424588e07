/** At most a third of the name can be typing errors. */
const SHARE = 3;
const MAX_LENGTH = 100;

/**
 * The name that was most likely meant: the same in other case, one that ends with the same part (`vpn`), or the one with
 * the fewest typing errors. Null when none is similar.
 */
export function nearestName(written: string, names: readonly string[]): string | null {
  if (written.length > MAX_LENGTH) return null;
  const lower = written.toLowerCase();
  const last = `.${lower.slice(lower.lastIndexOf('.') + 1)}`;
  let best: string | null = null;
  let fewest = Math.floor(lower.length / SHARE) + 1;
  for (const name of names) {
    const slips = typosBetween(lower, name.toLowerCase());
    if (slips < fewest) [best, fewest] = [name, slips];
  }
  // One or two typing errors are likelier than a common part, and that is likelier than many typing errors.
  if (best !== null && fewest <= 2) return best;
  return names.find((name) => name.endsWith(last)) ?? best;
}

/** Number of letters to insert, delete, replace or swap with the adjacent letter. */
export function typosBetween(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let slips = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) slips = Math.min(slips, before[j - 2]! + 1);
      next.push(slips);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
