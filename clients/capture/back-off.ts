const FIRST_MS = 500;
const MAX_MS = 15_000;

/** Delay before the next attempt after a number of failures, with up to a fifth of jitter. */
export function backOffMs(failures: number, random: () => number = Math.random): number {
  const step = Math.min(MAX_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return Math.round(step * (1 + random() / 5));
}

const FIRST_LOOK_MS = 800;
const MAX_LOOK_MS = 5000;

/** Interval of polling after a number of requests; `firstMs` before the first. */
export function nextLookMs(looks: number, firstMs = FIRST_LOOK_MS): number {
  return Math.min(MAX_LOOK_MS, Math.round(firstMs * 1.4 ** looks));
}
