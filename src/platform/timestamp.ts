const ISO_TIMESTAMP = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** The moment that an ISO 8601 timestamp with a time zone names, to the millisecond; null when it names none. */
export function parseTimestamp(text: string): Date | null {
  const match = ISO_TIMESTAMP.exec(text);
  if (!match) return null;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  // The engine takes the 30th of February for the 2nd of March.
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time);
}
