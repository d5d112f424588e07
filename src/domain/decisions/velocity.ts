/** How often something happened before a session, within an hour, a day and seven days; the session itself counts. */
export type Within = { readonly hour: number; readonly day: number; readonly week: number };

/** How fast things happened around a session. What has no device or address is unknown: null. */
export type Velocity = {
  readonly sessions: Within;
  readonly accountsPerDevice: Within | null;
  readonly accountsPerNetwork: Within | null;
};
