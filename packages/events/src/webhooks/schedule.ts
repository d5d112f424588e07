import { isSuccess, type Outcome } from './endpoint.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Delay of each attempt after the previous failed one: the first without delay, ten in all. */
export const DELAYS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Maximum random change of a delay, as a fraction, so that simultaneous failures are not retried simultaneously. */
const JITTER = 0.1;
const MAX_RETRY_AFTER = DAY;

/** An endpoint that only failed for so long is disabled. */
export const FAILING_MS = 5 * DAY;

export type NextState =
  | { readonly state: 'delivered' }
  | { readonly state: 'dead'; readonly isGone: boolean }
  | { readonly state: 'waiting'; readonly nextAttemptAt: Date };

/** Next state after an attempt; `attempts` includes it, `random` is from 0 to 1. */
export function nextState(outcome: Outcome, attempts: number, now: Date, random: number): NextState {
  if (isSuccess(outcome)) return { state: 'delivered' };
  if (outcome.status === 410) return { state: 'dead', isGone: true };
  const delay = DELAYS[attempts - 1];
  if (delay === undefined) return { state: 'dead', isGone: false };
  const jittered = delay * (1 + JITTER * (2 * random - 1));
  const asked =
    outcome.status === 429 || outcome.status === 503 ? readRetryAfter(outcome.retryAfter, now) : 0;
  return { state: 'waiting', nextAttemptAt: new Date(now.getTime() + Math.round(Math.max(jittered, asked))) };
}

/** Milliseconds from a Retry-After header: seconds, or a date; 0 without a valid one. */
export function readRetryAfter(header: string | null, now: Date): number {
  const text = header?.trim() ?? '';
  const wait = /^\d{1,10}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now.getTime();
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), MAX_RETRY_AFTER) : 0;
}
