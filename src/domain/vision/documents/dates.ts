/** A day of the calendar, without a time zone: documents know none. */
export type Day = { year: number; month: number; day: number };

const MONTH_NAMES: readonly (readonly string[])[] = [
  ['jan', 'january', 'janvier', 'janv', 'januar', 'jaenner', 'ene', 'enero'],
  ['feb', 'february', 'fevrier', 'fev', 'fevr', 'februar', 'febrero'],
  ['mar', 'march', 'mars', 'maerz', 'marz', 'mrz', 'marzo'],
  ['apr', 'april', 'avril', 'avr', 'abr', 'abril'],
  ['may', 'mai', 'mayo'],
  ['jun', 'june', 'juin', 'juni', 'junio'],
  ['jul', 'july', 'juil', 'juillet', 'juli', 'julio'],
  ['aug', 'august', 'aout', 'ago', 'agosto'],
  ['sep', 'sept', 'september', 'septembre', 'septiembre'],
  ['oct', 'october', 'octobre', 'okt', 'oktober', 'octubre'],
  ['nov', 'november', 'novembre', 'noviembre'],
  ['dec', 'december', 'decembre', 'dez', 'dezember', 'dic', 'diciembre'],
];
const MONTHS = new Map(
  MONTH_NAMES.flatMap((names, index) => names.map((name) => [name, index + 1] as const)),
);

/** Countries that print the month before the day. */
const MONTH_FIRST = new Set(['US']);
/** How far ahead a two-digit year of expiry may lie; documents are issued for fifteen years at the most. */
const LONGEST_VALIDITY_YEARS = 30;
/** Nobody with a document is as old. */
const OLDEST_AGE = 120;

/** The day, or null when the calendar has none such. */
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

/** Whole years; null before birth. Whoever was born on 29 February is a year older on 1 March of a common year. */
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

/** The same two digits of the year a century before: for who may be older than a hundred; null where nobody is so old. */
export function centuryBefore(born: Day, now: Date): Day | null {
  const before = realDay(born.year - 100, born.month, born.day);
  return before && ageOn(before, today(now))! < OLDEST_AGE ? before : null;
}

/** YYMMDD of an expiry: in this century unless that lies further ahead than any document lasts. */
export function shortExpiry(text: string, now: Date): Day | null {
  const year = now.getUTCFullYear();
  const century = Math.floor(year / 100) * 100;
  const short = Number(text.slice(0, 2));
  if (century + short > year + LONGEST_VALIDITY_YEARS) return shortDay(text, century - 100);
  // Near a century's end, small numbers mean the next one.
  if (century + short < year - 100 + LONGEST_VALIDITY_YEARS) return shortDay(text, century + 100);
  return shortDay(text, century);
}

function shortDay(text: string, century: number): Day | null {
  if (!/^\d{6}$/.test(text)) return null;
  return realDay(century + Number(text.slice(0, 2)), Number(text.slice(2, 4)), Number(text.slice(4, 6)));
}

const NUMERIC = /(?<!\d)(\d{1,2})\s?[./\- ]\s?(\d{1,2})\s?[./\- ]\s?(\d{4})(?!\d)/;
const YEAR_FIRST = /(?<!\d)(\d{4})\s?[./\- ]\s?(\d{1,2})\s?[./\- ]\s?(\d{1,2})(?!\d)/;
const DAY_NAME =
  /(?<!\d)(\d{1,2})[\s.\-/]*(\p{L}{3,10})\.?(?:\s*\/\s*\p{L}{3,10}\.?)?[\s.\-/]*(\d{4})(?!\d)/u;
const NAME_DAY = /(?<!\p{L})(\p{L}{3,10})\.?\s*(\d{1,2})\s*,\s*(\d{4})(?!\d)/u;
const COMPACT = /(?<!\d)(\d{2})(\d{2})(\d{4})(?!\d)/;

/**
 * The first date in a printed text. Where a month and a day could be each other, the country (alpha-2) says which
 * comes first; without one such a date is not read.
 */
export function printedDay(printed: string, country: string): Day | null {
  // Beside digits, readers take the letter of October and November for one.
  const text = printed.replace(/0(?=CT)/gi, 'O').replace(/(?<=N)0(?=V)/gi, 'O');
  const numeric = NUMERIC.exec(text);
  if (numeric) return numericDay(numeric, country);
  const yearFirst = YEAR_FIRST.exec(text);
  if (yearFirst) return realDay(Number(yearFirst[1]), Number(yearFirst[2]), Number(yearFirst[3]));
  const named = DAY_NAME.exec(text);
  if (named) return namedDay(named[2]!, named[1]!, named[3]!);
  const american = NAME_DAY.exec(text);
  if (american) return namedDay(american[1]!, american[2]!, american[3]!);
  const compact = COMPACT.exec(text);
  return compact ? numericDay(compact, country) : null;
}

function numericDay([, first, second, year]: RegExpExecArray, country: string): Day | null {
  const monthFirst = realDay(Number(year), Number(first), Number(second));
  const dayFirst = realDay(Number(year), Number(second), Number(first));
  if (country !== '') return MONTH_FIRST.has(country) ? monthFirst : dayFirst;
  if (monthFirst && dayFirst && first !== second) return null;
  return monthFirst ?? dayFirst;
}

function namedDay(name: string, day: string, year: string): Day | null {
  const bare = name.toLowerCase().replaceAll('ä', 'ae').normalize('NFD').replace(/\p{M}/gu, '');
  const month = MONTHS.get(bare);
  return month === undefined ? null : realDay(Number(year), month, Number(day));
}

/** The day of MM/DD/YYYY; null for ''. */
export function parseUsDate(text: string): Day | null {
  const match = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text);
  return match ? realDay(Number(match[3]), Number(match[1]), Number(match[2])) : null;
}

/** Years from one day to a later one, and whether they are whole ones, give or take a day; null when it is not later. */
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
