import type { ServerResponse } from 'node:http';
import { HttpError } from '@vouchgraph/platform/http';
import { LRUCache } from 'lru-cache';

const WINDOW_SECONDS = 60;
/** Maximum number of counters of one limit. A client that sends from more addresses evicts the oldest counters. */
const MAX_COUNTERS = 100_000;

export type RateLimit = {
  /** Counts one request, or an amount; throws 429 above the limit. Sets the RateLimit headers of the response. */
  take(key: string, response?: ServerResponse, amount?: number): Promise<void>;
  /** Throws 429 when the limit is used up; counts nothing. */
  check(key: string): void;
  /** Counts without rejecting. A negative amount reverts a count. */
  count(key: string, amount?: number): void;
};

const NO_LIMIT: RateLimit = { take: async () => {}, check() {}, count() {} };

const secondsText = (seconds: number) => (seconds === 1 ? '1 second' : `${seconds} seconds`);

type Counter = { count: number; endsAt: number };

/** Counts requests of each key in windows of a minute, in this process; 0 per minute is no limit. */
export function createRateLimit(perMinute: number, maxCounters = MAX_COUNTERS): RateLimit {
  if (perMinute === 0) return NO_LIMIT;
  // Counted by size: with `max` each limit would reserve 2.4 MB, and a gateway has a dozen of them.
  const counters = new LRUCache<string, Counter>({ maxSize: maxCounters, sizeCalculation: () => 1 });
  const policy = `"default";q=${perMinute};w=${WINDOW_SECONDS}`;

  function counterOf(key: string): Counter {
    const now = performance.now();
    const known = counters.get(key);
    if (known && known.endsAt > now) return known;
    const counter = { count: 0, endsAt: now + WINDOW_SECONDS * 1000 };
    counters.set(key, counter);
    return counter;
  }

  function secondsLeft({ endsAt }: Counter): number {
    return Math.max(1, Math.ceil((endsAt - performance.now()) / 1000));
  }

  function tooMany(counter: Counter): HttpError {
    const seconds = secondsLeft(counter);
    const message = `Too Many Requests: the limit is ${perMinute} per minute, retry after ${secondsText(seconds)}`;
    return new HttpError(429, message, { 'retry-after': String(seconds) });
  }

  return {
    async take(key, response, amount = 1) {
      const counter = counterOf(key);
      counter.count += amount;
      const remaining = Math.max(0, perMinute - counter.count);
      response?.setHeader('ratelimit-policy', policy);
      response?.setHeader('ratelimit', `"default";r=${remaining};t=${secondsLeft(counter)}`);
      if (counter.count > perMinute) throw tooMany(counter);
    },
    check(key) {
      const counter = counters.get(key);
      if (counter && counter.endsAt > performance.now() && counter.count >= perMinute) throw tooMany(counter);
    },
    count(key, amount = 1) {
      counterOf(key).count += amount;
    },
  };
}
