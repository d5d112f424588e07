/** SQL: the time of an event by its id, which begins with it. Its partition and its primary key need the time. */
export function timeOfEvent(eventId: string): string {
  return `(timestamptz 'epoch'
    + ('x' || left(replace(${eventId}::text, '-', ''), 12))::bit(48)::bigint * interval '1 millisecond')`;
}
