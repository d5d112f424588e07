import { within } from './attempt.ts';
import { accompanyingParts, openingParts, requestedParts } from './collect/collect.ts';
import { collectParts, runParts } from './collect/parts.ts';
import { type Facts, mergeFacts } from './facts.ts';
import { sha256 } from './hash.ts';
import { createInteraction } from './interaction.ts';
import { keepToken, readKeptToken } from './kept-token.ts';
import { listenToPage } from './listeners.ts';
import type { Settings } from './options.ts';
import { patchIntervalMs } from './patch-interval.ts';
import { createSessionLink, type SessionAnswer } from './session-link.ts';
import { createThrottle, type Timers } from './throttle.ts';
import { tokenStores } from './token-stores.ts';
import { createTransport } from './transport.ts';

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
  /** Sends what came to be known since the opening. */
  flush(): Promise<void>;
  claimAccount(accountId: string): Promise<void>;
  complete(): Promise<void>;
  stop(): void;
  collected(): Collected;
};

const COLLECTION_DEADLINE_MS = 1500;
const REST_DEADLINE_MS = 500;
/** Answers of a database wait behind a busy page, so it has this long after the collection in any case. */
const MIN_DATABASE_MS = 500;

/** Watches the page, collects, opens a session and feeds it. */
export function startSessionRun(settings: Settings, timers: Timers): SessionRun {
  const watch = watchPage(settings, timers);
  const { link } = watch;
  let milliseconds: number | null = null;
  let canTryAgain = false;
  let isRestSent: Promise<unknown> = Promise.resolve();

  async function open(): Promise<SessionAnswer> {
    await pageShown();
    const startMs = timers.now();
    const stores = tokenStores(settings.projectId);
    const kept = readKeptToken(stores);
    const accompanied = runParts(accompanyingParts(settings), timers, watch.add);
    const deadlineMs = COLLECTION_DEADLINE_MS;
    link.add(await collectParts(openingParts(), { deadlineMs, timers, onLate: watch.add }));
    milliseconds = Math.round(timers.now() - startMs);
    const keptDeadlineMs = Math.max(MIN_DATABASE_MS, deadlineMs - milliseconds);
    const opening = await link.open(await within(kept, keptDeadlineMs, null));
    if (opening.answer.error) {
      canTryAgain = opening.canTryAgain;
      watch.stop();
      return opening.answer;
    }
    void keepToken(stores, opening.browserToken);
    isRestSent = watch.addRest(accompanied);
    return opening.answer;
  }

  return {
    opened: open(),
    canTryAgain: () => canTryAgain,
    async flush() {
      await isRestSent;
      await watch.flush(false);
    },
    async claimAccount(accountId) {
      const claim = await sha256(accountId);
      if (claim !== null) link.add({ checks: { account_claim: claim } });
      await watch.flush(false);
    },
    async complete() {
      // Stopped first: facts that are sent while the session is completed are refused, which the console shows.
      watch.stop();
      await link.flush(false);
      await link.complete();
    },
    stop: watch.stop,
    collected: () => ({ facts: mergeFacts(link.sent(), watch.counts()), milliseconds }),
  };
}

declare const SDK_VERSION: string;

const MAX_WATCH_MS = 30 * 60_000;

/** Counts what happens on the page, and sends the counts as they change, until it is stopped. */
function watchPage(settings: Settings, timers: Timers) {
  const startMs = timers.now();
  const transport = createTransport(settings);
  const interaction = createInteraction(startMs);
  const link = createSessionLink({
    settings,
    version: SDK_VERSION,
    transport,
    counts: interaction.facts,
    onOver: stop,
    onUnsent: () => throttle.request(),
  });
  let isStopped = false;

  const flush = async (isUrgent: boolean) => {
    if (!isStopped) await link.flush(isUrgent);
  };
  const throttle = createThrottle(
    () => patchIntervalMs(timers.now() - startMs),
    timers,
    () => void flush(false),
  );
  const stopListening = listenToPage(interaction, (isUrgent) => {
    if (isUrgent) void flush(true);
    else throttle.request();
  });
  const forgetEnd = timers.after(MAX_WATCH_MS, stop);

  function stop(): void {
    isStopped = true;
    stopListening();
    throttle.stop();
    forgetEnd();
  }
  function add(facts: Facts): void {
    if (isStopped) return;
    link.add(facts);
    throttle.request();
  }
  /** What the opening did not wait for, in one request soon after it; what a person is asked for comes when it comes. */
  async function addRest(accompanied: Promise<void>): Promise<void> {
    void runParts(requestedParts(settings), timers, add);
    const measured = transport.roundTripMs().then((app_rtt_ms) => add({ checks: { app_rtt_ms } }));
    await within(Promise.all([accompanied, measured]), REST_DEADLINE_MS, undefined);
    await flush(false);
  }
  return { link, add, addRest, flush, stop, counts: interaction.facts };
}

/** Waits until a prerendered page is shown. It may never be shown, so no session is opened before. */
function pageShown(): Promise<unknown> | undefined {
  if (!(document as { prerendering?: boolean }).prerendering) return undefined;
  return new Promise((resolve) => document.addEventListener('prerenderingchange', resolve, { once: true }));
}
