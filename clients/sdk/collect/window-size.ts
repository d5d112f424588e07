import { attempt } from '../attempt.ts';

const MAX_WAIT_MS = 500;
const POLL_MS = 20;

/**
 * Resolves when the window has an outer size, or after 500 ms. A browser that is starting shows a page before its window has
 * one. A browser without windows keeps the size 0. A hidden page does not wait: its timers are slow, and a tab opened in the
 * background has no size.
 */
export async function whenSized(): Promise<void> {
  const start = performance.now();
  while (performance.now() - start < MAX_WAIT_MS && !isSized())
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

function isSized(): boolean {
  return attempt(() => outerWidth !== 0 || outerHeight !== 0 || innerWidth === 0 || document.hidden, true);
}
