import type { ServerResponse } from 'node:http';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { HttpError } from '../platform/http.ts';

const WINDOW_SECONDS = 60;

export type RateLimit = {
  /** Counts one request; throws 429 when there were too many. Tells by headers where there is a response. */
  take(key: string, response?: ServerResponse): Promise<void>;
};

/** Counts requests of each key in windows of a minute, in this process; 0 per minute is no limit. */
export function createRateLimit(perMinute: number): RateLimit {
  if (perMinute === 0) return { take: async () => {} };
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
  const policy = `"default";q=${perMinute};w=${WINDOW_SECONDS}`;

  function tell(response: ServerResponse | undefined, state: RateLimiterRes): number {
    const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
    response?.setHeader('ratelimit-policy', policy);
    response?.setHeader('ratelimit', `"default";r=${state.remainingPoints};t=${seconds}`);
    return seconds;
  }

  return {
    async take(key, response) {
      try {
        tell(response, await limiter.consume(key));
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        throw new HttpError(429, 'Too Many Requests', { 'retry-after': String(tell(response, refused)) });
      }
    },
  };
}
