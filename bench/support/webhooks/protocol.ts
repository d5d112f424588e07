/** How many deliveries are waited for, by what the receiver answers. */
export type Target = { healthy: number; failing: number };

/** When the healthy receivers had theirs, and when all that answer had: milliseconds since 1970. */
export type Reached = { healthyAt: number; allAt: number };
