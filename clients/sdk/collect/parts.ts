import { yieldToPage } from '../attempt.ts';
import { type Facts, mergeFacts } from '../facts.ts';
import type { Timers } from '../throttle.ts';

/** One thing to look at; it may take its time, and it may fail. */
export type Part = () => Facts | Promise<Facts>;

export type PartsOptions = {
  deadlineMs: number;
  timers: Timers;
  /** Receives each part that arrives after the deadline. */
  onLate: (facts: Facts) => void;
};

/** A page must get to run between the parts, so that it never stutters: one frame of a screen is 16 ms. */
const MAX_STRETCH_MS = 16;

/** Runs all parts side by side, and answers with what they found by the deadline. A part that fails finds nothing. */
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

/** Runs all parts side by side and hands on what each finds; resolves after the last. */
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
