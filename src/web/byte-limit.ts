import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { HttpError } from '../platform/http.ts';

const WINDOW_SECONDS = 60;

export type ByteLimit = {
  /** Counts the bytes of a body; throws 413 when a key sent too many within a minute. */
  take(key: string, bytes: number): Promise<void>;
};

/** Counts bytes of each key in windows of a minute, in this process; 0 per minute is no limit. */
export function createByteLimit(perMinute: number): ByteLimit {
  if (perMinute === 0) return { take: async () => {} };
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
  return {
    async take(key, bytes) {
      try {
        await limiter.consume(key, bytes);
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        throw new HttpError(413, `More than ${perMinute} bytes were sent from this address within a minute`);
      }
    },
  };
}
