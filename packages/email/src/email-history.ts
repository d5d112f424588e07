import type { EmailTrustSignal } from './email-weights.ts';

/** Earlier knowledge of the project about an address, in any spelling of its mailbox and on any account. */
export type EmailHistory = {
  /** null if it is new. */
  firstSeen: Date | null;
  /** Number of earlier sessions and account changes with it. */
  sightings: number;
};

const DAY_MS = 86_400_000;
const YEAR_MS = 365.25 * DAY_MS;

/** Largest first: only the largest that applies is a signal. */
const AGES: readonly (readonly [years: number, signal: EmailTrustSignal])[] = [
  [10, 'email_age_greater_than_10_years'],
  [5, 'email_age_greater_than_5_years'],
  [2, 'email_age_greater_than_2_years'],
  [1, 'email_age_greater_than_1_years'],
];

/** One sign-up makes several sightings within the hour, so both their number and their period count. */
const KNOWN_SIGHTINGS = 3;
const KNOWN_DAYS = 90;

/** Years of 365.25 days between two times; negative when the second is earlier. */
export function yearsBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / YEAR_MS;
}

/** The signal of the largest age that an address is older than; null below one year. */
export function ageSignal(years: number): EmailTrustSignal | null {
  return AGES.find(([least]) => years > least)?.[1] ?? null;
}

/**
 * Whether the project has known the address for long. A short history does not count against it.
 */
export function isLongKnown({ firstSeen, sightings }: EmailHistory, at: Date): boolean {
  return (
    firstSeen !== null &&
    sightings >= KNOWN_SIGHTINGS &&
    at.getTime() - firstSeen.getTime() >= KNOWN_DAYS * DAY_MS
  );
}
