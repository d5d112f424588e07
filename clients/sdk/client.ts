import { attempt, within } from './attempt.ts';
import { type ErrorCode, type Options, readSettings, type Settings } from './options.ts';
import type { SessionAnswer } from './session-link.ts';
import { type Collected, type SessionRun, startSessionRun } from './session-run.ts';
import type { Timers } from './throttle.ts';

/** API of the script. Nothing here throws or rejects, whatever the arguments. */
export type Client = {
  /** Starts. Has no effect with the options that it already runs with. */
  init(options: Options): void;
  /** Session, resolved when it is open and has the newest counts. */
  session(): Promise<SessionAnswer>;
  /** Opens a new session, for example after a logout, and resolves with it. */
  reinitialize(): Promise<SessionAnswer>;
  /** Sends the hash of the id of the signed-in account. Does not bind the session. */
  account(account: { id: string; email?: string }): Promise<SessionAnswer>;
  /** Closes the session: nothing is observed or sent afterwards. */
  complete(): Promise<SessionAnswer>;
  /** Facts collected so far. */
  collected(): Collected | null;
};

/** Time limit for pages that wait for the answer before they sign a person in, whatever the service does. */
const OPENING_WAIT_MS = 1500;
/** Short time limit for sending the last counts. */
const FLUSH_WAIT_MS = 500;

const TIMERS: Timers = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** `scriptUrl` is where the script was loaded from, '' when that is not known. */
export function createClient(scriptUrl: string): Client {
  let settings: Settings | null = null;
  let run: SessionRun | null = null;

  function begin(started: Settings): SessionRun {
    run?.stop();
    const begun = startSessionRun(started, TIMERS);
    run = begun;
    begun.opened
      .then(({ error }) => error && (settings ?? started).onError(error))
      // An error thrown by the page's callback must not become an unhandled rejection.
      .catch(() => {});
    return begun;
  }

  async function answerOf(use: (run: SessionRun) => Promise<unknown>): Promise<SessionAnswer> {
    try {
      if (!settings || !run) return failure('not_configured');
      const current = run.canTryAgain() ? begin(settings) : run;
      // A slower opening continues: the next call may find it completed.
      const answer = await within(current.opened, OPENING_WAIT_MS, failure('timeout'));
      if (!answer.error) await within(use(current), FLUSH_WAIT_MS, undefined);
      return answer;
    } catch {
      return failure('network_error');
    }
  }

  return {
    init(options) {
      attempt(() => {
        const read = readSettings(options, scriptUrl);
        if (!read) return (options as Partial<Options> | undefined)?.onError?.('not_configured');
        const isSame = settings !== null && JSON.stringify(settings) === JSON.stringify(read);
        settings = read;
        if (!isSame) begin(read);
      }, undefined);
    },
    session: () => answerOf((current) => current.flush()),
    async reinitialize() {
      attempt(() => settings && begin(settings), null);
      return answerOf((current) => current.flush());
    },
    account: (account) => answerOf((current) => current.claimAccount(String(account?.id ?? ''))),
    complete: () => answerOf((current) => current.complete()),
    collected: () => run?.collected() ?? null,
  };
}

function failure(error: ErrorCode): SessionAnswer {
  return { session_id: null, error };
}
