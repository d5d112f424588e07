/** Number of expected deliveries by the behavior of the receiver. */
export type Target = { healthy: number; failing: number };

/** Completion times of the healthy receivers, and of all that respond: milliseconds since 1970. */
export type Reached = { healthyAt: number; allAt: number };
