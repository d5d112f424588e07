import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  IterableBackoff,
} from 'cockatiel';
import { LRUCache } from 'lru-cache';
import { type Clock, systemClock } from '../../../../platform/clock.ts';
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
import { type BoundedAnswer, createBoundedGet, LookUpError } from './bounded-get.ts';
import { pauseAfter } from './retry-after.ts';
import { createSlidingWindow } from './sliding-window.ts';
import { createSlots } from './slots.ts';

const HOUR_MS = 60 * 60_000;

/** Limits of a provider; tests set shorter ones. */
export type OnlineLimits = {
  /** Time limit of a request, from connecting to the last byte. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** Requests at the same time, and how long others wait for their turn. */
  readonly atOnce: number;
  readonly waitMs: number;
  /** Requests within any stretch of `windowMs`. */
  readonly requests: number;
  readonly windowMs: number;
  /** Failures in a row that open the circuit breaker. */
  readonly failures: number;
  /** How long it stays open: the first time, the second in a row, and so on; the last value repeats. */
  readonly openMs: readonly number[];
  /** How long a provider that refused the key is not asked. */
  readonly refusedMs: number;
  /** How long an answer with findings is used, and one without. */
  readonly foundMs: number;
  readonly notFoundMs: number;
  /** Answers that are remembered, and findings in them. */
  readonly cachedAnswers: number;
  readonly cachedFindings: number;
};

export const DEFAULT_LIMITS: Omit<OnlineLimits, 'requests' | 'windowMs'> = {
  timeoutMs: 2500,
  maxBytes: 2 * 1024 * 1024,
  atOnce: 8,
  waitMs: 2500,
  failures: 5,
  openMs: [30_000, 60_000, 120_000, 300_000],
  refusedMs: 5 * 60_000,
  foundMs: 24 * HOUR_MS,
  notFoundMs: 12 * HOUR_MS,
  cachedAnswers: 10_000,
  cachedFindings: 200_000,
};

/** Where a service is, and how the gateway identifies itself to it. */
export type ProtocolOptions = { url: string; key: string; agent: string };

/** What one provider's protocol is. */
export type OnlineProtocol = {
  readonly name: string;
  readonly looksInto: readonly ProviderKind[];
  /** The request for a trimmed address in lower case. */
  request(address: string): { url: string; headers: Readonly<Record<string, string>> };
  /** What the JSON of a 200 says; null when it is not as the protocol wants it. */
  read(body: unknown): Findings | null;
};

export type OnlineOptions = {
  readonly limits: OnlineLimits;
  readonly clock?: Clock;
  /** Receives each problem that an operator can act on, once until an answer comes again. */
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

/**
 * A provider over HTTP: time and size limits, a cache in memory by digests of addresses, one request for callers who ask
 * for the same address at once, a rate limit, pauses as the provider asks for them, and a circuit breaker.
 */
export function createOnlineProvider(protocol: OnlineProtocol, options: OnlineOptions): EmailProvider {
  const { limits, clock = systemClock, onProblem = () => {} } = options;
  const { name, looksInto } = protocol;
  const http = createBoundedGet(limits);
  const cache = createAnswerCache(limits, clock);
  const underWay = new Map<string, Promise<ProviderAnswer>>();
  const slots = createSlots(limits.atOnce, limits.waitMs);
  const rate = createSlidingWindow(limits.requests, limits.windowMs, clock);
  const breaker = circuitBreaker(handleWhen(isFault), {
    breaker: new ConsecutiveBreaker(limits.failures),
    halfOpenAfter: new IterableBackoff(limits.openMs),
  });
  let pause: { untilMs: number; reason: UnknownReason } | null = null;
  let reported: UnknownReason | null = null;
  let isClosed = false;

  function report(reason: UnknownReason): void {
    if (reported !== reason) onProblem(name, reason);
    reported = reason;
  }

  breaker.onBreak((failure) => {
    const { error } = failure as { error?: unknown };
    report(error instanceof LookUpError ? error.reason : 'unreachable');
  });

  function pausedFor(): UnknownReason | null {
    return pause !== null && clock.now().getTime() < pause.untilMs ? pause.reason : null;
  }

  function pauseFor(ms: number, reason: UnknownReason): void {
    pause = { untilMs: clock.now().getTime() + ms, reason };
    report(reason);
  }

  /** Why no request is made now; null when one may be. */
  function obstacle(): UnknownReason | null {
    if (isClosed) return 'closed';
    const paused = pausedFor();
    if (paused !== null) return paused;
    // One request finds out whether the provider is back; others do not wait for it.
    if (breaker.state === CircuitState.HalfOpen) return 'circuit_open';
    return rate.hasRoom() ? null : 'rate_limited';
  }

  async function ask(address: string): Promise<ProviderAnswer> {
    const early = obstacle();
    if (early !== null) return unknownAnswer(early);
    // Waiting for a connection must not count as slowness of the provider.
    if (!(await slots.take())) return unknownAnswer(isClosed ? 'closed' : 'rate_limited');
    try {
      return await askNow(address);
    } finally {
      slots.release();
    }
  }

  async function askNow(address: string): Promise<ProviderAnswer> {
    const reason = obstacle();
    if (reason !== null) return unknownAnswer(reason);
    try {
      const answer = await breaker.execute(async () => {
        rate.take();
        const { url, headers } = protocol.request(address);
        return interpret(await http.get(url, headers));
      });
      if (answer.isKnown) reported = null;
      return answer;
    } catch (error) {
      if (error instanceof BrokenCircuitError) return unknownAnswer('circuit_open');
      return unknownAnswer(error instanceof LookUpError ? error.reason : 'unreachable');
    }
  }

  /** The answer behind a status; throws what is a fault. */
  function interpret(answer: BoundedAnswer): ProviderAnswer {
    const { status } = answer;
    if (status === 200) return readAnswer(protocol, answer.body);
    if (status === 404) return NOTHING_FOUND;
    if (status === 400 || status === 422) return unknownAnswer('rejected');
    if (status === 401 || status === 403) {
      pauseFor(limits.refusedMs, 'refused');
      return unknownAnswer('refused');
    }
    if (status === 429) {
      pauseFor(pauseAfter(answer.header, clock.now()), 'rate_limited');
      return unknownAnswer('rate_limited');
    }
    throw new LookUpError(status >= 300 && status < 400 ? 'redirected' : 'server_error');
  }

  async function askOnce(key: string, address: string): Promise<ProviderAnswer> {
    const known = underWay.get(key);
    if (known) return known;
    const begun = ask(address).finally(() => underWay.delete(key));
    underWay.set(key, begun);
    const answer = await begun;
    cache.set(key, answer);
    return answer;
  }

  return {
    name,
    looksInto,
    isOnline: true,
    async lookUp(email: ParsedEmail, { signal }) {
      if (!email.valid) return unknownAnswer('invalid_address');
      const address = email.address.toLowerCase();
      const key = digestOf('sha256', address).toString('base64');
      // The request goes on for others when this caller leaves, and its answer is remembered.
      return cache.get(key) ?? untilAborted(askOnce(key, address), signal);
    },
    status: (): ProviderStatus => {
      const paused = pausedFor();
      const state = breakerState(breaker.state);
      return {
        name,
        looksInto,
        isOnline: true,
        isAvailable: !isClosed && paused === null && state === 'closed',
        breaker: state,
        problem: paused ?? (state === 'closed' ? null : (reported ?? 'circuit_open')),
        asOf: null,
        entries: null,
      };
    },
    async close() {
      isClosed = true;
      cache.clear();
      slots.close();
      await http.close();
    },
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

type Remembered = { answer: ProviderAnswer; untilMs: number };

function createAnswerCache(limits: OnlineLimits, clock: Clock) {
  const answers = new LRUCache<string, Remembered>({
    max: limits.cachedAnswers,
    maxSize: limits.cachedAnswers + limits.cachedFindings,
    sizeCalculation: ({ answer }) => 1 + findingsIn(answer),
  });
  return {
    get(key: string): ProviderAnswer | undefined {
      const known = answers.get(key);
      if (!known) return undefined;
      if (clock.now().getTime() < known.untilMs) return known.answer;
      answers.delete(key);
      return undefined;
    },
    set(key: string, answer: ProviderAnswer): void {
      // An address that the provider does not take stays one; every other unknown may be known soon.
      if (!answer.isKnown && answer.reason !== 'rejected') return;
      const lifeMs = findingsIn(answer) > 0 ? limits.foundMs : limits.notFoundMs;
      answers.set(key, { answer, untilMs: clock.now().getTime() + lifeMs });
    },
    clear: () => answers.clear(),
  };
}

function findingsIn(answer: ProviderAnswer): number {
  return answer.isKnown ? answer.breaches.length + answer.profiles.length : 0;
}

/** The answer, or `aborted` as soon as the caller leaves. */
function untilAborted(answer: Promise<ProviderAnswer>, signal: AbortSignal): Promise<ProviderAnswer> {
  if (signal.aborted) return Promise.resolve(unknownAnswer('aborted'));
  const { promise, resolve, reject } = Promise.withResolvers<ProviderAnswer>();
  const abort = () => resolve(unknownAnswer('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  answer.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener('abort', abort));
}
