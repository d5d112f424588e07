const ISO_TIMESTAMP = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/*
 * Accepted times. Responses have years of four digits: a time beyond, such as the year 10000 that an offset makes of
 * 9999-12-31T23:59:59-23:59, could be stored and never be read again.
 */
const MIN_TIME = '0001-01-01T00:00:00.000Z';
const MAX_TIME = '9999-12-31T23:59:59.999Z';

/** Tolerated difference of clocks for times that must not be in the future. */
export const FUTURE_TOLERANCE_MS = 10 * 60_000;

/** Texts for times that are not accepted, following the field name. */
export const TIMESTAMP_TEXT = 'must be an ISO 8601 timestamp such as 2025-06-10T16:35:22.184Z';
const RANGE_TEXT = `must be between ${MIN_TIME} and ${MAX_TIME}; null is no time and no end`;
export const FUTURE_TEXT = 'must not be in the future';

/** Parses an ISO 8601 timestamp with a time zone, to the millisecond; null for an invalid one, or one out of range. */
export function parseTimestamp(text: string): Date | null {
  const time = parseIso(text);
  return time !== null && isAcceptedTime(time) ? time : null;
}

/** Error text for a timestamp that is not accepted; null for an accepted one. */
export function timestampProblem(text: string): string | null {
  const time = parseIso(text);
  if (time === null) return TIMESTAMP_TEXT;
  return isAcceptedTime(time) ? null : RANGE_TEXT;
}

/** Whether a time is in the future, beyond the tolerance for clocks. */
export function isInFuture(time: Date, now: Date): boolean {
  return time.getTime() > now.getTime() + FUTURE_TOLERANCE_MS;
}

function isAcceptedTime(time: Date): boolean {
  return time.getTime() >= Date.parse(MIN_TIME) && time.getTime() <= Date.parse(MAX_TIME);
}

function parseIso(text: string): Date | null {
  const match = ISO_TIMESTAMP.exec(text);
  if (!match) return null;
  const [year, month, day] = match.slice(1, 4).map(Number) as [number, number, number];
  // JavaScript parses 30 February as 2 March.
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time);
}
