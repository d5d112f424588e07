/** Number of events before a session, within an hour, a day and seven days; the session itself counts. */
export type Within = { readonly hour: number; readonly day: number; readonly week: number };

/** Rates of events before a session. Null for a session without a device or an address. */
export type Velocity = {
  readonly sessions: Within;
  readonly accountsPerDevice: Within | null;
  readonly accountsPerNetwork: Within | null;
};
