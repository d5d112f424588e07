/**
 * Blocking keys of a date of birth (YYYY-MM-DD), each with two of its three parts: dates that differ in one part, or by
 * exchanged day and month, share a key.
 */
export function birthDateBlocks(date: string): string[] {
  const [year = '', month = '', day = ''] = date.split('-');
  const [smaller, greater] = [month, day].sort();
  return [`month-day ${smaller} ${greater}`, `year-month ${year} ${month}`, `year-day ${year} ${day}`];
}
