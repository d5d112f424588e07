import type { ErrorCode, Settings } from './options.ts';

/** Result of a request: the body of a successful answer, or the reason of a failure. */
export type Answer =
  | { ok: true; body: Readonly<Record<string, unknown>> }
  | { ok: false; error: ErrorCode; isFinal: boolean };

export type Request = {
  method: 'POST' | 'PATCH';
  path: string;
  token?: string;
  body?: object;
  /** Lets the request outlive the page. */
  keepalive?: boolean;
};

/** Speaks to the service, and to no other host. It never throws. */
export type Transport = {
  ask(request: Request): Promise<Answer>;
  /** The shortest round trip of a few small requests over the connection that is open, in milliseconds. */
  roundTripMs(): Promise<number | undefined>;
};

const MAX_WAIT_MS = 10_000;
const PINGS = 3;

export function createTransport({ baseUrl }: Pick<Settings, 'baseUrl'>): Transport {
  return {
    async ask({ method, path, token, body, keepalive }) {
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(), MAX_WAIT_MS);
      try {
        const response = await fetch(baseUrl + path, {
          method,
          // The signed id is a cookie of the service's host.
          credentials: 'include',
          cache: 'no-store',
          referrerPolicy: 'no-referrer',
          keepalive,
          headers: {
            ...(body ? { 'content-type': 'application/json' } : {}),
            ...(token ? { authorization: `Bearer ${token}` } : {}),
          },
          body: body && JSON.stringify(body),
          signal: abort.signal,
        });
        return await answerOf(response);
      } catch {
        return { ok: false, error: abort.signal.aborted ? 'timeout' : 'network_error', isFinal: false };
      } finally {
        clearTimeout(timer);
      }
    },
    async roundTripMs() {
      // An isolated page may not read other origins at all, and would say so in the console.
      if (globalThis.crossOriginIsolated) return undefined;
      let shortest: number | undefined;
      for (let count = 0; count < PINGS; count += 1) {
        const duration = await pingMs(`${baseUrl}/livez`);
        if (duration === undefined) return shortest;
        shortest = Math.min(shortest ?? duration, duration);
      }
      return shortest;
    },
  };
}

async function answerOf(response: Response): Promise<Answer> {
  const { status } = response;
  if (response.ok) {
    const body: unknown = await response.json();
    if (typeof body === 'object' && body !== null) return { ok: true, body: body as Record<string, unknown> };
  }
  return { ok: false, error: errorOf(status), isFinal: isFinalStatus(status) };
}

/** The status of a request that was understood and will not be taken, however often it is sent. */
export function isFinalStatus(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

function errorOf(status: number): ErrorCode {
  return isFinalStatus(status) || status === 429 ? 'refused' : 'server_error';
}

/** An answer need not be readable to be timed. */
async function pingMs(url: string): Promise<number | undefined> {
  const start = performance.now();
  try {
    await fetch(url, { mode: 'no-cors', credentials: 'include', cache: 'no-store' });
    return Math.round((performance.now() - start) * 10) / 10;
  } catch {
    return undefined;
  }
}
