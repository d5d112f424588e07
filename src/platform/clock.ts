/** The time as the service sees it; tests pass their own. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };
