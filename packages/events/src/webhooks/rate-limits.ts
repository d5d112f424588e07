const MINUTE_MS = 60_000;

/** Recent attempts of this process by endpoint, for endpoints with a limit. */
export class RateLimits {
  readonly #attempts = new Map<string, { limit: number; times: number[] }>();

  /** Counts an attempt; or returns the time at which it is allowed, and counts nothing. */
  take(endpointId: string, perMinute: number | null, now: Date): Date | null {
    if (perMinute === null) {
      this.#attempts.delete(endpointId);
      return null;
    }
    const times = this.#recent(endpointId, now);
    this.#attempts.set(endpointId, { limit: perMinute, times });
    if (times.length >= perMinute) return new Date(times[times.length - perMinute]! + MINUTE_MS);
    times.push(now.getTime());
    return null;
  }

  /** Endpoints that have had all their attempts of the minute. */
  exhausted(now: Date): string[] {
    return [...this.#attempts].flatMap(([endpointId, { limit }]) => {
      const times = this.#recent(endpointId, now);
      if (times.length === 0) this.#attempts.delete(endpointId);
      return times.length >= limit ? [endpointId] : [];
    });
  }

  #recent(endpointId: string, now: Date): number[] {
    const since = now.getTime() - MINUTE_MS;
    return (this.#attempts.get(endpointId)?.times ?? []).filter((time) => time > since);
  }
}
