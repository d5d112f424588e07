const FIRST_MINUTE_MS = 60_000;
const FIRST_MINUTES_MS = 5 * 60_000;

/** Interval between two requests with counts. It grows, because a page that stays open has less and less new activity. */
export function patchIntervalMs(ageMs: number): number {
  if (ageMs < FIRST_MINUTE_MS) return 5000;
  return ageMs < FIRST_MINUTES_MS ? 15_000 : 60_000;
}
