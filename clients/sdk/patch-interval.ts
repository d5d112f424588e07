const FIRST_MINUTE_MS = 60_000;
const FIRST_MINUTES_MS = 5 * 60_000;

/** How long to wait between two requests with counts: a page that stays open tells less and less that is new. */
export function patchIntervalMs(ageMs: number): number {
  if (ageMs < FIRST_MINUTE_MS) return 5000;
  return ageMs < FIRST_MINUTES_MS ? 15_000 : 60_000;
}
