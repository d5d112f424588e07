import type { IncomingHttpHeaders } from 'node:http';
import { performance } from 'node:perf_hooks';
import { type AttemptError, isLoopbackHost, type Outcome, urlProblem } from '@vouchgraph/events/webhooks';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import {
  loopbackAgent,
  publicAgent,
  RefusedAddress,
  type Resolve,
  UnknownName,
} from '../outbound/guarded-agent-adapter.ts';

/* Sends a delivery. Redirects are not followed. */

export type Sender = {
  send(target: SendTarget): Promise<Outcome>;
  close(): Promise<void>;
};

export type SendTarget = {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  allowsLoopback: boolean;
  signal?: AbortSignal;
};

const TIMEOUT_MS = 15_000;
const MAX_READ = 64 * 1024;
const MAX_KEPT = 1024;
/** Parsed URLs. */
const MAX_TARGETS = 1000;

/** We ended the request: it was too slow, or its answer too long. */
class Ended extends Error {}

export function createSender({
  resolve,
  timeoutMs = TIMEOUT_MS,
}: {
  resolve: Resolve;
  timeoutMs?: number;
}): Sender {
  // One timer limits a request as a whole.
  const limits = { connectMs: TIMEOUT_MS, headersTimeout: 0, bodyTimeout: 0 };
  const toInternet = publicAgent(resolve, limits);
  const toLoopback = loopbackAgent(limits);
  const targets = new LRUCache<string, ParsedTarget>({ max: MAX_TARGETS });

  async function send({ url, headers, body, allowsLoopback, signal }: SendTarget): Promise<Outcome> {
    const begun = performance.now();
    const key = `${allowsLoopback} ${url}`;
    let target = targets.get(key);
    if (!target) {
      target = parseTarget(url, allowsLoopback);
      targets.set(key, target);
    }
    const end = (outcome: Omit<Outcome, 'durationMs'>): Outcome => ({
      ...outcome,
      durationMs: Math.round(performance.now() - begun),
    });
    if (target === 'refused') return end({ ...NO_ANSWER, error: 'address_refused' });
    const { isLoopback, origin, path } = target;
    const exchange = new Exchange(timeoutMs, signal);
    try {
      (isLoopback ? toLoopback : toInternet).dispatch(
        { origin, path, method: 'POST', headers, body },
        exchange,
      );
    } catch (error) {
      exchange.end(reasonOf(error));
    }
    return end(await exchange.outcome);
  }

  return {
    send,
    async close() {
      await Promise.all([toInternet.destroy(), toLoopback.destroy()]);
    },
  };
}

type ParsedTarget = { origin: string; path: string; isLoopback: boolean } | 'refused';

function parseTarget(url: string, allowsLoopback: boolean): ParsedTarget {
  if (urlProblem(url, { allowsLoopback }) !== null) return 'refused';
  const { origin, pathname, search, hostname } = new URL(url);
  return { origin, path: `${pathname}${search}`, isLoopback: isLoopbackHost(hostname) };
}

const NO_ANSWER = { status: null, error: '', answer: '', retryAfter: null } as const;

/** One request and what came of it. Without streams and abort signals, which cost more than the request. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<Omit<Outcome, 'durationMs'>>;
  readonly #resolve: (outcome: Omit<Outcome, 'durationMs'>) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.end('interrupted');
  #controller: Dispatcher.DispatchController | null = null;
  #hasEnded = false;
  #status: number | null = null;
  #retryAfter: string | null = null;
  #kept: Buffer[] = [];
  #read = 0;

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    const { promise, resolve } = Promise.withResolvers<Omit<Outcome, 'durationMs'>>();
    this.outcome = promise;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.end('timeout'), timeoutMs);
    this.#signal = signal;
    if (signal?.aborted) this.end('interrupted');
    else signal?.addEventListener('abort', this.#onAbort);
  }

  /** Ends the request where it is not complete. */
  end(error: AttemptError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
    const status = this.#status;
    const isRedirect = status !== null && status >= 300 && status < 400;
    const answer = error === '' ? Buffer.concat(this.#kept).toString('utf8') : '';
    this.#resolve({
      status,
      error: error === '' && isRedirect ? 'redirect' : error,
      answer,
      retryAfter: error === '' ? this.#retryAfter : null,
    });
    this.#controller?.abort(new Ended());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It waited for a connection longer than it may take.
    if (this.#hasEnded) controller.abort(new Ended());
    else this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Informational: the answer follows.
    if (status < 200) return;
    this.#status = status;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = typeof retryAfter === 'string' ? retryAfter : null;
  }

  /** The beginning of an answer is kept; a longer one is not waited for. */
  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#read < MAX_KEPT) this.#kept.push(Buffer.from(chunk.subarray(0, MAX_KEPT - this.#read)));
    this.#read += chunk.length;
    if (this.#read > MAX_READ) this.end('');
  }

  onResponseEnd(): void {
    this.#controller = null;
    this.end('');
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#controller = null;
    this.end(reasonOf(error));
  }
}

function reasonOf(error: unknown): AttemptError {
  if (error instanceof RefusedAddress) return 'address_refused';
  if (error instanceof UnknownName) return 'dns';
  const { code = '', name = '', message = '' } = error as { code?: string; name?: string; message?: string };
  if (/^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|ETIMEOUT)/.test(code)) return 'dns';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'timeout';
  if (/CERT|TLS|SSL|EPROTO|SELF_SIGNED|UNABLE_TO/.test(code) || /certificate/i.test(message)) return 'tls';
  return name.startsWith('HTTPParser') || code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW'
    ? 'invalid_answer'
    : 'connection';
}
