import { timeOfId } from '@vouchgraph/platform/ids';
import { type Api, type Connection, readEdges } from '../support/api.ts';
import { ATTEMPTS } from './documents.ts';

export type Attempt = {
  attemptId: string;
  at: string;
  status: number | null;
  durationMs: number;
  error: string | null;
  delivery: {
    deliveryId: string;
    endpointId: string;
    eventId: string;
    eventType: string;
    deliveryState: string;
    attemptCount: number;
    nextAttemptAt: string | null;
    endpoint: { url: string; description: string | null } | null;
  } | null;
};

/** Gateways store attempts concurrently: for this long, an attempt can become visible after one with a later time. */
const OVERLAP_MS = 5000;

async function attemptsSince(api: Api, since: Date | null, number: number): Promise<Attempt[]> {
  const edges = await readEdges(number, async (page) => {
    const variables = { ...page, since: since?.toISOString() ?? null };
    return (await api.run<{ webhookAttempts: Connection<{ node: Attempt }> }>(ATTEMPTS, variables))
      .webhookAttempts;
  });
  return edges.map(({ node }) => node);
}

/** Reads attempts in the order in which they are stored, each once, across outages. */
export class AttemptReader {
  /** Null: no attempt is known yet, and all are new. */
  #since: Date | null;
  #isStarted: boolean;
  readonly #known = new Set<string>();

  /** @param since attempts stored at or after it; without it, those stored after the first call of `next`. */
  constructor(since: Date | undefined) {
    this.#since = since ?? null;
    this.#isStarted = since !== undefined;
  }

  /** The attempts that were stored since the last call, the oldest first. */
  async next(api: Api): Promise<Attempt[]> {
    if (!this.#isStarted) {
      // The time of the gateway: the clock of this machine may differ.
      const [newest] = await attemptsSince(api, null, 1);
      this.#since = newest ? timeOfId(newest.attemptId) : null;
      await this.#read(api);
      this.#isStarted = true;
      return [];
    }
    return this.#read(api);
  }

  async #read(api: Api): Promise<Attempt[]> {
    const read = await attemptsSince(api, this.#since, Number.POSITIVE_INFINITY);
    const attempts = read.filter(({ attemptId }) => !this.#known.has(attemptId)).reverse();
    const last = read[0];
    if (last) {
      const overlap = new Date(timeOfId(last.attemptId).getTime() - OVERLAP_MS);
      if (this.#since === null || overlap > this.#since) this.#since = overlap;
      this.#known.clear();
      for (const { attemptId } of read) this.#known.add(attemptId);
    }
    return attempts;
  }
}
