import type { EmailTrustSignal } from './email-weights.ts';

/** What this project knows of an address from before, in any spelling of its mailbox and on any account. */
export type EmailHistory = {
  /** null when it was never seen before. */
  firstSeen: Date | null;
  /** Sessions and changes of accounts that it came with before. */
  sightings: number;
};

const DAY_MS = 86_400_000;
const YEAR_MS = 365.25 * DAY_MS;

/** Largest first: only the largest that holds is said. */
const AGES: readonly (readonly [years: number, signal: EmailTrustSignal])[] = [
  [10, 'email_age_greater_than_10_years'],
  [5, 'email_age_greater_than_5_years'],
  [2, 'email_age_greater_than_2_years'],
  [1, 'email_age_greater_than_1_years'],
];

/** One sign-up makes several sightings within the hour; both number and time are asked for. */
const KNOWN_SIGHTINGS = 3;
const KNOWN_DAYS = 90;

/** What the past of an address says for it. A short past says nothing against it: everybody was new once. */
export function historySignals(history: EmailHistory, at: Date): EmailTrustSignal[] {
  if (history.firstSeen === null) return [];
  const ageMs = at.getTime() - history.firstSeen.getTime();
  const age = AGES.find(([years]) => ageMs > years * YEAR_MS);
  const isKnown = history.sightings >= KNOWN_SIGHTINGS && ageMs >= KNOWN_DAYS * DAY_MS;
  return [...(age ? [age[1]] : []), ...(isKnown ? (['email_known_online_history'] as const) : [])];
}
