const HOUR_MS = 60 * 60_000;

/** Limits of a provider; tests set shorter ones. */
export type OnlineLimits = {
  /** Time limit of a request, from connecting to the last byte. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Number of concurrent requests, and how long others wait for a slot. */
  readonly atOnce: number;
  readonly waitMs: number;
  /** Requests within any stretch of `windowMs`. */
  readonly requests: number;
  readonly windowMs: number;
  /** Failures in a row that open the circuit breaker. */
  readonly failures: number;
  /** Duration of the open state: the first time, the second in a row, and so on; the last value repeats. */
  readonly openMs: readonly number[];
  /** Pause after a provider rejected the key. */
  readonly refusedMs: number;
  /** Validity of an answer with findings, and of one without. */
  readonly foundMs: number;
  readonly notFoundMs: number;
  /** Maximum number of cached answers, and of findings in them. */
  readonly cachedAnswers: number;
  readonly cachedFindings: number;
};

export const DEFAULT_LIMITS: Omit<OnlineLimits, 'requests' | 'windowMs'> = {
  timeoutMs: 2500,
  maxBytes: 2 * 1024 * 1024,
  atOnce: 8,
  waitMs: 2500,
  failures: 5,
  openMs: [30_000, 60_000, 120_000, 300_000],
  refusedMs: 5 * 60_000,
  foundMs: 24 * HOUR_MS,
  notFoundMs: 12 * HOUR_MS,
  cachedAnswers: 10_000,
  cachedFindings: 200_000,
};
