import { datesIn } from './printed-dates.ts';

/** Calendar day without a time zone: documents have none. */
export type Day = { year: number; month: number; day: number };

/** Maximum distance of a two-digit year of expiry; documents are issued for at most fifteen years. */
const MAX_VALIDITY_YEARS = 30;
/** Maximum age of a holder. */
const OLDEST_AGE = 120;

/** Calendar day; null if it does not exist. */
export function realDay(year: number, month: number, day: number): Day | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal =
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal && year >= 1000 ? { year, month, day } : null;
}

export function today(now: Date): Day {
  return { year: now.getUTCFullYear(), month: now.getUTCMonth() + 1, day: now.getUTCDate() };
}

/** Negative when the first is earlier. */
export function compareDays(a: Day, b: Day): number {
  return a.year - b.year || a.month - b.month || a.day - b.day;
}

/** MM/DD/YYYY, '' for none. */
export function usDate(day: Day | null): string {
  if (day === null) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(day.month)}/${two(day.day)}/${String(day.year).padStart(4, '0')}`;
}

/** Age in whole years; null before birth. For a birth on 29 February the birthday in a common year is 1 March. */
export function ageOn(born: Day, day: Day): number | null {
  if (compareDays(born, day) > 0) return null;
  const hadBirthday = day.month > born.month || (day.month === born.month && day.day >= born.day);
  return day.year - born.year - (hadBirthday ? 0 : 1);
}

/** YYMMDD of a birth: the latest such day that is not after today. */
export function shortBirth(text: string, now: Date): Day | null {
  const century = Math.floor(now.getUTCFullYear() / 100) * 100;
  const current = shortDay(text, century);
  if (current && compareDays(current, today(now)) <= 0) return current;
  return shortDay(text, century - 100);
}

/** Same two digits of the year, a century earlier, for holders over a hundred; null beyond the maximum age. */
export function centuryBefore(born: Day, now: Date): Day | null {
  const before = realDay(born.year - 100, born.month, born.day);
  return before && ageOn(before, today(now))! < OLDEST_AGE ? before : null;
}

/** YYMMDD of an expiry: in this century unless it is later than the maximum validity. */
export function shortExpiry(text: string, now: Date): Day | null {
  const year = now.getUTCFullYear();
  const century = Math.floor(year / 100) * 100;
  const short = Number(text.slice(0, 2));
  if (century + short > year + MAX_VALIDITY_YEARS) return shortDay(text, century - 100);
  // Near a century's end, small numbers mean the next one.
  if (century + short < year - 100 + MAX_VALIDITY_YEARS) return shortDay(text, century + 100);
  return shortDay(text, century);
}

function shortDay(text: string, century: number): Day | null {
  if (!/^\d{6}$/.test(text)) return null;
  return realDay(century + Number(text.slice(0, 2)), Number(text.slice(2, 4)), Number(text.slice(4, 6)));
}

/**
 * First date in a printed text with a four-digit year. If day and month are ambiguous, the country (alpha-2) decides their
 * order; without a country such a date is not read.
 */
export function printedDay(printed: string, country: string): Day | null {
  const dates = datesIn(printed, country).filter(({ hasCentury }) => hasCentury);
  const [first] = dates;
  if (!first) return null;
  // A text with two readings is ambiguous.
  const swapped =
    country === '' && dates.some(({ month, day }) => month === first.day && day === first.month);
  if (swapped && first.day !== first.month) return null;
  return realDay(first.year, first.month, first.day);
}

/** The day of MM/DD/YYYY; null for ''. */
export function parseUsDate(text: string): Day | null {
  const match = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text);
  return match ? realDay(Number(match[3]), Number(match[1]), Number(match[2])) : null;
}

/** Years from one day to a later one, and whether they are whole within a day; null if it is not later. */
export function wholeYearsBetween(from: Day, to: Day): { years: number; isWhole: boolean } | null {
  if (compareDays(from, to) >= 0) return null;
  const days = (dayNumber(to) - dayNumber(from)) / 365.2425;
  const years = Math.round(days);
  const anniversary = dayNumber({ ...from, year: from.year + years });
  return { years, isWhole: years > 0 && Math.abs(dayNumber(to) - anniversary) <= 1 };
}

function dayNumber({ year, month, day }: Day): number {
  return Date.UTC(year, month - 1, day) / 86_400_000;
}
