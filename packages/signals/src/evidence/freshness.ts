const DAY_MS = 86_400_000;

/**
 * Remaining weight of a source at an instant: `2^(−age / half-life)`, 1 for a source without a date or a half-life and
 * for one of today or later. Between 0 and 1.
 */
export function freshness(asOf: string | null, halfLifeDays: number | null, at: Date): number {
  if (asOf === null || halfLifeDays === null) return 1;
  const ageDays = (at.getTime() - Date.parse(asOf)) / DAY_MS;
  return Number.isFinite(ageDays) ? 2 ** (-Math.max(0, ageDays) / halfLifeDays) : 1;
}
