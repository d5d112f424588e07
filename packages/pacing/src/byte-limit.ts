import { HttpError } from '@vouchgraph/platform/http';
import { createRateLimit } from './rate-limit.ts';

export type ByteLimit = {
  /** Counts the bytes of a body; throws 413 when a key sent too many within a minute. */
  take(key: string, bytes: number): Promise<void>;
};

/** Counts bytes of each key in windows of a minute, in this process; 0 per minute is no limit. */
export function createByteLimit(perMinute: number): ByteLimit {
  const limit = createRateLimit(perMinute);
  return {
    async take(key, bytes) {
      await limit.take(key, undefined, bytes).catch((error: unknown) => {
        if (!(error instanceof HttpError)) throw error;
        const message = `More than ${perMinute} bytes were sent from this address within a minute`;
        throw new HttpError(413, message, error.headers);
      });
    },
  };
}
