/**
 * Keys that dates of birth (YYYY-MM-DD) share which differ in one of their three parts, or by day and month exchanged: each
 * keeps two parts.
 */
export function birthDateBlocks(date: string): string[] {
  const [year = '', month = '', day = ''] = date.split('-');
  const [smaller, greater] = [month, day].sort();
  return [`month-day ${smaller} ${greater}`, `year-month ${year} ${month}`, `year-day ${year} ${day}`];
}
