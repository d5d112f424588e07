import { isCalendarDate } from './calendar-date.ts';
import { FUTURE_TOLERANCE_MS } from './timestamp.ts';

/** Earliest accepted year. The oldest verified age of a person is 122 years. */
const MIN_BIRTH_YEAR = 1900;

/** Error text for a date of birth that is invalid at any time, following the field name; null for a valid date, YYYY-MM-DD. */
export function birthDateProblem(text: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return 'must be a date in the format YYYY-MM-DD';
  if (!isCalendarDate(text)) return 'must be an existing date in the format YYYY-MM-DD';
  if (text < `${MIN_BIRTH_YEAR}-01-01`) return `must not be before ${MIN_BIRTH_YEAR}`;
  return null;
}

/**
 * Whether a date of birth is after the UTC day of `now`. Such a date is invalid: the holder would have no age, and no rule about the
 * age would apply.
 */
export function isFutureBirthDate(text: string, now: Date): boolean {
  return text > new Date(now.getTime() + FUTURE_TOLERANCE_MS).toISOString().slice(0, 10);
}

/**
 * Age in whole years on the UTC day of `at`; 0 before the birth, for a session that is older than its account's date. A person
 * born on 29 February is a year older on 1 March of a common year.
 */
export function ageAt(birthDate: string, at: Date): number {
  const [year, month, day] = birthDate.split('-').map(Number) as [number, number, number];
  const passed = at.getUTCMonth() + 1 - month || at.getUTCDate() - day;
  return Math.max(0, at.getUTCFullYear() - year - (passed < 0 ? 1 : 0));
}
