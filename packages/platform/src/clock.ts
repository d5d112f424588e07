/** Source of the current time; tests use their own. */
export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };
