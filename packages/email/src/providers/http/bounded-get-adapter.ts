import { Agent, type Dispatcher, request } from 'undici';
import type { UnknownReason } from '../provider.ts';

/** A look-up without an answer. */
export class LookUpError extends Error {
  readonly reason: UnknownReason;

  constructor(reason: UnknownReason) {
    super(reason);
    this.reason = reason;
  }
}

export type BoundedAnswer = {
  readonly status: number;
  header(name: string): string | null;
  /** The body of a 200; '' for every other status, whose body is discarded. */
  readonly body: string;
};

export type BoundedGet = {
  /** One GET within the time limit. Throws a LookUpError. Redirects are not followed. */
  get(url: string, headers: Readonly<Record<string, string>>): Promise<BoundedAnswer>;
  /** Aborts running requests. */
  close(): Promise<void>;
};

export type BoundedGetLimits = {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Connections. */
  readonly atOnce: number;
};

const MAX_DROPPED_BYTES = 16 * 1024;

/** Requests to one provider: bounded in time, in bytes and in connections. */
export function createBoundedGet({ timeoutMs, maxBytes, atOnce }: BoundedGetLimits): BoundedGet {
  const agent = new Agent({
    connections: atOnce,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: timeoutMs },
  });
  const closing = new AbortController();
  return {
    async get(url, headers) {
      const limit = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([closing.signal, limit]);
      try {
        const answer = await request(url, { dispatcher: agent, method: 'GET', headers, signal });
        const body =
          answer.statusCode === 200 ? await readBounded(answer, maxBytes) : dropBody(answer, signal);
        return { status: answer.statusCode, header: (name) => headerOf(answer, name), body };
      } catch (error) {
        if (error instanceof LookUpError) throw error;
        if (closing.signal.aborted) throw new LookUpError('closed');
        throw new LookUpError(limit.aborted ? 'timeout' : 'unreachable');
      }
    },
    async close() {
      closing.abort();
      await agent.destroy();
    },
  };
}

async function readBounded({ body }: Dispatcher.ResponseData, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new LookUpError('too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads a short body in the background, so that the connection can be used again; a long one ends it. */
function dropBody({ body }: Dispatcher.ResponseData, signal: AbortSignal): '' {
  body.dump({ limit: MAX_DROPPED_BYTES, signal }).catch(() => {});
  return '';
}

function headerOf({ headers }: Dispatcher.ResponseData, name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
