/** A timestamp to the minute, for tables: 2027-01-31T12:00Z. */
export const minuteOf = (time: string): string => `${time.slice(0, 16)}Z`;
