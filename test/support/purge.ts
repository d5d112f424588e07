import type { PurgeRun } from '../../src/storage/purge.ts';
import type { Gateway } from './gateway.ts';

/** A run of the purges at a time, for tests that start them. */
export function purgeRun(gateway: Gateway, now: Date): PurgeRun {
  return {
    system: gateway.app.database.system,
    now,
    signal: new AbortController().signal,
    onProgress: () => {},
  };
}
