const FIRST_MS = 500;
const MAX_MS = 15_000;

/** How long to wait before the next attempt, after so many that failed; up to a fifth more, so that pages spread. */
export function backOffMs(failures: number, random: () => number = Math.random): number {
  const step = Math.min(MAX_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(step * (1 + random() / 5));
}

const FIRST_LOOK_MS = 800;
const MAX_LOOK_MS = 5000;

/** How long to wait before looking again whether something is done, after so many looks; `firstMs` before the first. */
export function nextLookMs(looks: number, firstMs = FIRST_LOOK_MS): number {
  return Math.min(MAX_LOOK_MS, Math.round(firstMs * 1.4 ** looks));
}
