const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
/** Earliest accepted year. The oldest verified age of a person is 122 years. */
const MIN_BIRTH_YEAR = 1900;
/** Latest accepted year: a date in the future is stored as a claim, like an invalid email. */
const MAX_BIRTH_YEAR = 2099;

/** Error text for an invalid date of birth, following the field name; null for a valid date, YYYY-MM-DD. */
export function birthDateProblem(text: string): string | null {
  const parts = ISO_DATE.exec(text);
  if (!parts) return 'must be a date in the format YYYY-MM-DD';
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isReal) return 'must be an existing date in the format YYYY-MM-DD';
  if (year < MIN_BIRTH_YEAR) return `must not be before ${MIN_BIRTH_YEAR}`;
  return year > MAX_BIRTH_YEAR ? `must not be after ${MAX_BIRTH_YEAR}` : null;
}

/**
 * Age in whole years on the UTC day of `at`; null before the birth. A person born on 29 February is a year older on
 * 1 March of a common year.
 */
export function ageAt(birthDate: string, at: Date): number | null {
  const [year, month, day] = birthDate.split('-').map(Number) as [number, number, number];
  const passed = at.getUTCMonth() + 1 - month || at.getUTCDate() - day;
  const age = at.getUTCFullYear() - year - (passed < 0 ? 1 : 0);
  return age < 0 ? null : age;
}
