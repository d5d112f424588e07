import { isLoopbackHost, urlProblem } from '@vouchgraph/events/webhooks';
import { type BodyInit, fetch } from 'undici';
import {
  loopbackAgent,
  publicAgent,
  RefusedAddress,
  type Resolve,
} from '../outbound/guarded-agent-adapter.ts';

type RequestOptions = { method?: string; headers?: Record<string, string>; body?: BodyInit | null };

export type ProviderFetch = {
  /** One request, with an answer of at most a megabyte within 10 seconds. */
  (url: string, options: RequestOptions): Promise<Response>;
  close(): Promise<void>;
};

class CompressedAnswer extends Error {}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Requests to providers. A document of a provider names further URLs, so each of them is checked as if others had chosen it: https and
 * a public address, or loopback where `allowsLoopback`. Redirects are not followed.
 */
export function createProviderFetch({
  resolve,
  allowsLoopback,
}: {
  resolve: Resolve;
  allowsLoopback: boolean;
}): ProviderFetch {
  const limits = {
    connectMs: TIMEOUT_MS,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    maxResponseSize: MAX_BYTES,
  };
  const toInternet = publicAgent(resolve, limits);
  const toLoopback = loopbackAgent(limits);
  const request = async (url: string, options: RequestOptions): Promise<Response> => {
    if (urlProblem(url, { allowsLoopback }) !== null) throw new RefusedAddress();
    const dispatcher = isLoopbackHost(new URL(url).hostname) ? toLoopback : toInternet;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // The limit counts bytes as they arrive: compressed ones could become far more.
    const headers = { ...options.headers, 'accept-encoding': 'identity' };
    const answered = await fetch(url, { ...options, headers, dispatcher, redirect: 'manual', signal });
    if (answered.headers.has('content-encoding')) {
      await answered.body?.cancel();
      throw new CompressedAnswer();
    }
    return answered as unknown as Response;
  };
  return Object.assign(request, {
    close: async () => {
      await Promise.all([toInternet.destroy(), toLoopback.destroy()]);
    },
  });
}
