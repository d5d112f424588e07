import { setTimeout as delay } from 'node:timers/promises';

/** Polls until the answer is neither null nor false; null after the time limit. */
export async function pollUntil<T>(
  ask: () => Promise<T | null | false>,
  { timeoutMs, everyMs = 10 }: { timeoutMs: number; everyMs?: number },
): Promise<T | null> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== false) return answer;
    if (performance.now() >= deadline) return null;
    await delay(everyMs);
  }
}
