import {
  type DisabledReason,
  FAILING_MS,
  isSuccess,
  nextState,
  type Outcome,
  type PreviousSecret,
  type RateLimits,
  type Signing,
  signedHeaders,
  stillSigning,
} from '@vouchgraph/events/webhooks';
import type { Clock } from '@vouchgraph/platform/clock';
import { LRUCache } from 'lru-cache';
import type { Project } from '../projects/project.ts';
import type { Claimed, LoadedBody } from './body-service.ts';
import type { ClaimedRow } from './delivery-queue-store.ts';
import type { Result } from './result-service.ts';
import type { Sender } from './sender-service.ts';

export type Attempts = {
  /** Attempts a claimed delivery. Returns the result to store. */
  attempt(claimed: Claimed, body: LoadedBody): Promise<Result>;
  /** A claimed delivery is not attempted, and is due again at a time. */
  release(claimed: Claimed, at: Date): Result;
};

type AttemptDependencies = {
  sender: Sender;
  clock: Clock;
  limits: RateLimits;
  allowsLoopback: (project: Project) => Promise<boolean>;
  /** Aborts attempts. */
  signal: AbortSignal;
};

const MAX_REMEMBERED = 1000;

type OpenSecret = { readonly blob: Buffer; readonly value: unknown };

export function createAttempts(deps: AttemptDependencies): Attempts {
  const { sender, clock, limits, allowsLoopback, signal } = deps;
  const secrets = new LRUCache<string, OpenSecret>({ max: MAX_REMEMBERED });

  const release = (claimed: Claimed, at: Date): Result => ({
    ...unattempted(claimed, clock.now()),
    state: 'waiting',
    isEnded: false,
    nextAttemptAt: at,
  });

  async function attempt(claimed: Claimed, loaded: LoadedBody): Promise<Result> {
    const { project, row } = claimed;
    const now = clock.now();
    if (loaded === 'gone') return { ...unattempted(claimed, now), state: 'dropped' };
    if (loaded === 'broken') return { ...unattempted(claimed, now), state: 'dead' };
    const allowedAt = limits.take(row.endpoint_id, row.rate_per_minute, now);
    if (allowedAt !== null) return release(claimed, allowedAt);
    const message = { id: row.event_id, type: row.event_type, body: loaded.body };
    const outcome = await sender.send({
      url: row.url,
      headers: signedHeaders(message, liveSecrets(project, row, now), signingOf(row), now),
      body: loaded.body,
      allowsLoopback: await allowsLoopback(project),
      signal,
    });
    // The process ends: another one attempts it, as if nothing had been sent.
    return outcome.error === 'interrupted'
      ? release(claimed, clock.now())
      : resultOf(claimed, outcome, now, clock.now());
  }

  function liveSecrets(project: Project, row: ClaimedRow, now: Date): string[] {
    const { secret, previous_secret: previous, previous_secret_until: until } = row;
    const present = decrypt<string>(project, row.endpoint_id, 'present', secret);
    if (!previous || !until || until <= now) return [present];
    const replaced = decrypt<readonly PreviousSecret[]>(project, row.endpoint_id, 'previous', previous);
    return [present, ...stillSigning(replaced, now).map((one) => one.secret)];
  }

  /** Decrypted once, until it is rotated. */
  function decrypt<Value>({ cipher }: Project, endpointId: string, which: string, blob: Buffer): Value {
    const key = `${endpointId} ${which}`;
    const known = secrets.get(key);
    if (known?.blob.equals(blob)) return known.value as Value;
    const value = cipher.decryptJson<Value>('webhook_endpoints', endpointId, blob);
    secrets.set(key, { blob, value });
    return value;
  }

  return { attempt, release };
}

function signingOf({ signature_format: signatureFormat, signature_key: signatureKey }: ClaimedRow): Signing {
  return { signatureFormat, signatureKey };
}

function unattempted(claimed: Claimed, now: Date): Omit<Result, 'state'> {
  const { attempts } = claimed.row;
  return { claimed, isEnded: true, attempts, nextAttemptAt: null, now, attempt: null, disables: null };
}

function resultOf(claimed: Claimed, outcome: Outcome, at: Date, now: Date): Result {
  const { row } = claimed;
  const attempts = row.attempts + 1;
  const verdict = nextState(outcome, attempts, now, Math.random());
  return {
    ...unattempted(claimed, now),
    state: verdict.state,
    attempts,
    nextAttemptAt: verdict.state === 'waiting' ? verdict.nextAttemptAt : null,
    attempt: { at, outcome },
    disables: disabledBy(verdict.state === 'dead' && verdict.isGone, row, outcome, now),
  };
}

/** An endpoint is disabled by a 410, or by five days in which every attempt failed. */
function disabledBy(isGone: boolean, row: ClaimedRow, outcome: Outcome, now: Date): DisabledReason | null {
  if (isGone) return 'gone';
  if (isSuccess(outcome) || row.failing_since === null) return null;
  return now.getTime() - row.failing_since.getTime() >= FAILING_MS ? 'failing' : null;
}
