import { isCalendarDate } from '@vouchgraph/platform/calendar-date';

/* Readers of values of files and providers. Each returns null for an invalid value. */

const MAX_URL = 2000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Text without control characters. */
export function readText(value: string, maxLength: number): string | null {
  const text = value.trim();
  return text.length <= maxLength && !CONTROL.test(text) && text.isWellFormed() ? text : null;
}

/** A date, or the date of a timestamp. */
export function readDate(value: string): string | null {
  const date = /^(\d{4}-\d{2}-\d{2})(?:[T ].*)?$/.exec(value.trim())?.[1] ?? '';
  return isCalendarDate(date) ? date : null;
}

export function readUrl(value: string): string | null {
  const url = value.trim();
  return url.length <= MAX_URL && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null;
}

export function readPhone(value: string): string | null {
  const phone = value.trim();
  return /^\+?[\d\s().-]{5,32}$/.test(phone) ? phone : null;
}
