import { within } from './attempt.ts';
import { accompanyingParts, openingParts, requestedParts } from './collect/collect.ts';
import { collectParts, runParts } from './collect/parts.ts';
import { type Facts, mergeFacts } from './facts.ts';
import { sha256 } from './hash.ts';
import { createInteraction } from './interaction.ts';
import { keepToken, readKeptToken } from './kept-token.ts';
import { listenToPage } from './listeners.ts';
import type { ErrorCode, Settings } from './options.ts';
import { createOutbox, type Delivery } from './outbox.ts';
import { patchIntervalMs } from './patch-interval.ts';
import { createThrottle, type Timers } from './throttle.ts';
import { tokenStores } from './token-stores.ts';
import { createTransport } from './transport.ts';

/** A session's id, or why there is none. */
export type SessionAnswer =
  | { session_id: string; error?: undefined }
  | { session_id: null; error: ErrorCode };

/** What was collected for a session so far. */
export type Collected = {
  facts: Facts;
  /** How long the collection took before the session was opened. */
  milliseconds: number | null;
};

/** One session of the page, from its opening until it is complete, too old, or replaced by another. */
export type SessionRun = {
  readonly opened: Promise<SessionAnswer>;
  /** True when the session could not be opened, and it may be tried again. */
  canTryAgain(): boolean;
  /** Sends the newest counts. */
  flush(): Promise<void>;
  claimAccount(accountId: string): Promise<void>;
  complete(): Promise<void>;
  stop(): void;
  collected(): Collected;
};

const COLLECTION_DEADLINE_MS = 1500;
const LONGEST_WATCH_MS = 30 * 60_000;
const KEPT_TOKEN_DEADLINE_MS = 500;
const REST_DEADLINE_MS = 500;

declare const SDK_VERSION: string;

/** Watches the page, collects, opens a session and feeds it. */
export function startSessionRun(settings: Settings, timers: Timers): SessionRun {
  const transport = createTransport(settings);
  const stores = tokenStores(settings.projectId);
  const startedMs = timers.now();
  const interaction = createInteraction(startedMs);
  let session: { path: string; token: string } | null = null;
  let isStopped = false;
  let canTryAgain = false;
  let completed: Promise<void> = Promise.resolve();
  let collected: Collected = { facts: {}, milliseconds: null };

  const outbox = createOutbox({ counts: interaction.facts, send });
  const flush = async (isUrgent: boolean) => {
    if (session && !isStopped) await outbox.flush(isUrgent);
  };
  const ageMs = () => timers.now() - startedMs;
  const throttle = createThrottle(
    () => patchIntervalMs(ageMs()),
    timers,
    () => void flush(false),
  );
  const stopListening = listenToPage(interaction, (isUrgent) => {
    if (isUrgent) void flush(true);
    else throttle.request();
  });
  const forgetEnd = timers.after(LONGEST_WATCH_MS, stop);

  function stop(): void {
    isStopped = true;
    stopListening();
    throttle.stop();
    forgetEnd();
  }

  async function send(facts: Facts, isUrgent: boolean): Promise<Delivery> {
    collected = { ...collected, facts: mergeFacts(collected.facts, facts) };
    if (!session) return 'again';
    const { path, token } = session;
    const answer = await transport.ask({ method: 'PATCH', path, token, body: facts, keepalive: isUrgent });
    if (answer.ok) return 'taken';
    // Complete, expired, or the project is gone: there is nothing left to tell it.
    if (answer.isFinal) stop();
    return answer.isFinal ? 'over' : 'again';
  }

  function add(facts: Facts): void {
    outbox.add(facts);
    throttle.request();
  }

  function fail(error: ErrorCode): SessionAnswer {
    canTryAgain = error !== 'refused' && error !== 'environment_mismatch';
    stop();
    return { session_id: null, error };
  }

  async function open(): Promise<SessionAnswer> {
    const kept = within(readKeptToken(stores), KEPT_TOKEN_DEADLINE_MS, null);
    const accompanied = runParts(accompanyingParts(settings), timers, outbox.add);
    const deadlineMs = COLLECTION_DEADLINE_MS;
    outbox.add(await collectParts(openingParts(), { deadlineMs, timers, onLate: add }));
    const facts = outbox.takeAll();
    collected = { facts, milliseconds: Math.round(ageMs()) };
    const answer = await transport.ask({
      method: 'POST',
      path: '/session',
      body: {
        project_id: settings.projectId,
        browser_token: (await kept) ?? undefined,
        source: 'web',
        source_version: `sdk-${SDK_VERSION}`,
        ...facts,
      },
    });
    if (!answer.ok) return fail(answer.error);
    const { session_id, token, environment, browser_token } = answer.body;
    if (typeof session_id !== 'string' || typeof token !== 'string') return fail('server_error');
    if (settings.environment !== null && environment !== settings.environment) {
      return fail('environment_mismatch');
    }
    session = { path: `/session/${session_id}`, token };
    void keepToken(stores, browser_token);
    completed = addRest(accompanied);
    void runParts(requestedParts(settings), timers, add);
    return { session_id };
  }

  /** What the opening did not wait for, in one request soon after it. */
  async function addRest(accompanied: Promise<void>): Promise<void> {
    const measured = transport.roundTripMs().then((app_rtt_ms) => add({ checks: { app_rtt_ms } }));
    await within(Promise.all([accompanied, measured]), REST_DEADLINE_MS, undefined);
    await flush(false);
  }

  return {
    opened: open().catch(() => fail('network_error')),
    canTryAgain: () => canTryAgain,
    async flush() {
      await completed;
      await flush(false);
    },
    async claimAccount(accountId) {
      const claim = await sha256(accountId);
      if (claim !== null) outbox.add({ checks: { account_claim: claim } });
      await flush(false);
    },
    async complete() {
      await flush(false);
      if (!session) return;
      const { path, token } = session;
      await transport.ask({ method: 'POST', path: `${path}/complete`, token });
      stop();
    },
    stop,
    collected: () => collected,
  };
}
