const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Whether a text is an existing date, YYYY-MM-DD, of the years 1 to 9999. `Date.parse` takes 31 February for 3 March. */
export function isCalendarDate(text: string): boolean {
  const year = ISO_DATE.exec(text)?.[1];
  if (year === undefined || year === '0000') return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Start of the day (UTC) of a moment. */
export function startOfDay(moment: Date): Date {
  return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth(), moment.getUTCDate()));
}
