import { sha256 } from '@vouchgraph/platform/crypto';
import { AppError } from '@vouchgraph/platform/errors';
import { LRUCache } from 'lru-cache';
import type { RateLimit } from './rate-limit.ts';

/** Credentials that were valid not long ago. An attacker behind the same address does not lock their holders out. */
const MAX_VALID = 10_000;
const VALID_FOR_MS = 3_600_000;

export type FailedAttempts = {
  /**
   * Runs the look-up of a credential for an address. Failed look-ups count against the limit of the address; above it,
   * credentials that were not valid before are refused with 429 and not looked up.
   */
  guard<T>(address: string, credential: string, find: () => Promise<T>): Promise<T>;
};

/** Counts failed look-ups of credentials by address, in this process. `limit`: failures per address and minute. */
export function createFailedAttempts(limit: RateLimit): FailedAttempts {
  const valid = new LRUCache<string, true>({ max: MAX_VALID, ttl: VALID_FOR_MS });
  return {
    async guard(address, credential, find) {
      // A request without a credential costs no look-up.
      if (credential === '') return find();
      const fingerprint = sha256(credential).toString('base64');
      if (!valid.has(fingerprint)) limit.check(address);
      // Counted before the look-up, so that concurrent requests cannot exceed the limit.
      limit.count(address);
      try {
        const found = await find();
        valid.set(fingerprint, true);
        limit.count(address, -1);
        return found;
      } catch (error) {
        if (error instanceof AppError && error.kind === 'unauthenticated') valid.delete(fingerprint);
        else limit.count(address, -1);
        throw error;
      }
    },
  };
}
