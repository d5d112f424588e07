import { type Clock, systemClock } from '@vouchgraph/platform/clock';
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  IterableBackoff,
} from 'cockatiel';
import type { ParsedEmail } from '../../email-address.ts';
import {
  type EmailProvider,
  type Findings,
  NOTHING_FOUND,
  type ProviderAnswer,
  type ProviderKind,
  type ProviderStatus,
  type UnknownReason,
  unknownAnswer,
} from '../provider.ts';
import { digestOf } from '../spelled-hashes.ts';
import { type AnswerCache, createAnswerCache } from './answer-cache.ts';
import { type BoundedAnswer, type BoundedGet, createBoundedGet, LookUpError } from './bounded-get-adapter.ts';
import type { OnlineLimits } from './online-limits.ts';
import { pauseAfter } from './retry-after.ts';
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts';
import { createSlots, type Slots } from './slots.ts';

/** Address of a service, and the gateway's credentials for it. */
export type ProtocolOptions = { url: string; key: string; agent: string };

/** What one provider's protocol is. */
export type OnlineProtocol = {
  readonly name: string;
  readonly looksInto: readonly ProviderKind[];
  /** The request for a trimmed address in lower case. */
  request(address: string): { url: string; headers: Readonly<Record<string, string>> };
  /** Parses the JSON of a 200; null if it has another form than the protocol. */
  read(body: unknown): Findings | null;
};

export type OnlineOptions = {
  readonly limits: OnlineLimits;
  readonly clock?: Clock;
  /** Receives each problem that an operator can correct, once until the next answer. */
  readonly onProblem?: (provider: string, reason: UnknownReason) => void;
};

/** Statuses that are the provider's or the network's fault open the breaker. */
const FAULTS: ReadonlySet<UnknownReason> = new Set([
  'timeout',
  'unreachable',
  'server_error',
  'malformed',
  'too_large',
  'redirected',
]);

const isFault = (error: unknown) => error instanceof LookUpError && FAULTS.has(error.reason);

type Provider = {
  readonly protocol: OnlineProtocol;
  readonly limits: OnlineLimits;
  readonly clock: Clock;
  readonly onProblem: (provider: string, reason: UnknownReason) => void;
  readonly http: BoundedGet;
  readonly cache: AnswerCache;
  /** Running requests, by digest of the address. */
  readonly running: Map<string, Promise<ProviderAnswer>>;
  readonly slots: Slots;
  readonly rate: SlidingWindow;
  readonly breaker: CircuitBreakerPolicy;
  pause: { untilMs: number; reason: UnknownReason } | null;
  reported: UnknownReason | null;
  isClosed: boolean;
};

/**
 * A provider over HTTP: time and size limits, a cache in memory by digests of addresses, one request for concurrent
 * look-ups of the same address, a rate limit, pauses that the provider requests, and a circuit breaker.
 */
export function createOnlineProvider(protocol: OnlineProtocol, options: OnlineOptions): EmailProvider {
  const provider = openProvider(protocol, options);
  provider.breaker.onBreak((failure) => {
    const { error } = failure as { error?: unknown };
    report(provider, error instanceof LookUpError ? error.reason : 'unreachable');
  });
  return {
    name: protocol.name,
    looksInto: protocol.looksInto,
    isOnline: true,
    lookUp: (email, { signal }) => lookUp(provider, email, signal),
    status: () => statusOf(provider),
    async close() {
      provider.isClosed = true;
      provider.cache.clear();
      provider.slots.close();
      await provider.http.close();
    },
  };
}

function openProvider(protocol: OnlineProtocol, options: OnlineOptions): Provider {
  const { limits, clock = systemClock, onProblem = () => {} } = options;
  return {
    ...{ protocol, limits, clock, onProblem },
    http: createBoundedGet(limits),
    cache: createAnswerCache(limits, clock),
    running: new Map(),
    slots: createSlots(limits.atOnce, limits.waitMs),
    rate: createSlidingWindow(limits.requests, limits.windowMs, clock),
    breaker: circuitBreaker(handleWhen(isFault), {
      breaker: new ConsecutiveBreaker(limits.failures),
      halfOpenAfter: new IterableBackoff(limits.openMs),
    }),
    pause: null,
    reported: null,
    isClosed: false,
  };
}

async function lookUp(provider: Provider, email: ParsedEmail, signal: AbortSignal): Promise<ProviderAnswer> {
  if (!email.valid) return unknownAnswer('invalid_address');
  const address = email.address.toLowerCase();
  const key = digestOf('sha256', address).toString('base64');
  // The request continues for other callers when this one cancels, and its answer is cached.
  return provider.cache.get(key) ?? untilAborted(requestOnce(provider, key, address), signal);
}

async function requestOnce(provider: Provider, key: string, address: string): Promise<ProviderAnswer> {
  const { running: inFlight, cache } = provider;
  const known = inFlight.get(key);
  if (known) return known;
  const begun = ask(provider, address).finally(() => inFlight.delete(key));
  inFlight.set(key, begun);
  const answer = await begun;
  cache.set(key, answer);
  return answer;
}

async function ask(provider: Provider, address: string): Promise<ProviderAnswer> {
  const { slots } = provider;
  const early = rejectionReason(provider);
  if (early !== null) return unknownAnswer(early);
  // Waiting for a connection must not count as slowness of the provider.
  if (!(await slots.take())) return unknownAnswer(provider.isClosed ? 'closed' : 'rate_limited');
  try {
    return await sendRequest(provider, address);
  } finally {
    slots.release();
  }
}

async function sendRequest(provider: Provider, address: string): Promise<ProviderAnswer> {
  const { protocol, http, rate, breaker } = provider;
  const reason = rejectionReason(provider);
  if (reason !== null) return unknownAnswer(reason);
  try {
    const answer = await breaker.execute(async () => {
      rate.take();
      const { url, headers } = protocol.request(address);
      return interpret(provider, await http.get(url, headers));
    });
    if (answer.isKnown) provider.reported = null;
    return answer;
  } catch (error) {
    if (error instanceof BrokenCircuitError) return unknownAnswer('circuit_open');
    return unknownAnswer(error instanceof LookUpError ? error.reason : 'unreachable');
  }
}

/** The answer of a status; throws for a failure. */
function interpret(provider: Provider, answer: BoundedAnswer): ProviderAnswer {
  const { protocol, limits, clock } = provider;
  const { status } = answer;
  if (status === 200) return readAnswer(protocol, answer.body);
  if (status === 404) return NOTHING_FOUND;
  if (status === 400 || status === 422) return unknownAnswer('rejected');
  if (status === 401 || status === 403) {
    pauseFor(provider, limits.refusedMs, 'refused');
    return unknownAnswer('refused');
  }
  if (status === 429) {
    pauseFor(provider, pauseAfter(answer.header, clock.now()), 'rate_limited');
    return unknownAnswer('rate_limited');
  }
  throw new LookUpError(status >= 300 && status < 400 ? 'redirected' : 'server_error');
}

/** Reason why no request is allowed now; null when one is. */
function rejectionReason(provider: Provider): UnknownReason | null {
  if (provider.isClosed) return 'closed';
  const paused = pausedFor(provider);
  if (paused !== null) return paused;
  // One request tests whether the provider is available again; others do not wait for it.
  if (provider.breaker.state === CircuitState.HalfOpen) return 'circuit_open';
  return provider.rate.hasRoom() ? null : 'rate_limited';
}

function pausedFor({ pause, clock }: Provider): UnknownReason | null {
  return pause !== null && clock.now().getTime() < pause.untilMs ? pause.reason : null;
}

function pauseFor(provider: Provider, ms: number, reason: UnknownReason): void {
  provider.pause = { untilMs: provider.clock.now().getTime() + ms, reason };
  report(provider, reason);
}

function report(provider: Provider, reason: UnknownReason): void {
  if (provider.reported !== reason) provider.onProblem(provider.protocol.name, reason);
  provider.reported = reason;
}

function statusOf(provider: Provider): ProviderStatus {
  const { protocol, isClosed, reported } = provider;
  const paused = pausedFor(provider);
  const state = breakerState(provider.breaker.state);
  return {
    name: protocol.name,
    looksInto: protocol.looksInto,
    isOnline: true,
    isAvailable: !isClosed && paused === null && state === 'closed',
    breaker: state,
    problem: paused ?? (state === 'closed' ? null : (reported ?? 'circuit_open')),
    asOf: null,
    entries: null,
  };
}

function breakerState(state: CircuitState): 'closed' | 'open' | 'half_open' {
  if (state === CircuitState.Closed) return 'closed';
  return state === CircuitState.HalfOpen ? 'half_open' : 'open';
}

function readAnswer(protocol: OnlineProtocol, body: string): ProviderAnswer {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new LookUpError('malformed');
  }
  const findings = protocol.read(value);
  if (findings === null) throw new LookUpError('malformed');
  return { isKnown: true, ...findings };
}

/** The answer, or `aborted` when the caller cancels. */
function untilAborted(answer: Promise<ProviderAnswer>, signal: AbortSignal): Promise<ProviderAnswer> {
  if (signal.aborted) return Promise.resolve(unknownAnswer('aborted'));
  const { promise, resolve, reject } = Promise.withResolvers<ProviderAnswer>();
  const abort = () => resolve(unknownAnswer('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  answer.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener('abort', abort));
}
