import { TIMEOUT } from 'node:dns';

/** An attempt that ends this much earlier than the limit has used it: the clocks of timers differ. */
const TOLERANCE_MS = 20;

/**
 * Runs a query of name servers until it is answered, or until a limit has passed. The resolver of Node.js ends an attempt earlier than
 * its option `timeout` says, at five times the mean time of earlier answers (250 ms or more): after quick answers, a slow name server
 * would count as silent. Such an attempt is repeated. The last one can end after the limit.
 */
export async function queryWithin<Answer>(limitMs: number, query: () => Promise<Answer>): Promise<Answer> {
  const until = performance.now() + limitMs - TOLERANCE_MS;
  for (;;) {
    try {
      return await query();
    } catch (error) {
      const isTimeout = (error as NodeJS.ErrnoException).code === TIMEOUT;
      if (!isTimeout || performance.now() >= until) throw error;
    }
  }
}
