import { yieldToPage } from '../attempt.ts';
import { type Facts, mergeFacts } from '../facts.ts';
import type { Timers } from '../throttle.ts';

/** Part of the collection. It may be slow and may fail. */
export type Part = () => Facts | Promise<Facts>;

export type PartsOptions = {
  deadlineMs: number;
  timers: Timers;
  /** Receives each part that arrives after the deadline. */
  onLate: (facts: Facts) => void;
};

/** Maximum time before yielding to the page, so that it does not stutter: one frame of a screen is 16 ms. */
const MAX_STRETCH_MS = 16;

/** Runs all parts in parallel. Resolves with the facts found by the deadline. A failed part has no facts. */
export function collectParts(parts: readonly Part[], options: PartsOptions): Promise<Facts> {
  const { deadlineMs, timers, onLate } = options;
  return new Promise((resolve) => {
    let facts: Facts = {};
    let isOver = false;
    const finish = () => {
      isOver = true;
      forget();
      resolve(facts);
    };
    const forget = timers.after(deadlineMs, finish);
    const take = (found: Facts) => {
      if (isOver) onLate(found);
      else facts = mergeFacts(facts, found);
    };
    void runParts(parts, timers, take).then(finish);
  });
}

/** Runs all parts in parallel and passes on the facts of each; resolves after the last. */
export async function runParts(
  parts: readonly Part[],
  timers: Timers,
  take: (facts: Facts) => void,
): Promise<void> {
  const running: Promise<void>[] = [];
  let stretchStart = timers.now();
  for (const part of parts) {
    running.push(runPart(part).then(take));
    if (timers.now() - stretchStart < MAX_STRETCH_MS) continue;
    await yieldToPage();
    stretchStart = timers.now();
  }
  await Promise.all(running);
}

async function runPart(part: Part): Promise<Facts> {
  try {
    return await part();
  } catch {
    return {};
  }
}
